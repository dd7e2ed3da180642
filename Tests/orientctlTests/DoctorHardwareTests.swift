// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import OrientationSensors
import SystemdBus
import Testing

@testable import orientctl

@Suite struct DoctorHardwareTests {
    @Test(arguments: [
        (owner: 0, group: 7, permissions: 0o660, groups: [7], allowed: true),
        (0, 7, 0o660, [8], false), (0, 7, 0o640, [7], false), (5, 7, 0o600, [7], true), (0, 7, 0o606, [8], true),
        // The group's permissions do not apply to the owner.
        (5, 7, 0o060, [7], false),
    ])
    func `an account may use a file by the permissions of the first class it belongs to`(
        owner: UInt32,
        group: UInt32,
        permissions: UInt32,
        groups: [UInt32],
        allowed: Bool
    ) {
        let access = FileAccess(owner: owner, group: group, permissions: permissions)
        let account = Account(name: "orientd", user: 5, groups: groups)
        #expect(access.allows(.readAndWrite, to: account) == allowed)
        #expect(access.allows(.readAndWrite, to: Account(name: "root", user: 0, groups: [])))
    }

    private func node(missing: [String] = [], refused: [HardwareChecks.Needed] = []) -> Finding {
        HardwareChecks.node(missing: missing, refused: refused, of: 3, account: "orientd", remedy: .command("trigger"))
    }

