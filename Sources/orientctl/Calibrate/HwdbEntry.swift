// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// A record of udev's hwdb that sets an accelerometer's mount matrix.
struct HwdbEntry {
    /// The file for the administrator's own records, as systemd's 60-sensor.hwdb proposes.
    static let standardPath = "/etc/udev/hwdb.d/61-sensor-local.hwdb"

    static let property = "ACCEL_MOUNT_MATRIX"

    /// The glob that udev's lookup key is matched against.
    let match: String
    let matrix: MountMatrix

    /// The comment without its number sign.
    let comment: String

    var value: String { Self.text(of: matrix) }

    /// The record with its comment, as in a file.
    var text: String { "# \(comment)\n\(match)\n \(Self.property)=\(value)\n" }

    /// Formats a matrix for hwdb, `0, 1, 0; -1, 0, 0; 0, 0, 1`, to four places.
    static func text(of matrix: MountMatrix) -> String {
        [matrix.x, matrix.y, matrix.z].map { row in
            [row.x, row.y, row.z].map { shortDecimal($0, places: 4) }.joined(separator: ", ")
        }.joined(separator: "; ")
    }

    // MARK: - The key

    /// The glob for a sensor of this machine; nil for a sensor that udev does not look up.
    ///
    /// It follows the key of systemd's 60-sensor.rules, but matches every version of the firmware.
    static func match(for sensor: Device) -> String? {
        let machine = (try? Device(subsystem: "dmi", name: "id"))?.attribute("modalias") ?? ""
        if sensor.subsystem == "input" {
            if let parent = sensor.nearest(where: { $0.subsystem == "acpi" }), let hid = parent.attribute("hid") {
                return match(modalias: "acpi:" + hid, machine: machine)
            }
            let platform = sensor.nearest { $0.subsystem == "platform" }
            return platform.map { match(modalias: "platform:" + $0.name, machine: machine) }
        }
        let buses = ["usb", "i2c", "platform"]
        guard let parent = sensor.nearest(where: { buses.contains($0.subsystem ?? "") }) else { return nil }
        return match(label: label(of: sensor), modalias: parent.attribute("modalias") ?? "", machine: machine)
    }

    /// The label in the key; Chromebooks' drivers have the older attribute `location` for it.
    private static func label(of sensor: Device) -> String {
        if let label = sensor.attribute("label"), !label.isEmpty { return label }
        let name = sensor.attribute("name") ?? ""
        guard name == "cros-ec-accel" || name == "cros-ec-accel-legacy" else { return "" }
        return sensor.attribute("location") == "lid" ? "accel-display" : ""
    }

    /// The glob for a sensor's label, which may be empty, its modalias and the machine's modalias.
    static func match(label: String = "", modalias: String, machine: String) -> String {
        let system = ["svn", "pn"].map { field($0, of: machine) }.joined()
        return "sensor:" + (label.isEmpty ? "" : quoted(label) + ":") + "modalias:\(quoted(modalias)):"
            + (system.isEmpty ? "*" : "dmi:*:\(system)*")
    }

    /// One field of a DMI modalias, `dmi:bvnAMI:…:svnAcer:pnOneS1003:…`, as a glob; empty if missing.
    private static func field(_ name: String, of modalias: String) -> String {
        let fields = modalias.utf8.split(separator: UInt8(ascii: ":"))
        guard let field = fields.first(where: { $0.starts(with: name.utf8) }) else { return "" }
        return quoted(String(decoding: field, as: UTF8.self)) + ":"
    }

