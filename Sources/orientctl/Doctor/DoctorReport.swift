// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// A bug report without personal data, in the order in which it is read: versions, findings, the machine, the sensors'
/// attributes, settings, the state of orientd, and a trace.
struct DoctorReport {
    /// The relevant udev properties of a sensor.
    private static let properties = [
        "ACCEL_MOUNT_MATRIX", "ACCEL_LOCATION", "IIO_SENSOR_PROXY_TYPE", "ID_INPUT_ACCELEROMETER", "SYSTEMD_WANTS",
        "MODALIAS", "DRIVER",
    ]

    /// The machine's DMI attributes, without serial numbers.
    private static let machine = ["sys_vendor", "product_name", "product_version", "chassis_type", "modalias"]

    /// The rest of a longer attribute is cut off.
    private static let longestAttribute = 400

    let system: SystemState
    let findings: [Finding]

    /// The lines of the report's trace; nil for that of the readings.
    let recording: [String]?

    /// Writes the report; the trace comes last, so that the file from the trace's header on is input for `replay`.
    func write(to file: consuming OutputFile) throws(SystemError) {
        let anonymizer = Anonymizer.ofThisMachine(besides: secrets)
        var sections = versions + ["", "== findings"]
        sections += findings.map { $0.line(on: system.address) }
        sections += machineLines + sensors + core + configuration + daemon + ["", "== \(traceTitle)"]
        for line in sections { try file.write(anonymizer.cleaned(printable(line)) + "\n") }
        if let recording {
            for line in recording { try file.write(line + "\n") }
            return try file.flush()
        }
        var trace = try TraceWriter(file)
        for sample in system.readings.samples { try trace.write(sample) }
        try trace.flush()
    }

    private var traceTitle: String {
        if recording != nil { return "recording" }
        let readings = system.readings
        if readings.samples.isEmpty { return "no trace: \(readings.problem)" }
        return "trace of \(readings.isFiltered ? "orientd's Gravity" : "the sensor itself")"
    }

    /// The personal data in the daemon's answers and in the configuration.
    private var secrets: [(text: String, substitute: String)] {
        var secrets: [(text: String, substitute: String)] = []
        if let account = system.account { secrets.append((account.name, "<user>")) }
        if let uri = system.configuration.source.uri, let address = uri.suffix(after: ":"), uri != "local:" {
            secrets.append((String(address), "<address>"))
        }
        if case .address(let address) = system.address { secrets.append((address, "<address>")) }
        // A replayed trace's path is the name of its sensor.
        if case .replay(let path) = system.configuration.source { secrets.append((printable(path), "<trace>")) }
        for sensor in system.sensors where sensor.status.mode == .replay {
            secrets.append((printable(sensor.status.name), "<trace>"))
        }
        let ofAgent = findings.filter { $0.subject == "agent.conf" }.map { $0.text }
        secrets += (system.configurationReader.warnings + ofAgent).map { (Self.message(of: $0), "(text left out)") }
        return secrets
    }

    /// The message of a warning, `orientd.conf:3: [Application org.example.Player] …`, behind its place.
    static func message(of warning: String) -> String {
        printable(String(warning.suffix(after: ": ") ?? warning[...]))
    }

    // MARK: - Sections

