// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import JSON
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl doctor`: checks everything that rotation needs, and says how to fix what is wrong.
enum Doctor {
    static let command = Command(
        name: "doctor",
        summary: "check everything that rotation needs, and say how to\nfix what is wrong",
        options: [
            .init(
                "report",
                "r",
                value: "FILE",
                help: "write a bug report, without personal data, to FILE;\n- is standard output"
            ),
            .init("recording", value: "TRACE", help: "put TRACE into the report, from orientd --record"),
        ]
    ) { invocation throws(CommandError) in
        let path = invocation.value(of: "report")
        guard path != "-" || !invocation.isJSON else {
            throw CommandError("--report=- prints text: it cannot be combined with --json", .usage)
        }
        guard path != nil || !invocation.has("recording") else {
            throw CommandError("--recording needs --report", .usage)
        }
        // Files first: no checks for a report that cannot be written.
        let recording = try invocation.value(of: "recording").map {
            path throws(CommandError) in try EventRecording(contentsOf: path)
        }
        let file: OutputFile? =
            if let path { path == "-" ? .standardOutput() : try systemCall(.create(path)) } else { nil }
        let system = try SystemState(invocation)
        let seconds = path == nil || recording != nil ? 2.0 : 5
        if isatty(STDERR_FILENO) == 1, system.accelerometer != nil || system.snapshot != nil {
            complain("reading the accelerometer for some seconds; leave the device still")
        }
        let readings = Readings(system, seconds: seconds)
        guard !readings.isInterrupted else { throw CommandError("interrupted") }
        let findings =
            HardwareChecks(system: system).findings + ReadingChecks(system: system, readings: readings).findings
            + ServiceChecks(system: system).findings + SessionChecks().findings
        if let file {
            let report = DoctorReport(system: system, readings: readings, findings: findings, recording: recording)
            do throws(SystemError) { try report.write(to: file) } catch { throw CommandError(error) }
        }
        if let path, path != "-" {
            complain("\(path) has the report; look through it before you attach it to an issue")
        }
        if path != "-" { try emit(findings.map { invocation.isJSON ? $0.json.line : $0.line(isStyled: true) }) }
        return findings.contains { $0.verdict == .fail } ? .failed : .done
    }
}

/// The state of the configuration, the bus, the daemon and the sensors, each as far as it can be read.
struct SystemState {
    let address: BusAddress
    let configuration: Configuration

    /// The mistakes in orientd.conf.
    let configurationWarnings: [String]

    /// The settings in orientd.conf, without those of applications.
    let assignments: [String]

    /// The accelerometers of the configured source, and why it has fewer or none.
    private(set) var accelerometers: [any SensorDevice] = []
    private(set) var discoveryWarnings: [String] = []

    /// Nil if the bus cannot be reached.
    let bus: Bus?
    let busProblem: String
    private(set) var owner: NameOwner?
    private(set) var snapshot: ManagerSnapshot?
    private(set) var sensors: [(path: String, status: SensorStatus)] = []

    /// Why the daemon did not answer.
    private(set) var daemonProblem: BusError?

    init(_ invocation: Invocation) throws(CommandError) {
        address = try invocation.bus
        let reader = ConfigurationReader<Configuration>()
        do throws(SystemError) {
            try reader.read(Configuration.standardPath, isRequired: false)
            configurationWarnings = reader.warnings
        } catch {
            configurationWarnings = reader.warnings + ["\(error)"]
        }
        configuration = reader.configuration
        assignments = reader.assignments
        do throws(SystemError) {
            bus = try Bus(address)
            busProblem = ""
        } catch {
            bus = nil
            busProblem = error.problem
        }
        queryDaemon()
        discover()
    }

    private mutating func queryDaemon() {
        guard let bus else { return }
        // A daemon that hangs is a finding, not worth a client's full timeout.
        let timeout = bus.timeout
        bus.timeout = 10
        defer { bus.timeout = timeout }
        let client = OrientationClient(bus: bus)
        do throws(BusError) {
            // The bus starts the daemon where it can, as for every client.
            snapshot = try client.snapshot()
            sensors = try client.sensors()
        } catch {
            daemonProblem = error
        }
        owner = bus.owner(of: Names.service)
    }

    private mutating func discover() {
        guard let uri else { return }
        do throws(SystemError) {
            let found = try FoundSensors(at: uri, of: [.accelerometer])
            accelerometers = found.sensors
            discoveryWarnings = found.warnings
        } catch {
            discoveryWarnings = ["\(error)"]
        }
    }

    /// The libiio context of the configured source; nil for a recording or a simulation.
    var uri: String? { if case .iio(let uri) = configuration.source { uri } else { nil } }

    /// The accelerometer that the daemon chooses: not the base's, an input device only without another one.
    var accelerometer: (any SensorDevice)? {
        let candidates = accelerometers.filter { $0.description.mounting?.location != .base }
        return candidates.first { !$0.description.isSubstitute } ?? candidates.first
    }

    /// The account of the daemon, also while it does not run; nil if that user does not exist.
    var account: Account? { owner?.user.map(Account.ofUser) ?? .named("orientd") }

    /// Why the daemon cannot be queried; nil if it can be.
    var daemonSilence: String? {
        guard bus != nil else { return busProblem }
        return daemonProblem.map { $0.isServiceMissing ? CommandError.notRunning : CommandError($0).message }
    }
}
