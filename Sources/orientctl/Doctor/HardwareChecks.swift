// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The checks of the kernel and udev: drivers, device nodes, mount matrices.
enum HardwareChecks {
    // MARK: - Drivers

    static func kernel(_ system: SystemState) -> [Finding] {
        [drivers(system)] + system.discoveryWarnings.map { .warn($0) } + SensorPlaces.findings(system)
    }

    private static func drivers(_ system: SystemState) -> Finding {
        guard system.configuration.source.uri != nil else {
            if case .replay(let path) = system.configuration.source {
                return .warn("not checked: the source in orientd.conf is the trace \(path)")
            }
            return .warn("not checked: the source in orientd.conf is a simulation")
        }
        let all = system.accelerometers.map(described).joined(separator: ", ")
        if system.accelerometer != nil { return .ok(all) }
        if let first = system.accelerometers.first {
            if let lost = system.lostAccelerometer {
                let text = "\(lost.name) of the display is lost: \(lost.lastError); there is \(all)"
                return .fail(text, remedy: .command("sudo journalctl -k -b"))
            }
            let device = try? Device(syspath: first.description.sysfsPath)
            return noneInDisplay(all, isMarked: device?.property(locationProperty) != nil) {
                device.flatMap(HwdbEntry.match).map { .markDisplay($0, first.description.sysfsPath) } ?? .none
            }
        }
        if let other = system.sensors.first(where: { $0.status.state != .lost || $0.status.mode == .replay })?.status {
            if (try? SensorCore.nodes)?.contains(where: { $0.syspath == other.sysfsPath }) == true {
                return .ok("\(other.name) of Qualcomm's sensor core")
            }
            let mode = other.mode == .simulation ? "" : " (\(other.mode))"
            let problem = other.lastError.isEmpty ? "" : ": \(other.lastError)"
            return .warn("no accelerometer in this machine; orientd uses \(other.name)\(mode)\(problem)")
        }
        var hubs = SensorHubs.ofThisMachine
        hubs.core = system.core?.stage
        return hubs.finding ?? SensorHubs.otherFinding
    }

    /// udev's property of the place of an accelerometer, from its rules or hwdb.
    private static let locationProperty = "ACCEL_LOCATION"

    /// Explains that all accelerometers are in the base; `isMarked` is whether udev says so of the first.
    static func noneInDisplay(_ all: String, isMarked: Bool, _ mark: () -> Remedy) -> Finding {
        let text = "no accelerometer in the display: \(all)"
        let doubt = "udev says \(locationProperty)=base; only if that is wrong, a record in hwdb corrects it"
        // Loading drivers brings no sensor whose driver is loaded.
        return isMarked ? .fail("\(text): \(doubt)", remedy: mark()) : .fail(text, remedy: .loadDrivers)
    }

    private static func described(_ sensor: any SensorDevice) -> String {
        let description = sensor.description
        let place = description.mounting?.location ?? .unknown
        let driver = (try? Device(syspath: description.sysfsPath))?.parent?.property("DRIVER")
        let details = [place == .unknown ? nil : place.name, driver.map { "driver \($0)" }].compactMap { $0 }
        let suffix = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        return "\(description.name) at \(description.id)\(suffix)"
    }

    // MARK: - Permissions

    struct Needed: Hashable {
        let path: String
        let use: FileAccess.Use
        /// Whether the sensor cannot be read without it.
        let isVital: Bool
    }

    static func node(_ sensor: any SensorDevice, _ system: SystemState) -> [Finding] {
        let description = sensor.description
        guard !description.sysfsPath.isEmpty else { return [.ok("none: the sensor belongs to another machine")] }
        guard let account = system.account else {
            let remedy = isInstalled("sysusers.d/orientd.conf") ? Remedy.createUser : .install
            return [.fail("the user orientd does not exist", remedy: remedy)]
        }
        var missing: [String] = []
        var refused: [Needed] = []
        var found = 0
        for file in needed(description) {
            do throws(SystemError) {
                if !(try FileAccess(of: file.path)).allows(file.use, to: account) { refused.append(file) }
                found += 1
            } catch {
                // No sensor has all of the attributes.
                if error.errno != .notFound || file.path == description.devicePath { missing.append("\(error)") }
            }
        }
        let remedy = remedy(byRules: description.isSubstitute ? .applyInputRules : .applySensorRules)
        return [node(missing: missing, refused: refused, of: found, account: account.name, remedy: remedy)]
            + (holder(of: description, system).map { [$0] } ?? [])
    }