    private var versions: [String] {
        var names = utsname()
        uname(&names)
        let kernel = withUnsafeBytes(of: names.release) { Self.text($0) }
        let processor = withUnsafeBytes(of: names.machine) { Self.text($0) }
        let distribution = (try? FileDescriptor.contents(of: "/etc/os-release", limit: 65536)).flatMap { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "PRETTY_NAME=".utf8) }
        }
        return [
            "== versions", "orientctl \(Version.current)",
            "orientd \(system.snapshot?.version ?? "not available")", "libiio \(IIOContext.libraryVersion)",
            "systemd \(system.bus.flatMap(ServiceChecks.managerVersion) ?? "not available")",
            "Linux \(kernel) \(processor)",
        ] + (distribution.map { [String(decoding: $0, as: UTF8.self)] } ?? [])
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private var machineLines: [String] {
        guard let device = try? Device(syspath: "/sys/class/dmi/id") else { return [] }
        return ["", "== machine"] + Self.machine.compactMap { name in device.attribute(name).map { "\(name): \($0)" } }
    }

    private var core: [String] {
        system.core.map { ["", "== Qualcomm's sensor core"] + $0.exchange } ?? []
    }

    private var configuration: [String] {
        let heading = ["", "== configuration"]
        if system.hasOwnConfiguration { return heading + ["not shown: orientd was started with --config"] }
        let assignments = system.configurationReader.assignments
        return heading + (assignments.isEmpty ? ["defaults"] : assignments)
    }

    private var daemon: [String] {
        guard let snapshot = system.snapshot else { return [] }
        // Requests are the applications' own affair.
        let status = Status(snapshot: snapshot, requests: [], sensors: system.sensors, agents: [])
        return ["", "== orientd"] + Status.lines(of: status.values.filter { $0.label != "Requests" })
    }

    private var sensors: [String] {
        system.accelerometers.flatMap { sensor -> [String] in
            let path = sensor.description.sysfsPath
            guard let device = try? Device(syspath: path) else { return [] }
            var lines = ["", "== \(path)"]
            for property in Self.properties {
                if let value = device.property(property) { lines.append("property \(property): \(value)") }
                if let value = device.parent?.property(property) {
                    lines.append("property \(property) of the parent: \(value)")
                }
            }
            // If reading values has failed, it might hang here.
            let names = device.attributeNames.filter { system.readings.problem.isEmpty || !Self.isValue($0) }
            for name in names where Self.isPublic(name) {
                guard let value = device.attribute(name) else { continue }
                let text = value.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
                    .joined(separator: " | ")
                lines.append("\(name): \(String(text.unicodeScalars.prefix(Self.longestAttribute)))")
            }
            return lines
        }
    }

    private static func isValue(_ name: String) -> Bool { name.ends(with: "_raw") || name.ends(with: "_input") }

    /// Returns whether an attribute is the same for every sensor of this model.
    static func isPublic(_ name: String) -> Bool {
        let personal = ["serial", "uniq", "uuid", "address", "uevent"]
        let name = String(decoding: name.utf8.map(lowercase), as: UTF8.self)
        return !personal.contains { name.includes($0) } && !name.begins(with: "power/")
    }
}

/// Recordings of the daemon's events, made by `orientd --record`, for a bug report.
enum EventRecording {
    /// In bytes: the events of some hours.
    private static let largest = 1 << 24

    /// The lines of a recording, anonymized; throws if the file is not a trace.
    static func lines(of path: String) throws(CommandError) -> [String] {
        let bytes = try systemCall(FileDescriptor.contents(of: path, limit: largest))
        var reader = TraceReader(try systemCall(FileDescriptor.open(reading: path)), name: path)
        if case .malformed(let error)? = try systemCall(reader.next()) { try error.rejectOtherFile(path) }
        return anonymized(String(decoding: bytes, as: UTF8.self))
    }

    /// The lines of a text, with pseudonyms for applications, clients and reasons; equal values have the same one.
    ///
    /// Nothing else in an event, `t,event,key=value...`, is personal: other values are numbers and fixed words.
    static func anonymized(_ text: String) -> [String] {
        var pseudonyms = ["app": [String: String](), "client": [:], "clients": [:], "reason": [:]]
        func anonymized(_ field: Substring.UTF8View) -> String {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard parts.count == 2, !parts[1].isEmpty, let known = pseudonyms[parts[0]] else {
                return String(Substring(field))
            }
            let pseudonym = known[parts[1]] ?? "\(parts[0])\(known.count + 1)"
            pseudonyms[parts[0]]?[parts[1]] = pseudonym
            return "\(parts[0])=\(pseudonym)"
        }
        return text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { line in
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            return printable(fields.map(anonymized).joined(separator: ","))
        }
    }
}