    @Test func `an unusable file is a failure if the sensor needs it, and otherwise a warning`() {
        let value = HardwareChecks.Needed(path: "/sys/raw", use: .read, isVital: true)
        let rate = HardwareChecks.Needed(path: "/sys/rate", use: .write, isVital: false)
        #expect(node() == .ok("orientd may use all 3 files of the sensor"))
        #expect(
            node(refused: [rate, value])
                == .fail("orientd may not read /sys/raw and 1 more", remedy: .change("sudo chmod a+r /sys/raw"))
        )
        #expect(node(refused: [rate]).verdict == .warn)
        #expect(node(refused: [rate]).remedy == .command("trigger"))
        #expect(node(missing: ["cannot stat /dev/x: No such file or directory"]).verdict == .warn)
    }

    @Test func `axes with very different scales are a warning`() {
        #expect(HardwareChecks.scale(Vector3(0.01, 0.01, 0.01)) == .ok("0.01 m/s² per step"))
        #expect(HardwareChecks.scale(Vector3(0.01, 0.012, 0.018)).verdict == .ok)
        #expect(HardwareChecks.scale(Vector3(0.01, 0.01, 0.1)).verdict == .warn)
    }

    // The remedy loaded drivers again, whose sensor was there.
    @Test func `a sensor that hwdb has in the base can be marked as the display's`() {
        let mark = Remedy.markDisplay("sensor:modalias:platform:lis3lv02d:*", "/sys/devices/event3")
        let marked = HardwareChecks.noneInDisplay("ST at event3 (base)", isMarked: true) { mark }
        #expect(marked.verdict == .fail && marked.remedy == mark)
        let command = mark.command(on: .system)
        #expect(
            command.hasPrefix(#"printf '\n%s\n ACCEL_LOCATION=display\n' 'sensor:modalias:platform:lis3lv02d:*' | "#)
        )
        let other = HardwareChecks.noneInDisplay("cros-ec-accel at iio:device0 (base)", isMarked: false) { mark }
        #expect(other.remedy == .loadDrivers)
    }

    @Test func `the program that has the device open is named, or how to find it`() {
        func finding(_ names: [String], isComplete: Bool = true, isBusy: Bool) -> Finding? {
            HardwareChecks.holder(of: "/dev/x", DeviceHolders(names: names, isComplete: isComplete), isBusy: isBusy)
        }
        #expect(finding([], isBusy: false) == nil && finding([], isComplete: false, isBusy: false) == nil)
        #expect(finding(["game (process 7)"], isBusy: true)?.text.hasPrefix("game (process 7) has /dev/x open") == true)
        #expect(finding([], isComplete: false, isBusy: true)?.remedy == .asRoot)
    }

    @Test func `a mount matrix that is not a rotation or reflection is a warning`() {
        let source = "ACCEL_MOUNT_MATRIX"
        let mirrored = MountMatrix(rows: Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))
        let stretched = MountMatrix(rows: Vector3(0, 2, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))
        let skewed = MountMatrix(rows: Vector3(1, 0, 0), Vector3(0.7, 0.7, 0), Vector3(0, 0, 1))
        func finding(_ matrix: MountMatrix) -> Finding {
            let frame = SensorFrame(matrix: matrix, faceUp: .negativeZ, faceUpReason: .matrix)
            return HardwareChecks.mountMatrix(frame, source: source)
        }
        let text = "0, 1, 0; 1, 0, 0; 0, 0, 1 from \(source); face up reads -z, from the matrix"
        #expect(finding(mirrored) == .ok(text))
        #expect(finding(stretched).verdict == .warn)
        #expect(finding(skewed).verdict == .warn)
        let none = SensorFrame(faceUpReason: .driver)
        let suffix = "; face up reads +z, from the driver, no matrix"
        #expect(
            HardwareChecks.mountMatrix(none, source: "")
                == .ok("none set: the sensor's axes are used as the display's" + suffix)
        )
    }

    private typealias Unknown = SensorPlaces.Unknown

    @Test func `accelerometers of unknown place come with the lines of hwdb that mark them`() {
        let first = Unknown(name: "a at iio:device0", match: "sensor:modalias:acpi:A:*", parent: "i2c-A:00")
        let second = Unknown(name: "b at iio:device1", match: "sensor:modalias:i2c:b:*", parent: "1-0015")
        #expect(SensorPlaces.finding([]) == nil && SensorPlaces.finding([first]) == nil)
        let finding = SensorPlaces.finding([first, second])
        #expect(finding?.verdict == .warn)
        #expect(finding?.text.contains("a at iio:device0 is used as the display's") == true)
        let lines =
            "\"sensor:modalias:acpi:A:*\" \" ACCEL_LOCATION=display\", "
            + "\"sensor:modalias:i2c:b:*\" \" ACCEL_LOCATION=base\""
        #expect(finding?.text.hasSuffix(lines) == true)
    }

    @Test(arguments: ["sensor:modalias:acpi:A:*", nil])
    func `what hwdb cannot tell apart is marked by a rule of udev`(match: String?) {
        let sensors = ["i2c-A:00", "1-0015"].map { Unknown(name: "a", match: match, parent: $0) }
        let text = SensorPlaces.finding(sensors)?.text ?? ""
        #expect(text.contains("61-sensor-local.rules"))
        #expect(text.hasSuffix("'SUBSYSTEM==\"iio\", KERNELS==\"1-0015\", ENV{ACCEL_LOCATION}=\"base\"'"))
    }

    private static let straight = "1, 0, 0; 0, 1, 0; 0, 0, 1"
    private static let halfTurn = "-1, 0, 0; 0, -1, 0; 0, 0, 1"
    private static let quarterTurn = "0, 1, 0; -1, 0, 0; 0, 0, 1"

    @Test(arguments: [
        (hwdb: nil, kernel: nil, verdict: Finding.Verdict.ok), (nil, straight, .ok), (straight, nil, .ok),
        (straight, straight, .ok), (straight, quarterTurn, .warn), ("1, 0", straight, .ok),
        // The same mounting by the convention of the kernel's documentation.
        (straight, halfTurn, .ok),
        // The drivers' default.
        (quarterTurn, straight, .ok),
        // Neither rounding nor the sign of z matters.
        (straight, "0.99, 0.02, 0; -0.02, 0.99, 0; 0, 0, 1", .ok), (straight, "1, 0, 0; 0, 1, 0; 0, 0, -1", .ok),
        // An invalid matrix of the kernel is ignored.
        (straight, "x", .ok),
    ])
    func `matrices of hwdb and the kernel that describe different mountings are a conflict`(
        hwdb: String?,
        kernel: String?,
        verdict: Finding.Verdict
    ) {
        let sources = MatrixSources(hwdb: hwdb, kernel: kernel)
        #expect(HardwareChecks.hwdb(sources, isLocal: false).verdict == verdict)
        #expect(sources.areInConflict == (verdict == .warn && hwdb == Self.straight))
    }

    @Test func `a conflict is no warning if the administrator set the matrix`() {
        let sources = MatrixSources(hwdb: Self.straight, kernel: Self.quarterTurn)
        #expect(HardwareChecks.hwdb(sources, isLocal: true).verdict == .ok)
    }

    @Test(arguments: [
        (chassis: nil, verdict: Finding.Verdict.ok), ("tablet", .ok), ("handset", .ok), ("convertible", .warn),
        ("laptop", .warn),
    ])
    func `a machine with a keyboard needs a tablet switch or a second accelerometer`(
        chassis: String?,
        verdict: Finding.Verdict
    ) {
        func finding(
            _ switches: [String] = [],
            virtual: Desktop.VirtualSwitch = .off(isMeasured: false),
            hasVirtual: Bool = false,
            status: ManagerStatus? = nil
        ) -> Finding {
            HardwareChecks.tabletSwitch(
                switches,
                chassis: chassis,
                virtual: virtual,
                hasVirtual: hasVirtual,
                status: status
            )
        }
        #expect(finding().verdict == verdict)
        #expect(finding(virtual: .off(isMeasured: true)).verdict == .ok)
        let follows = Finding.ok("orientd's own, which follows the angle of the hinge")
        #expect(finding(virtual: .on(isMeasured: true), hasVirtual: true) == follows)
        let missing = finding(virtual: .on(isMeasured: true), status: ManagerStatus(naturalOrientation: .portrait))
        #expect(missing.text.hasPrefix("none, in spite of TabletSwitch=yes (") && missing.remedy == .showSwitch)
        #expect(finding(virtual: .on(isMeasured: true)).remedy == .none)
        #expect(finding(["switches"]) == .ok("switches"))
        let set = finding(virtual: .on(isMeasured: false))
        let addition = "; TabletSwitch=yes below [Tablet] adds one that 'orientctl tablet-mode' sets"
        #expect(finding().text == set.text + addition)
        if verdict == .warn {
            #expect(finding().remedy == .configure && set.remedy == .orientctl("tablet-mode tablet"))
        }
    }

    @Test(arguments: ["convertible", "detachable", "laptop", "tablet", "desktop", nil])
    func `a machine with a keyboard may have a virtual tablet switch`(chassis: String?) {
        let hasKeyboard = chassis != nil && chassis != "tablet" && chassis != "desktop"
        let unset = Desktop.VirtualSwitch(nil, chassis: chassis, isWanted: false)
        #expect(unset == (hasKeyboard ? .off(isMeasured: false) : .impossible))
        let wanted = Desktop.VirtualSwitch(nil, [.base], chassis: chassis, isWanted: true)
        #expect(wanted == .on(isMeasured: false), "the angle needs a sensor of the display, too")
        #expect(Desktop.VirtualSwitch(nil, [.base, .unknown], chassis: chassis, isWanted: false).isMeasured)
        let hinge = Desktop.VirtualSwitch(.hinge, chassis: chassis, isWanted: true)
        #expect(hinge == .on(isMeasured: true))
        let byHand = Desktop.VirtualSwitch(.override, chassis: chassis, isWanted: true)
        #expect(byHand == .on(isMeasured: false))
    }

    @Test(arguments: [
        (mode: TabletMode.laptop, angle: 250.0, isReported: false, isDoubtful: true), (.laptop, 230, false, false),
        (.tablet, 110, false, true), (.tablet, 130, false, false), (.tablet, -1, false, false),
        (.unknown, 250, false, false), (.unknown, -1, true, true),
    ])
    func `a switch may be wrong if the hinge contradicts it`(
        mode: TabletMode,
        angle: Double,
        isReported: Bool,
        isDoubtful: Bool
    ) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        (status.hingeAngle, status.isSwitchContradicted) = (angle, isReported)
        let finding = HardwareChecks.tabletSwitch(["switch"], mode, chassis: nil, virtual: .impossible, status: status)
        #expect(finding.verdict == (isDoubtful ? .warn : .ok), "\(finding.text)")
        #expect(!finding.text.contains("-1"))
    }

    @Test(
        arguments: [
            ("tablet", .tabletMode, true), ("laptop", .tabletMode, true), ("convertible", .tabletMode, false),
            (nil, .tabletMode, false), ("tablet", .always, false),
        ] as [(String?, AutorotateMode, Bool)]
    )
    func `it says that the switch counts more than the chassis`(chassis: String?, mode: AutorotateMode, isSaid: Bool) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.autorotate = mode
        let words = "; Autorotate follows it, not the chassis type \(chassis ?? "")"
        // Without a hinge that contradicts it, nobody else knows that a switch is stuck.
        for (said, state) in [(TabletMode.laptop, "folded"), (.tablet, "not folded"), (.unknown, "")] {
            let isDoubtful = mode == .tabletMode && said != .unknown
            let hint = isDoubtful ? "; if it is \(state) back, IgnoreTabletSwitch=NAME ignores it" : ""
            let finding = HardwareChecks.tabletSwitch(
                ["name"],
                said,
                chassis: chassis,
                virtual: .impossible,
                status: status
            )
            #expect(finding == .ok("name" + (isSaid ? words : "") + hint))
        }
    }

    @Test(arguments: [TabletMode.laptop, .tablet], [true, false])
    func `a mode that was set by hand is named, and that of a laptop is a problem if something else tells it`(
        mode: TabletMode,
        isMeasured: Bool
    ) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        (status.tabletMode, status.tabletModeSource) = (mode, .override)
        func finding(_ virtual: Desktop.VirtualSwitch, hasVirtual: Bool = false) -> Finding {
            HardwareChecks.tabletSwitch([], chassis: nil, virtual: virtual, hasVirtual: hasVirtual, status: status)
        }
        let words = "; the tablet mode is set by hand (TabletMode \(mode.name), Autorotate always)"
        let remedy = Remedy.orientctl("tablet-mode auto")
        let isProblem = mode == .laptop && isMeasured
        func expected(_ found: String) -> Finding { isProblem ? .warn(found, remedy: remedy) : .ok(found) }
        #expect(finding(.off(isMeasured: isMeasured)) == expected("none" + words))
        let own = finding(.on(isMeasured: isMeasured), hasVirtual: true)
        #expect(own == expected("orientd's own" + words))
        status.hingeAngle = 90
        let byAngle = finding(.off(isMeasured: false)).verdict
        #expect(byAngle == (mode == .laptop ? .warn : .ok))
        let missing = finding(.on(isMeasured: isMeasured))
        #expect(missing == .warn("none, in spite of TabletSwitch=yes" + words, remedy: .showSwitch))
    }

    @Test(arguments: [(AutorotateMode.tabletMode, true), (.never, false)])
    func `an unknown tablet mode counts as a tablet where the mode is tablet-mode`(mode: AutorotateMode, counts: Bool) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.autorotate = mode
        let finding = HardwareChecks.tabletSwitch([], chassis: "convertible", virtual: .impossible, status: status)
        #expect(finding.verdict == .warn)
        #expect(finding.text.contains("it counts as a tablet") == counts)
        status.tabletModeSource = .accelerometers
        let measured = HardwareChecks.tabletSwitch([], chassis: "convertible", virtual: .impossible, status: status)
        #expect(measured.verdict == .ok)
    }

    @Test(arguments: [(AutorotateMode.tabletMode, false), (.tabletMode, true), (.never, false)])
    func `where orient-agent turns the display, a switch is needed for the keyboard only`(
        mode: AutorotateMode,
        isWanted: Bool
    ) {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.autorotate = mode
        let virtual = isWanted ? Desktop.VirtualSwitch.on(isMeasured: false) : .off(isMeasured: false)
        let finding = HardwareChecks.tabletSwitch(
            [],
            chassis: "convertible",
            virtual: virtual,
            isRotated: true,
            status: status
        )
        let isLaptop = mode == .never
        #expect(finding.verdict == (isLaptop ? .warn : .ok))
        #expect(finding.remedy == (isLaptop ? .orientctl("tablet-mode tablet") : .none))
        #expect(finding.text.hasSuffix("is needed only to turn the keyboard off") == !isWanted)
    }

    @Test func `a measurable hinge comes with the advice to make it a switch`() {
        let finding = HardwareChecks.tabletSwitch(
            [],
            chassis: "convertible",
            virtual: .off(isMeasured: true),
            status: nil
        )
        #expect(finding.text.contains("TabletSwitch=yes"))
        // The desktop's finding has the remedy.
        #expect(finding.remedy == .none)
    }

    // MARK: - A sensor that reads upside down

    @Test func `keyboards that count are named`() {
        let setting = "none, but TabletWithoutKeyboard=yes; "
        #expect(HardwareChecks.tabletMode(by: []) == .ok(setting + "no keyboard: a tablet"))
        #expect(HardwareChecks.tabletMode(by: ["Type Cover", "Pogo"]) == .ok(setting + "Type Cover, Pogo: a laptop"))
    }

    @Test(arguments: [
        (TabletMode.laptop, RotationRule.fixed, Vector3(0, -1, 0), true),
        (.laptop, .fixed, Vector3(0, -0.8, 0.6), true),
        (.laptop, .fixed, Vector3(0, 1, 0), false),
        // On its back or on its side.
        (.laptop, .fixed, Vector3(0, 0, 1), false), (.laptop, .fixed, Vector3(1, 0, 0), false),
        // A tent, a device without a switch, a closed lid.
        (.tablet, .fixed, Vector3(0, -1, 0), false), (.unknown, .fixed, Vector3(0, -1, 0), false),
        (.laptop, .paused, Vector3(0, -1, 0), false),
    ])
    func `a laptop whose sensor is upside down has a wrong mount matrix`(
        mode: TabletMode,
        rule: RotationRule,
        force: Vector3,
        isUpsideDown: Bool
    ) {
        var status = ManagerStatus(naturalOrientation: .landscapeLeft)
        var machine = MachineConfiguration()
        (status.tabletMode, status.tabletModeSource, status.interfaceRule) = (mode, .switch, rule)
        let standard = AccelerometerSample.standardGravity
        let rest = (0..<10).map { AccelerometerSample(time: Double($0), acceleration: force * standard) }
        #expect(HardwareChecks.isUpsideDown(status, machine, rest) == isUpsideDown)
        let moving = rest.enumerated().map { index, sample in
            AccelerometerSample(time: sample.time, acceleration: sample.acceleration * (index % 2 == 0 ? 1.5 : 0.5))
        }
        #expect(!HardwareChecks.isUpsideDown(status, machine, moving))
        #expect(!HardwareChecks.isUpsideDown(status, machine, []))
        // The angle depends on the matrix, and a switch may be wrong.
        status.isSwitchContradicted = true
        #expect(!HardwareChecks.isUpsideDown(status, machine, rest))
        (status.isSwitchContradicted, machine.laptopOrientation) = (false, .portrait)
        #expect(!HardwareChecks.isUpsideDown(status, machine, rest))
        (status.tabletModeSource, machine.laptopOrientation) = (.accelerometers, nil)
        #expect(!HardwareChecks.isUpsideDown(status, machine, rest))
    }

    // MARK: - Sensor hubs

    private func text(_ change: (inout SensorHubs) -> Void) -> String? {
        var hubs = SensorHubs()
        change(&hubs)
        return hubs.finding.map { $0.text + "; " + $0.remedy.command(on: .system) }
    }

    @Test func `firmware of Intel's sensor hub that is missing is named`() {
        let missing =
            "\(SensorHubs.missing): the firmware of Intel's sensor hub is missing, intel/ish/ish_lnlm.bin; "
            + "install the package firmware-intel-misc or linux-firmware"
        let none = "\(SensorHubs.missing): Intel's sensor hub reports none; sudo journalctl -k -b -g ish"
        #expect(text { ($0.intel, $0.firmware) = (("0xa845", []), []) } == missing)
        #expect(text { ($0.intel, $0.firmware) = (("0xa845", []), ["ish_ptl.bin"]) } == missing)
        #expect(text { ($0.intel, $0.firmware) = (("0xa845", []), ["ish_lnlm_12128606.bin.zst"]) } == none)
        // Firmware is kept elsewhere, or is part of the machine's own; the hub has started.
        #expect(text { ($0.intel, $0.firmware) = (("0xa845", []), nil) } == none)
        #expect(text { ($0.intel, $0.firmware) = (("0x51fc", []), []) } == none)
        #expect(text { ($0.intel, $0.firmware) = (("0xa845", ["hid-sensor-hub"]), []) } == none)
    }

    @Test func `a hub that reports no accelerometer is named`() {
        let none = "\(SensorHubs.missing): AMD's sensor hub reports none; sudo journalctl -k -b -g mp2"
        #expect(text { $0.amd = ("0x15e4", []) } == none)
        #expect(text { $0.amd = ("0x15e4", ["hid-sensor-hub", "hid-sensor-hub"]) } == none)
    }

    @Test func `a hub is not named where a driver may be missing`() {
        #expect(text { _ in } == nil)
        #expect(text { $0.amd = ("0x15e4", ["hid-generic"]) } == nil)
        #expect(text { $0.intel = ("0xa845", [""]) } == nil)
    }

    @Test(
        arguments: [
            (nil, false, "needs hexagonrpcd, which does not run"),
            (.noService, false, "needs hexagonrpcd, which does not run"),
            (.noRegistry, false, "needs hexagonrpcd, which does not run"),
            (nil, true, "has none, or none is used without Source=ssc in orientd.conf"),
            (.noService, true, "offers no service"),
            (.noRegistry, true, "has no sensors yet, as it got no configuration from hexagonrpcd"),
            (.sensors([]), true, "has no sensors"),
            (.sensors(["rotv", "hall"]), false, "has none, only rotv, hall"),
            (.sensors(["accel"]), false, "has one that is not used without Source=ssc in orientd.conf"),
        ] as [(SensorCoreProbe.Stage?, Bool, String)]
    )
    func `what Qualcomm's core needs is named`(stage: SensorCoreProbe.Stage?, hasHexagonrpcd: Bool, problem: String) {
        let hubs = SensorHubs(fastrpc: "/dev/fastrpc-sdsp", hasHexagonrpcd: hasHexagonrpcd, core: stage)
        #expect(hubs.finding?.text == "\(SensorHubs.missing): Qualcomm's sensor core (/dev/fastrpc-sdsp) \(problem)")
    }
}