    static func node(missing: [String], refused: [Needed], of count: Int, account: String, remedy: Remedy) -> Finding {
        if let first = refused.first(where: { $0.isVital }) ?? refused.first {
            let others = refused.count > 1 ? " and \(refused.count - 1) more" : ""
            let text = "\(account) may not \(first.use == .read ? "read" : "write") \(first.path)\(others)"
            // Values are readable by everybody unless somebody changed that; no udev rule restores it.
            let isValue = first.use == .read && first.path.begins(with: "/sys/")
            let remedy = isValue ? .change("sudo chmod a+r \(first.path)") : remedy
            return refused.contains { $0.isVital }
                ? .fail(text, remedy: remedy)
                : .warn(text + ": some settings of the sensor cannot be changed", remedy: remedy)
        }
        if let first = missing.first { return .warn(first, remedy: remedy) }
        return .ok("\(account) may use all \(count) files of the sensor")
    }

    /// Names the program that has the device open: orientd cannot read the buffer meanwhile.
    private static func holder(of description: SensorDescription, _ system: SystemState) -> Finding? {
        guard description.canBuffer else { return nil }
        let status = (try? system.readings.daemon?.get())?.sensor ?? system.sensors.first?.status
        // orientd has it open itself.
        if status?.mode == .buffer, status?.state == .sampling { return nil }
        let holders = DeviceHolders(of: description.devicePath, except: system.owner?.process)
        let isBusy = system.readings.isBusy || status?.lastError.includes("busy") == true
        return holder(of: description.devicePath, holders, isBusy: isBusy)
    }

    /// Names the programs that have a node open; `isBusy` is whether one must have, as the kernel said so.
    static func holder(of path: String, _ holders: DeviceHolders, isBusy: Bool) -> Finding? {
        if !holders.names.isEmpty {
            let names = holders.names.joined(separator: ", ")
            return .warn("\(names) has \(path) open, which one program at a time can: orientd cannot use the buffer")
        }
        guard isBusy, !holders.isComplete else { return nil }
        return .warn("another user's program uses \(path); as root, this names it", remedy: .asRoot)
    }

    /// The files of a sensor that the daemon uses if they exist.
    static func needed(_ description: SensorDescription) -> [Needed] {
        guard !description.isSubstitute else {
            return [Needed(path: description.devicePath, use: .read, isVital: true)]
        }
        func files(_ names: [String], _ use: FileAccess.Use, isVital: Bool) -> [Needed] {
            names.map { Needed(path: "\(description.sysfsPath)/\($0)", use: use, isVital: isVital) }
        }
        let channels = ["x", "y", "z"].map { "in_accel_\($0)" }
        let values = channels.flatMap { [$0 + "_raw", $0 + "_input"] }
        let rates = (["in_accel", "in"] + channels).map { $0 + "_sampling_frequency" } + ["sampling_frequency"]
        let needed = files(values, .read, isVital: true) + files(rates, .write, isVital: false)
        guard description.canBuffer else { return needed }
        let buffer = ["buffer/enable", "buffer/length", "trigger/current_trigger", "current_timestamp_clock"]
        let scans = buffer + channels.map { "scan_elements/\($0)_en" }
        // Without its buffer a sensor is polled if possible.
        let isVital = !description.canPoll
        return needed + [Needed(path: description.devicePath, use: .readAndWrite, isVital: isVital)]
            + files(scans, .write, isVital: isVital)
    }

    /// Returns whether one of our files is in a folder that systemd and udev read.
    static func isInstalled(_ path: String) -> Bool {
        ["/etc", "/run", "/usr/local/lib", "/usr/lib"].contains { access("\($0)/\(path)", F_OK) == 0 }
    }

    /// Returns a command that applies orientd's rules for udev, or installs them.
    static func remedy(byRules remedy: Remedy) -> Remedy {
        isInstalled("udev/rules.d/80-orientd.rules") ? remedy : .install
    }

    // MARK: - Scale

    static func scale(_ sensor: any SensorDevice, _ system: SystemState) -> [Finding] {
        let warnings = sensor.warnings.filter { !isAboutMounting($0) }
        let description = sensor.description
        if warnings.isEmpty, !description.hasScale {
            return [.ok("not told by the driver: orientd takes what the sensor reads at rest for 1 g")]
        }
        return warnings.isEmpty ? [scale(description.scale)] : warnings.map { .warn($0, remedy: .report) }
    }