    /// Makes a glob that matches this text and few others: every byte that is not plain becomes `?`.
    ///
    /// Some bytes have a meaning in globs; others, such as parentheses, udev replaces in its key.
    private static func quoted(_ text: String) -> String {
        String(decoding: text.utf8.map { plain.contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The bytes without a meaning in globs that udev leaves unchanged.
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#+-.:=@_/ $%,".utf8)

    // MARK: - The file

    /// Adds the record to a file, in place of an earlier one for the same match, and replaces the file atomically.
    ///
    /// Pipes and terminals get the record alone. A symbolic link's target is replaced, or created if it is missing.
    func add(to name: String) throws(SystemError) { try change(name) { added(to: $0) } }

    /// Removes earlier matrices for the same match from a file; returns them.
    func remove(from name: String) throws(SystemError) -> [String] {
        guard access(name, F_OK) == 0 || Errno.current != .notFound else { return [] }
        let matrices = removed(from: try FileDescriptor.contents(of: name)).matrices
        if !matrices.isEmpty { try change(name) { removed(from: $0).rest } }
        return matrices
    }

    private func change(_ name: String, _ changed: ([UInt8]) -> [UInt8]) throws(SystemError) {
        let resolved = realpath(name, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? name
        var old = stat()
        guard lstat(path, &old) == 0 else {
            guard Errno.current == .notFound else { throw SystemError("look at", path, errno: .current) }
            if path == Self.standardPath { mkdir(FileDescriptor.folder(of: path), 0o755) }
            return try OutputFile.replace(path, with: changed([]), permissions: 0o644)
        }
        guard old.isKind(S_IFREG) else { return try OutputFile.write(text, to: path) }
        let bytes = changed(try FileDescriptor.contents(of: path))
        try OutputFile.replace(path, with: bytes, permissions: old.st_mode & 0o7777, owner: (old.st_uid, old.st_gid))
    }

    /// Returns a file's contents with this record at the end.
    ///
    /// An earlier matrix for the same match is removed, and its record if nothing else is in it. Everything else is
    /// kept byte by byte. Later records override earlier ones.
    func added(to bytes: [UInt8]) -> [UInt8] {
        var kept = kept(of: bytes).lines
        if let last = kept.last, !trimmed(last).isEmpty { kept.append([]) }
        return kept.flatMap { $0 + [Self.newline] } + Array(text.utf8)
    }

    /// Returns a file's contents as they were before this record was added, and the matrices that this removes.
    func removed(from bytes: [UInt8]) -> (rest: [UInt8], matrices: [String]) {
        var (lines, matrices) = kept(of: bytes)
        if !matrices.isEmpty, lines.last?.isEmpty == true { lines.removeLast() }
        return (lines.flatMap { $0 + [Self.newline] }, matrices)
    }

    private func kept(of bytes: [UInt8]) -> (lines: [ArraySlice<UInt8>], matrices: [String]) {
        var lines = Self.lines(of: bytes)
        var kept: [ArraySlice<UInt8>] = []
        var matrices: [String] = []
        while !lines.isEmpty {
            let record = lines.prefix { !trimmed($0).isEmpty }
            let end = lines[record.endIndex...].first
            let rest = withoutMatrix(record)
            kept += rest
            if rest.count < record.count {
                matrices += record.filter(Self.isMatrix).map {
                    String(decoding: trimmed($0).dropFirst(Self.property.utf8.count + 1), as: UTF8.self)
                }
            }
            // The empty line after a removed record is removed, too.
            if let end, record.isEmpty || !rest.isEmpty { kept.append(end) }
            lines = lines[record.endIndex...].dropFirst()
        }
        return (kept, matrices)
    }

    /// Returns whether a record in a file, for any sensor, sets this matrix.
    static func isMatrix(_ value: String, in bytes: [UInt8]) -> Bool {
        let line = "\(property)=\(value)".utf8
        return lines(of: bytes).contains { isProperty($0) && trimmed($0).elementsEqual(line) }
    }

    /// Returns a record without the lines that this one replaces.
    private func withoutMatrix(_ record: ArraySlice<ArraySlice<UInt8>>) -> [ArraySlice<UInt8>] {
        let isMatch = { (line: ArraySlice<UInt8>) in !Self.isProperty(line) && line.first != UInt8(ascii: "#") }
        guard record.filter(isMatch).map({ Array(trimmed($0)) }) == [Array(match.utf8)] else { return Array(record) }
        let kept = record.filter { !Self.isMatrix($0) }
        guard kept.count < record.count, !kept.contains(where: Self.isProperty) else { return kept }
        return kept.filter { !isMatch($0) && !$0.elementsEqual("# \(comment)".utf8) }
    }

    private static let newline = UInt8(ascii: "\n")

    private static func lines(of bytes: [UInt8]) -> ArraySlice<ArraySlice<UInt8>> {
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        return lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
    }

    private static func isProperty(_ line: ArraySlice<UInt8>) -> Bool { line.first == UInt8(ascii: " ") }

    private static func isMatrix(_ line: ArraySlice<UInt8>) -> Bool {
        isProperty(line) && trimmed(line).starts(with: "\(property)=".utf8)
    }

    // MARK: - Loading

    /// The programs that apply a record to a present device; orientd handles the resulting event.
    static func programs(for sysfsPath: String) -> [[String]] {
        [
            ["systemd-hwdb", "update"],
            // Without it udevd checks for a newer hwdb.bin at most every 3 s, and only at an event.
            ["udevadm", "control", "--reload"],
            ["udevadm", "trigger", "--settle", sysfsPath],
        ]
    }

    /// Applies a change of the records; returns the matrix that udev has then.
    static func reload(for sysfsPath: String) throws(CommandError) -> String? {
        for program in programs(for: sysfsPath) { try Program.run(program) }
        return (try? Device(syspath: sysfsPath))?.property(property)
    }

    /// Applies the record once it was added; throws unless udev has the new matrix then.
    func load(for sysfsPath: String) throws(CommandError) {
        let property = try Self.reload(for: sysfsPath)
        guard property == value else {
            let found = property.map { "\"\(printable($0))\"" } ?? "none"
            throw CommandError("udev's \(Self.property) of \(sysfsPath) is \(found) instead of \"\(value)\"")
        }
        StandardError.print("udev has the new matrix")
    }
}

/// The mount matrices of a sensor from udev's hwdb and from the kernel, as texts.
struct MatrixSources: Hashable {
    let hwdb, kernel: String?

    /// Whether both are valid and describe different mountings.
    var areInConflict: Bool {
        guard let ours = hwdb.flatMap(AttributeText.matrixRows), let theirs = kernel.flatMap(AttributeText.matrixRows),
            // Drivers report the identity where the firmware has no matrix.
            MountMatrix(rows: theirs.x, theirs.y, theirs.z) != .identity
        else { return false }
        // The kernel's documentation defines x and y with the opposite sign, and many drivers follow it. The row of z
        // may have either sign.
        return ![1.0, -1.0].contains { sign in
            ours.x.isNear(theirs.x, times: sign) && ours.y.isNear(theirs.y, times: sign)
                && (ours.z.isNear(theirs.z) || ours.z.isNear(theirs.z, times: -1))
        }
    }
}

extension MatrixSources {
    init(of sensor: Device) {
        // As elsewhere in udev, an empty property is none.
        hwdb = sensor.property(HwdbEntry.property).flatMap { $0.isEmpty ? nil : $0 }
        kernel = ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"].lazy.compactMap(sensor.attribute).first
    }
}

extension Vector3 {
    /// Returns whether this is about `factor` times `other`.
    fileprivate func isNear(_ other: Vector3, times factor: Double = 1) -> Bool {
        (self - other * factor).magnitude < 0.1
    }
}
