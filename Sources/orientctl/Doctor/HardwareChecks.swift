// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The checks of what the kernel and udev offer: drivers, nodes, the mounting, the tablet switch.
struct HardwareChecks {
    // Rules that were read before there was the user orientd give nobody anything, and `udevadm control --reload` of
    // systemd 252 does not read again what has not changed.
    private static let reload = "sudo systemctl restart systemd-udevd"
    private static let trigger = reload + "; sudo udevadm trigger --subsystem-match=iio --action=add --settle"
    private static let inputTrigger =
        reload + "; sudo udevadm trigger --subsystem-match=input --property-match=ID_INPUT_ACCELEROMETER=1"
        + " --action=change --settle"

    private static let switchTrigger =
        reload
        + "; sudo udevadm trigger --subsystem-match=input --property-match=ID_INPUT_SWITCH=1 --action=change --settle"

    // The bus has passed over the rules of a user that there was not when it read them.
    private static let makeUser = "sudo systemd-sysusers; sudo systemctl reload dbus"

    /// Has udev load the drivers of all devices once more.
    private static let coldplug = "sudo systemctl restart systemd-udev-trigger"

    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    var findings: [Finding] {
        var findings = [kernel] + surroundings.discoveryWarnings.map { .warn("kernel", $0) }
        if let sensor = surroundings.accelerometer {
            findings += [node(sensor)] + scale(sensor) + mountMatrix(sensor) + [hwdb(sensor)]
        } else {
            let reason = "cannot be checked without an accelerometer"
            findings += ["node", "scale", "mount matrix", "hwdb"].map { .warn($0, reason) }
        }
        return findings + [tabletSwitch]
    }

    // MARK: - Drivers

    private var kernel: Finding {
        guard surroundings.uri != nil else {
            return .warn("kernel", "not looked at: orientd.conf names a source that is no sensor")
        }
        if surroundings.accelerometer != nil {
            return .ok("kernel", surroundings.accelerometers.map(described).joined(separator: ", "))
        }
        if !surroundings.accelerometers.isEmpty {
            let all = surroundings.accelerometers.map(described).joined(separator: ", ")
            return .fail("kernel", "no accelerometer in the display: \(all)", remedy: Self.coldplug)
        }
        if let other = surroundings.sensors.map(\.status).first(where: { $0.state != .lost }) {
            return .warn("kernel", "no accelerometer in this machine; orientd has \(other.name) (\(other.mode))")
        }
        return .fail(
            "kernel",
            "no accelerometer: none is in this machine, or its driver is missing",
            remedy: Self.coldplug
        )
    }

    private func described(_ sensor: any SensorDevice) -> String {
        let description = sensor.description
        let place = description.mounting?.location ?? .unknown
        let driver = (try? Device(syspath: description.sysfsPath))?.parent?.property("DRIVER")
        let details = [place == .unknown ? nil : place.name, driver.map { "driver \($0)" }].compactMap { $0 }
        return "\(description.name) at \(description.id)"
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }

    // MARK: - Permissions

    /// A file that the daemon uses.
    struct Needed: Hashable {
        let path: String
        let use: FileAccess.Use
        /// Whether nothing works without it.
        let isVital: Bool
    }

    private func node(_ sensor: any SensorDevice) -> Finding {
        let description = sensor.description
        guard !description.sysfsPath.isEmpty else { return .ok("node", "none: the sensor is another machine's") }
        guard let account = surroundings.account else {
            let remedy = Self.isInstalled("sysusers.d/orientd.conf") ? Self.makeUser : Remedy.install
            return .fail("node", "there is no user orientd to give it to", remedy: remedy)
        }
        var missing: [String] = []
        var refused: [Needed] = []
        var found = 0
        for file in Self.needed(description) {
            do throws(SystemError) {
                if !(try FileAccess(of: file.path)).allows(file.use, to: account) { refused.append(file) }
                found += 1
            } catch {
                // No sensor has all attributes that one can have.
                if error.errno != .notFound || file.path == description.devicePath { missing.append("\(error)") }
            }
        }
        return Self.node(
            missing: missing,
            refused: refused,
            of: found,
            account: account.name,
            remedy: !Self.isInstalled("udev/rules.d/80-orientd.rules")
                ? Remedy.install : description.isSubstitute ? Self.inputTrigger : Self.trigger
        )
    }