    static func scale(_ scale: Vector3) -> Finding {
        let steps = [scale.x, scale.y, scale.z]
        let (least, most) = (steps.min() ?? 0, steps.max() ?? 0)
        let text = Set(steps).count == 1 ? "\(scale.x)" : steps.map { "\($0)" }.joined(separator: ", ")
        guard most <= least * 2 else {
            return .warn("the axes differ too much for one chip: \(text) m/s² per step", remedy: .report)
        }
        return .ok("\(text) m/s² per step")
    }

    // MARK: - Mounting

    /// Returns whether a warning of the discovery is about the mounting.
    private static func isAboutMounting(_ warning: String) -> Bool {
        ["ACCEL_MOUNT_MATRIX", "ACCEL_LOCATION", "mount_matrix"].contains { warning.includes($0) }
    }

    static func mountMatrix(_ sensor: any SensorDevice, _ system: SystemState) -> [Finding] {
        var findings = sensor.warnings.filter(isAboutMounting).map { Finding.warn($0, remedy: .calibrate) }
        var machine = system.configuration.machine
        // Without the display's, the usual orientation is checked.
        try? machine.adaptToDisplay()
        if isUpsideDown(system.snapshot?.status, machine, system.readings.samples) {
            let text = "the sensor reads upside down while the device is used as a laptop, which stands upright"
            findings.append(.warn(text, remedy: .calibrate))
        }
        let source = sensor.description.mounting?.matrixSource ?? ""
        return findings + [mountMatrix(system.configuration.frame(of: sensor.description), source: source)]
    }

    /// Returns whether readings at rest have the panel's own bottom up while a switch says laptop and the lid is open.
    static func isUpsideDown(
        _ status: ManagerStatus?,
        _ machine: MachineConfiguration,
        _ samples: [AccelerometerSample]
    ) -> Bool {
        guard let status, (status.tabletModeSource, status.tabletMode) == (.switch, .laptop),
            !status.isSwitchContradicted, status.interfaceRule != .paused,
            machine.laptopEdge == .portrait,
            (machine.laptopOrientation?.device ?? status.naturalOrientation) == status.naturalOrientation,
            let readings = ReadingChecks.Statistics(samples), readings.spread <= ReadingChecks.Statistics.motion
        else { return false }
        return readings.mean.y > 0.7
    }

    static func mountMatrix(_ frame: SensorFrame, source: String) -> Finding {
        let matrix = frame.matrix
        let sign = frame.faceUpReason.map { "; face up reads \($0.words(frame.faceUp))" } ?? ""
        if source.isEmpty { return .ok("none set: the sensor's axes are used as the display's" + sign) }
        let text = HwdbEntry.text(of: matrix) + " from " + source + sign
        let usual = 0.9...1.1
        let lengths = [matrix.x.magnitude, matrix.y.magnitude, matrix.z.magnitude]
        guard lengths.allSatisfy(usual.contains), usual.contains(abs(matrix.determinant)) else {
            return .warn("neither a rotation nor a reflection: " + text, remedy: .calibrate)
        }
        return .ok(text)
    }

    static func hwdb(_ sensor: any SensorDevice, _ system: SystemState) -> [Finding] {
        guard let device = try? Device(syspath: sensor.description.sysfsPath) else {
            return [.warn("cannot be checked: the sensor is not a device of this machine")]
        }
        let sources = MatrixSources(of: device)
        let used = sensor.description.mounting?.matrixSource ?? ""
        if let hwdb = sources.hwdb, !used.begins(with: HwdbEntry.property) {
            let instead = used.isEmpty ? "the identity" : used
            return [.warn("\(HwdbEntry.property)=\(hwdb) is not usable: \(instead) is used", remedy: .calibrate)]
        }
        let own = (try? FileDescriptor.contents(of: HwdbEntry.standardPath)) ?? []
        return [hwdb(sources, isLocal: HwdbEntry.isMatrix(sources.hwdb ?? "", in: own))]
    }

    /// Compares hwdb's matrix with the kernel's; `isLocal` is whether hwdb's is the administrator's own.
    static func hwdb(_ sources: MatrixSources, isLocal: Bool) -> Finding {
        guard let hwdb = sources.hwdb else {
            let counts = sources.kernel == nil ? "" : ": the kernel's matrix is used"
            return .ok("no \(HwdbEntry.property)\(counts)")
        }
        let text = "\(HwdbEntry.property)=\(hwdb)"
        guard let kernel = sources.kernel, sources.areInConflict else { return .ok(text) }
        return isLocal
            ? .ok("\(text) from \(HwdbEntry.standardPath) is used instead of the kernel's \(kernel)")
            : .warn("\(text) is used, but the kernel's matrix differs: \(kernel)", remedy: .calibrate)
    }
}
