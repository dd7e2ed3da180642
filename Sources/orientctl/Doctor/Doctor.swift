// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl doctor`: looks at all that turning the interface needs, and says what is wrong and what mends it.
enum Doctor {
    static let command = Command(
        "doctor [--json] [--report FILE]",
        options: [.init("report", "r", takesValue: true)]
    ) { invocation throws(CommandError) in
        let path = invocation.value(of: "report")
        guard path != "-" || !invocation.isJSON else {
            throw CommandError("--report=- prints the report, which is not JSON", .usage)
        }
        // Before all else: a file that cannot be written is no reason to wait.
        let file: OutputFile? = if let path { try DoctorReport.create(path) } else { nil }
        let surroundings = Surroundings(invocation)
        let readings = Readings(surroundings, seconds: path == nil ? 2 : 5)
        guard !readings.isInterrupted else { throw CommandError("interrupted") }
        let findings =
            HardwareChecks(surroundings).findings + ReadingChecks(surroundings, readings).findings
            + ServiceChecks(surroundings).findings
        if let file { try DoctorReport(surroundings, readings, findings).write(to: file) }
        if path != "-" {
            let isTerminal = Terminal.isOutput
            try emit(findings.map { invocation.isJSON ? $0.json.line : $0.line(isStyled: isTerminal) })
        }
        return findings.contains { $0.verdict == .fail } ? .failed : .done
    }
}

/// What the checks have to go by, each part whether or not there are the others.
struct Surroundings {
    let address: BusAddress
    let configuration: Configuration

    /// What is wrong in orientd.conf.
    let configurationWarnings: [String]

    /// What orientd.conf says, but for applications.
    let assignments: [String]

    /// The accelerometers that the configured source offers, and why others, or all, are not among them.
    private(set) var accelerometers: [any SensorDevice] = []
    private(set) var discoveryWarnings: [String] = []

    /// Nil where the bus cannot be reached.
    let bus: Bus?
    let busProblem: String
    private(set) var owner: NameOwner?
    private(set) var snapshot: ManagerSnapshot?
    private(set) var sensors: [(path: String, status: SensorStatus)] = []

    /// Why nothing is known from the daemon.
    private(set) var daemonProblem: BusError?

    init(_ invocation: Invocation) {
        address = invocation.bus
        let reader = ConfigurationReader()
        do throws(SystemError) {
            try reader.read(ConfigurationReader.standardPath, isRequired: false)
            configurationWarnings = reader.warnings
        } catch {
            configurationWarnings = reader.warnings + ["\(error)"]
        }
        configuration = reader.configuration
        assignments = reader.assignments
        do throws(CommandError) {
            bus = try invocation.connect()
            busProblem = ""
        } catch {
            bus = nil
            busProblem = error.message
        }
        askDaemon()
        discover()
    }

    private mutating func askDaemon() {
        guard let bus else { return }
        // One that hangs is a finding, and nobody has to wait for it as long as a client would.
        let usual = bus.patience
        bus.patience = 10
        defer { bus.patience = usual }
        let client = OrientationClient(bus: bus)
        do throws(BusError) {
            // This starts it where the bus can do so, as every client does.
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

    /// Where the configured source finds sensors; nil for a recording or a simulation.
    var uri: String? {
        if case .iio(let uri) = configuration.source { uri } else { nil }
    }

    /// The accelerometer that decides, by the daemon's rule: not the base's, an input device only for want of another.
    var accelerometer: (any SensorDevice)? {
        let candidates = accelerometers.filter { $0.description.mounting?.location != .base }
        return candidates.first { !$0.description.isSubstitute } ?? candidates.first
    }

    /// Who the daemon runs as, or will; nil where that user is not there.
    var account: Account? {
        if let user = owner?.user { Account(user: user) } else { Account(named: "orientd") }
    }

    /// Why the daemon cannot be asked; nil where it can be.
    var silence: String? {
        guard bus != nil else { return busProblem }
        return daemonProblem.map { CommandError($0).message }
    }
}
