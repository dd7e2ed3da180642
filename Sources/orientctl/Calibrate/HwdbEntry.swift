// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import SystemdBus

/// A record of udev's hwdb that gives an accelerometer its mount matrix.
struct HwdbEntry {
    /// Where the administrator's own records of sensors are kept, by the custom of systemd's 60-sensor.hwdb.
    static let standardPath = "/etc/udev/hwdb.d/61-sensor-local.hwdb"

    /// The property that the record sets.
    static let property = "ACCEL_MOUNT_MATRIX"

    /// What the keys that udev looks up are compared with: a glob.
    let match: String

    /// The matrix as the property has it.
    let value: String

    /// What people may want to know, without the signs of a comment.
    let comment: String

    init(match: String, matrix: MountMatrix, comment: String) {
        self.match = match
        value = Self.text(of: matrix)
        self.comment = comment
    }

    /// The record with its comment, as a file has it.
    var text: String { "# \(comment)\n\(match)\n \(Self.property)=\(value)\n" }

    /// A matrix as hwdb has it, `0, 1, 0; -1, 0, 0; 0, 0, 1`, to four places.
    static func text(of matrix: MountMatrix) -> String {
        [matrix.x, matrix.y, matrix.z].map { row in
            [row.x, row.y, row.z].map { number in
                // A 0 is added to, so that none prints as -0.
                AttributeText.shortest((number * 10000).rounded() / 10000 + 0)
            }.joined(separator: ", ")
        }.joined(separator: "; ")
    }

    // MARK: - The key

    /// The glob for a sensor of this machine; nil for one that udev looks up nothing for.
    ///
    /// As systemd's 60-sensor.rules make the key, but for the version of the firmware, which must not matter.
    static func match(for sensor: Device) -> String? {
        let machine = (try? Device(subsystem: "dmi", name: "id"))?.attribute("modalias") ?? ""
        if sensor.subsystem == "input" {
            if let parent = sensor.nearest(["acpi"]), let hid = parent.attribute("hid") {
                return match(modalias: "acpi:" + hid, machine: machine)
            }
            return sensor.nearest(["platform"]).map { match(modalias: "platform:" + $0.name, machine: machine) }
        }
        guard let parent = sensor.nearest(["usb", "i2c", "platform"]) else { return nil }
        return match(label: label(of: sensor), modalias: parent.attribute("modalias") ?? "", machine: machine)
    }

    /// The label in the key; Chromebooks' sensors have an older file for it.
    private static func label(of sensor: Device) -> String {
        if let label = sensor.attribute("label"), !label.isEmpty { return label }
        let name = sensor.attribute("name") ?? ""
        guard name == "cros-ec-accel" || name == "cros-ec-accel-legacy" else { return "" }
        return sensor.attribute("location") == "lid" ? "accel-display" : ""
    }

    /// The glob for a sensor with that label, which may be empty, and modalias on a machine with that modalias.
    static func match(label: String = "", modalias: String, machine: String) -> String {
        let system = ["svn", "pn"].map { field($0, of: machine) }.joined()
        return "sensor:" + (label.isEmpty ? "" : quoted(label) + ":") + "modalias:\(quoted(modalias)):"
            + (system.isEmpty ? "*" : "dmi:*:\(system)*")
    }

    /// One field of a DMI modalias, `dmi:bvnAMI:…:svnAcer:pnOneS1003:…`, as a glob; empty where it has none.
    private static func field(_ name: String, of modalias: String) -> String {
        let fields = modalias.utf8.split(separator: UInt8(ascii: ":"))
        guard let field = fields.first(where: { $0.starts(with: name.utf8) }) else { return "" }
        return quoted(String(decoding: field, as: UTF8.self)) + ":"
    }

    /// A text as a glob that it alone matches, or hardly another: every byte but the plainest shows as `?`.
    ///
    /// Some have a meaning in globs; others, such as parentheses, udev replaces in its key.
    private static func quoted(_ text: String) -> String {
        String(decoding: text.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Whether udev lets a byte of an attribute be, and globs give it no meaning.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "#+-.:=@_/ $%,".utf8.contains(byte)
        }
    }

    // MARK: - The file

    /// What a file holds, with this record at its end.
    ///
    /// A matrix that the file has for the same match goes, and its record with it if it said nothing else. All else stays
    /// as it is, whatever its encoding. Later records count for more.
    func added(to bytes: [UInt8]) -> [UInt8] {
        var lines = Self.lines(of: bytes)
        var kept: [ArraySlice<UInt8>] = []
        while !lines.isEmpty {
            let record = lines.prefix { !Self.trimmed($0).isEmpty }
            let end = lines[record.endIndex...].first
            let rest = withoutMatrix(record)
            kept += rest
            // The line that ends a record goes with it.
            if let end, record.isEmpty || !rest.isEmpty { kept.append(end) }
            lines = lines[record.endIndex...].dropFirst()
        }
        if let last = kept.last, !Self.trimmed(last).isEmpty { kept.append([]) }
        return kept.flatMap { $0 + [Self.newline] } + Array(text.utf8)
    }

    /// Says whether a file gives that matrix to whatever sensor.
    static func isMatrix(_ value: String, in bytes: [UInt8]) -> Bool {
        let line = Array("\(property)=\(value)".utf8)
        return lines(of: bytes).contains { isProperty($0) && trimmed($0) == line }
    }

    /// The lines of a record, without those that this one stands for.
    private func withoutMatrix(_ record: ArraySlice<ArraySlice<UInt8>>) -> [ArraySlice<UInt8>] {
        let isMatch = { (line: ArraySlice<UInt8>) in !Self.isProperty(line) && line.first != UInt8(ascii: "#") }
        guard record.filter(isMatch).map(Self.trimmed) == [Array(match.utf8)] else { return Array(record) }
        let kept = record.filter { !(Self.isProperty($0) && Self.trimmed($0).starts(with: "\(Self.property)=".utf8)) }
        guard kept.count < record.count, !kept.contains(where: Self.isProperty) else { return kept }
        return kept.filter { !isMatch($0) && !$0.elementsEqual("# \(comment)".utf8) }
    }

    private static let newline = UInt8(ascii: "\n")

    private static func lines(of bytes: [UInt8]) -> ArraySlice<ArraySlice<UInt8>> {
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        return lines.last?.isEmpty == true ? lines.dropLast() : lines[...]
    }

    private static func isProperty(_ line: ArraySlice<UInt8>) -> Bool { line.first == UInt8(ascii: " ") }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let isBlank = { (byte: UInt8) in " \t\r".utf8.contains(byte) }
        return Array(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

extension Device {
    /// This device, or the nearest that it belongs to, of one of those subsystems.
    fileprivate func nearest(_ subsystems: [String]) -> Device? {
        var device: Device? = self
        while let candidate = device {
            if let subsystem = candidate.subsystem, subsystems.contains(subsystem) { return candidate }
            device = candidate.parent
        }
        return nil
    }
}