    static func node(
        missing: [String],
        refused: [Needed],
        of count: Int,
        account: String,
        remedy: String
    ) -> Finding {
        if let first = refused.first(where: \.isVital) ?? refused.first {
            let others = refused.count > 1 ? " and \(refused.count - 1) more" : ""
            let text = "\(account) may not \(first.use == .read ? "read" : "write") \(first.path)\(others)"
            // The kernel lets everybody read values, so that no rule of ours does.
            let remedy = first.use == .read && first.path.hasPrefix("/sys/") ? "sudo chmod a+r \(first.path)" : remedy
            return refused.contains(where: \.isVital)
                ? .fail("node", text, remedy: remedy)
                : .warn("node", text + ": the sensor cannot be set up as it should be", remedy: remedy)
        }
        if let first = missing.first { return .warn("node", first, remedy: remedy) }
        return .ok("node", "\(account) may use all \(count) files of the sensor")
    }

    /// What the daemon reads and writes of a sensor, as far as it is there.
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
        // Without its buffer it is polled, where it can be.
        let isVital = !description.canPoll
        return needed + [Needed(path: description.devicePath, use: .readAndWrite, isVital: isVital)]
            + files(scans, .write, isVital: isVital)
    }

    /// Says whether a file of ours is in one of the folders that systemd and udev read.
    private static func isInstalled(_ path: String) -> Bool {
        ["/etc", "/run", "/usr/local/lib", "/usr/lib"].contains { access("\($0)/\(path)", F_OK) == 0 }
    }

    // MARK: - Scale

    private func scale(_ sensor: any SensorDevice) -> [Finding] {
        let odd = sensor.warnings.filter { !Self.isAboutMounting($0) }
        guard odd.isEmpty else { return odd.map { .warn("scale", $0, remedy: Remedy.report) } }
        return [Self.scale(sensor.description.scale)]
    }

    static func scale(_ scale: Vector3) -> Finding {
        let steps = [scale.x, scale.y, scale.z]
        let least = steps.min() ?? 0
        let most = steps.max() ?? 0
        let text = Set(steps).count == 1 ? "\(scale.x)" : steps.map { "\($0)" }.joined(separator: ", ")
        guard most <= least * 2 else {
            return .warn(
                "scale",
                "the axes differ too much to be one chip's: \(text) m/s² a step",
                remedy: Remedy.report
            )
        }
        return .ok("scale", "\(text) m/s² a step")
    }

    // MARK: - Mounting

    /// Says whether a warning of the discovery is about how the sensor is built in.
    private static func isAboutMounting(_ warning: String) -> Bool {
        ["ACCEL_MOUNT_MATRIX", "ACCEL_LOCATION", "mount_matrix"].contains { warning.contains($0) }
    }

    private func mountMatrix(_ sensor: any SensorDevice) -> [Finding] {
        let odd = sensor.warnings.filter(Self.isAboutMounting)
        guard odd.isEmpty else { return odd.map { .warn("mount matrix", $0, remedy: Remedy.calibrate) } }
        guard let mounting = sensor.description.mounting else { return [] }
        return [Self.mountMatrix(mounting.matrix, source: mounting.matrixSource)]
    }

    /// Judges a matrix that the sensor's values go through.
    static func mountMatrix(_ matrix: MountMatrix, source: String) -> Finding {
        guard !source.isEmpty else {
            return .ok("mount matrix", "none: the sensor's axes are taken for the display's")
        }
        let text = HwdbEntry.text(of: matrix) + " by " + source
        let usual = 0.9...1.1
        let lengths = [matrix.x.magnitude, matrix.y.magnitude, matrix.z.magnitude]
        guard lengths.allSatisfy(usual.contains), usual.contains(abs(matrix.determinant)) else {
            return .warn("mount matrix", text + " does more than turn", remedy: Remedy.calibrate)
        }
        return .ok("mount matrix", text)
    }

    private func hwdb(_ sensor: any SensorDevice) -> Finding {
        let path = sensor.description.sysfsPath
        guard let device = try? Device(syspath: path) else {
            return .warn("hwdb", "cannot be looked at: the sensor is not a device of this machine")
        }
        let sources = MatrixSources(of: device)
        return Self.hwdb(sources, isLocal: sources.hwdb.map(HwdbFile.standard.hasMatrix) ?? false)
    }

    /// Judges hwdb's matrix beside the kernel's; `isLocal` tells that the administrator has decided for it.
    static func hwdb(_ sources: MatrixSources, isLocal: Bool) -> Finding {
        guard let hwdb = sources.hwdb else {
            let counts = sources.kernel == nil ? "" : ": the kernel's matrix counts"
            return .ok("hwdb", "no \(HwdbEntry.property)\(counts)")
        }
        let text = "\(HwdbEntry.property)=\(hwdb)"
        guard AttributeText.matrixRows(hwdb) != nil else {
            return .warn("hwdb", "\(text) is no mount matrix", remedy: Remedy.calibrate)
        }
        guard let kernel = sources.kernel, sources.areInConflict else { return .ok("hwdb", text) }
        guard isLocal else {
            return .warn(
                "hwdb",
                "\(text) counts, and the kernel's is another: \(kernel)",
                remedy: Remedy.calibrate
            )
        }
        return .ok("hwdb", "\(text) by \(HwdbEntry.standardPath) counts, and not the kernel's \(kernel)")
    }

    // MARK: - Tablet switch

    private var tabletSwitch: Finding {
        var switches: [String] = []
        do throws(SystemError) {
            for node in try Device.all(inSubsystem: "input", named: "event*") {
                guard EventNode.switches(of: node).contains(.tabletMode), let path = node.devnode else { continue }
                if let account = surroundings.account, !(try FileAccess(of: path)).allows(.read, to: account) {
                    return .warn(
                        "tablet switch",
                        "\(account.name) may not read \(path)",
                        remedy: Self.isInstalled("udev/rules.d/80-orientd.rules") ? Self.switchTrigger : Remedy.install
                    )
                }
                switches.append("\(node.parent?.attribute("name") ?? node.name) at \(node.name)\(Self.state(path))")
            }
        } catch {
            return .warn("tablet switch", "\(error)")
        }
        return Self.tabletSwitch(
            switches,
            chassis: surroundings.configuration.machine.idiom?.name
                ?? surroundings.bus.flatMap { Chassis.name(over: $0) },
            hasHinge: surroundings.accelerometers.contains { $0.description.mounting?.location == .base },
            status: surroundings.snapshot?.status
        )
    }

    /// Judges the tablet switches there are; `hasHinge` tells of a second accelerometer, in the base.
    static func tabletSwitch(
        _ switches: [String],
        chassis: String?,
        hasHinge: Bool,
        status: ManagerStatus?
    ) -> Finding {
        guard switches.isEmpty else { return .ok("tablet switch", switches.joined(separator: ", ")) }
        let mode = status.map { " (TabletMode \($0.tabletMode.name), Autorotate \($0.autorotate.name))" } ?? ""
        guard !hasHinge else { return .ok("tablet switch", "none: the accelerometer in the base tells\(mode)") }
        guard chassis == "convertible" || chassis == "laptop", status?.autorotate != .always else {
            return .ok("tablet switch", "none, and none is needed\(mode)")
        }
        return .warn(
            "tablet switch",
            "none, though the chassis is \(chassis ?? ""): nothing tells how it is used\(mode)",
            remedy: "orientctl autorotate always"
        )
    }

    /// What the switch of a node says, as the end of a text; nothing where this user may not read it.
    private static func state(_ path: String) -> String {
        guard let state = try? SwitchEvents(path).nextState() else { return "" }
        return state.contains(.tabletMode) ? ": tablet" : ": laptop"
    }
}
