// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The state of the configuration, the bus, the daemon and the sensors, each as far as it can be read.
struct SystemState {
    let address: BusAddress
    let configurationReader = ConfigurationReader<Configuration>()
    var configuration: Configuration { configurationReader.configuration }

    /// The accelerometers of the configured source, and why it has fewer or none.
    private(set) var accelerometers: [any SensorDevice] = []
    private(set) var discoveryWarnings: [String] = []
    /// The answers of this machine's sensor core of Qualcomm; nil without them.
    private(set) var core: SensorCoreProbe?
    /// The bus, or why it cannot be reached.
    let connection: Result<Bus, SystemError>
    var bus: Bus? { try? connection.get() }
    private(set) var owner: NameOwner?
    /// Whether the daemon was started with `--config`: then the configuration here is not its own.
    private(set) var hasOwnConfiguration = false
    private(set) var snapshot: ManagerSnapshot?
    /// What orientd said last: while the sensor was read, if it was.
    var status: ManagerStatus? { (try? readings.daemon?.get())?.status ?? snapshot?.status }
    private(set) var sensors: [ListedSensor] = []
    /// What kind of machine this is, by the configuration or else by hostnamed, which is asked each time.
    var chassis: String? { configuration.machine.idiom?.name ?? bus.flatMap { Chassis.name(over: $0) } }

    /// Why the daemon cannot be queried, if that is so.
    private(set) var daemonProblem = "orientd does not answer"
    /// Made before the checks, which judge them.
    let readings = Readings()

    init(_ invocation: Invocation) throws(CommandError) {
        address = try invocation.bus
        // A file that is not required is a warning at most.
        try systemCall(configurationReader.read(Configuration.standardPath, isRequired: false))
        connection = Result { [address] () throws(SystemError) in try Bus(address) }
        queryDaemon()
        discover()
    }

    private mutating func queryDaemon() {
        guard let bus else { return }
        // A daemon that hangs is a finding, not worth a client's full timeout.
        let timeout = bus.timeout
        bus.timeout = 10
        defer { bus.timeout = timeout }
        do throws(BusError) {
            // The bus starts the daemon where it can, as for every client.
            snapshot = try bus.readManager()
            sensors = try bus.readSensors()
        } catch {
            daemonProblem = error.isServiceMissing ? CommandError.notRunning : CommandError(error).message
        }
        owner = bus.owner(of: Names.service)
        guard let process = owner?.process else { return }
        let line = try? FileDescriptor.contents(of: "/proc/\(process)/cmdline", limit: 65536)
        // Also as --conf=FILE and -vc FILE.
        hasOwnConfiguration = (line?.split(separator: 0) ?? []).contains { argument in
            argument.first == UInt8(ascii: "-")
                && argument.drop { "-v".utf8.contains($0) }.first == UInt8(ascii: "c")
        }
    }

    /// An accelerometer that orientd has lost and that is gone, if it has no other one but in the base.
    var lostAccelerometer: SensorStatus? {
        let others = sensors.map { $0.status }.filter { $0.location != .base && !$0.sysfsPath.isEmpty }
        let present = accelerometers.map { $0.description.sysfsPath }
        return others.allSatisfy { $0.state == .lost && !present.contains($0.sysfsPath) } ? others.first : nil
    }

    /// An accelerometer of the base that orientd has lost, if it has no other one there.
    var lostBase: SensorStatus? {
        let all = sensors.map { $0.status }.filter { $0.location == .base }
        return all.allSatisfy { $0.state == .lost } ? all.first : nil
    }

    private mutating func discover() {
        guard let uri = configuration.source.uri else { return }
        do throws(SystemError) {
            // All kinds are described, as any device can hang.
            let (found, unanswered) = try SensorSearch.once(at: uri)
            accelerometers = found.sensors.filter { $0.description.kind == .accelerometer }
            discoveryWarnings = found.warnings + unanswered.map { $0.problem }
        } catch {
            discoveryWarnings = ["\(error)"]
        }
        guard configuration.source.isLocal, let nodes = try? SensorCore.nodes, !nodes.isEmpty else { return }
        do throws(SystemError) {
            core = try SensorCoreProbe(seconds: 3)
            guard core?.isImitated == true else { return }
            discoveryWarnings.append("a program of this machine imitates Qualcomm's sensor core")
        } catch {
            discoveryWarnings.append("Qualcomm's sensor core cannot be asked: \(error)")
        }
    }

    /// The one that orientd reads, or else would read.
    var accelerometer: (any SensorDevice)? {
        // Of a lost one, the device may be in another place now. Those of another machine have no path.
        guard let used = (try? readings.daemon?.get())?.sensor, used.state == .sampling, !used.sysfsPath.isEmpty,
            let found = accelerometers.first(where: { $0.description.sysfsPath == used.sysfsPath })
        else { return accelerometers.accelerometer }
        return found
    }

    /// The account of the daemon, also while it does not run; nil if that user does not exist.
    var account: Account? { owner?.user.map(Account.ofUser) ?? .named("orientd") }
}
