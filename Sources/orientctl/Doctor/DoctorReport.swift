// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// All that a bug report needs, as one text to read before it is sent.
///
/// What was found, versions, the sensors' attributes, a trace; nothing in it tells whose machine it is.
struct DoctorReport {
    /// What of udev's properties of a sensor matters.
    private static let properties = [
        "ACCEL_MOUNT_MATRIX", "ACCEL_LOCATION", "IIO_SENSOR_PROXY_TYPE", "ID_INPUT_ACCELEROMETER", "SYSTEMD_WANTS",
        "MODALIAS", "DRIVER",
    ]

    /// What the firmware says of the machine, serial numbers excepted.
    private static let machine = ["sys_vendor", "product_name", "product_version", "chassis_type", "modalias"]

    /// More of an attribute is no setting or value.
    private static let longest = 400

    private let surroundings: Surroundings
    private let readings: Readings
    private let findings: [Finding]

    init(_ surroundings: Surroundings, _ readings: Readings, _ findings: [Finding]) {
        self.surroundings = surroundings
        self.readings = readings
        self.findings = findings
    }

    /// Opens what `--report` names: `-` is standard output.
    static func create(_ path: String) throws(CommandError) -> OutputFile {
        try calling { () throws(SystemError) in path == "-" ? .standardOutput() : try .create(path) }
    }

    /// Writes the report; the trace comes last, so that `replay` can be given the file from its header on.
    func write(to file: consuming OutputFile) throws(CommandError) {
        let anonymizer = Anonymizer.ofThisMachine(besides: secrets)
        let heading = ["", "== trace of \(origin)"]
        let lines = (versions + found + machineLines + configuration + daemon + sensors + heading).map { line in
            anonymizer.cleaned(printable(line))
        }
        do throws(SystemError) {
            for line in lines { try file.write(line + "\n") }
            var trace = try TraceWriter(file)
            for sample in readings.samples { try trace.write(sample) }
            try trace.flush()
        } catch {
            throw CommandError(error)
        }
    }

    private var origin: String {
        readings.samples.isEmpty ? "nothing: \(readings.problem)" : readings.origin
    }

    /// What is personal in what the daemon and the configuration say.
    private var secrets: [(text: String, substitute: String)] {
        var secrets: [(text: String, substitute: String)] = []
        if let account = surroundings.account { secrets.append((account.name, "<user>")) }
        if let uri = surroundings.uri, let colon = uri.firstIndex(of: ":"), uri != "local:" {
            secrets.append((String(uri[uri.index(after: colon)...]), "<address>"))
        }
        if case .address(let address) = surroundings.address { secrets.append((address, "<address>")) }
        // A trace's path is the name of its sensor.
        if case .replay(let path) = surroundings.configuration.source { secrets.append((printable(path), "<trace>")) }
        for sensor in surroundings.sensors.map(\.status) where sensor.mode == .replay {
            secrets.append((printable(sensor.name), "<trace>"))
        }
        secrets += surroundings.configurationWarnings.map { (Self.saying(of: $0), "<what it says>") }
        return secrets
    }

    /// What a warning, `orientd.conf:3: [Application org.example.Player] …`, tells behind the place.
    static func saying(of warning: String) -> String {
        let colon = warning.firstRange(of: ": ")
        return printable(String(warning[(colon?.upperBound ?? warning.startIndex)...]))
    }

    // MARK: - Sections

    private var versions: [String] {
        var system = utsname()
        uname(&system)
        let kernel = withUnsafeBytes(of: system.release) { Self.text($0) }
        let processor = withUnsafeBytes(of: system.machine) { Self.text($0) }
        let distribution = (try? FileDescriptor.contents(of: "/etc/os-release", limit: 65536)).flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        }
        return [
            "== versions", "orientctl \(Version.current)",
            "orientd \(surroundings.snapshot?.version ?? "does not answer")", "libiio \(IIOContext.libraryVersion)",
            "systemd \(surroundings.bus.flatMap(ServiceChecks.managerVersion) ?? "does not answer")",
            "Linux \(kernel) \(processor)",
        ] + (distribution.map { [String($0)] } ?? [])
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private var found: [String] { ["", "== findings"] + findings.map { $0.line() } }

    private var machineLines: [String] {
        guard let device = try? Device(syspath: "/sys/class/dmi/id") else { return [] }
        return ["", "== machine"]
            + Self.machine.compactMap { name in device.attribute(name).map { "\(name): \($0)" } }
    }

    private var configuration: [String] {
        let assignments = surroundings.assignments
        return ["", "== configuration"] + (assignments.isEmpty ? ["the defaults"] : assignments)
    }

    private var daemon: [String] {
        guard let snapshot = surroundings.snapshot else { return [] }
        // What applications ask for is theirs.
        let values = Status.values(snapshot, [], surroundings.sensors).filter { $0.label != "Requests" }
        return ["", "== orientd"] + values.map { $0.label.isEmpty ? "  \($0.value)" : "\($0.label): \($0.value)" }
    }

    private var sensors: [String] {
        surroundings.accelerometers.flatMap { sensor -> [String] in
            let path = sensor.description.sysfsPath
            guard let device = try? Device(syspath: path) else { return [] }
            var lines = ["", "== \(path)"]
            for property in Self.properties {
                if let value = device.property(property) { lines.append("property \(property): \(value)") }
                if let value = device.parent?.property(property) {
                    lines.append("property \(property) of the parent: \(value)")
                }
            }
            // Where reading values has failed, it may hang here.
            let names = device.attributeNames.filter { readings.problem.isEmpty || !Self.isValue($0) }
            for name in names where Self.isPublic(name) {
                guard let value = device.attribute(name) else { continue }
                let text = value.split(separator: "\n").joined(separator: " | ")
                lines.append("\(name): \(text.prefix(Self.longest))")
            }
            return lines
        }
    }

    private static func isValue(_ name: String) -> Bool { name.hasSuffix("_raw") || name.hasSuffix("_input") }

    /// Says whether an attribute is about the sensor, and not about this one piece of it.
    static func isPublic(_ name: String) -> Bool {
        let personal = ["serial", "uniq", "uuid", "address", "uevent"]
        let name = name.lowercased()
        return !personal.contains { name.contains($0) } && !name.hasPrefix("power/")
    }
}
