// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore

/// A convertible with an accelerometer in each half, on a table, at a time that advances with each event.
private struct Convertible {
    var machine: OrientationMachine
    var time = 0.0
    var effects = Effects()
    /// When the virtual switch last began to wait for desktops.
    var lastTurn = -Double.infinity
    /// Whether it has said tablet without a reason.
    var hasWrongSwitch = false

    init(_ configure: (inout MachineConfiguration) -> Void = { $0.virtualTabletSwitch = true }) {
        var configuration = MachineConfiguration()
        configuration.idiom = .convertible
        configure(&configuration)
        machine = OrientationMachine(configuration, saved: nil, at: 0)
        effects = machine.handle(.sensorsFound, at: 0)
    }

    mutating func handle(_ event: Event, after delay: Double = 0.1) {
        time += delay
        let wasTablet = effects.tabletSwitch == .tablet
        effects = machine.handle(event, at: time)
        if effects.transition != nil || event == .setTabletMode(.unknown) { lastTurn = time }
        let mayWait = wasTablet && time < lastTurn + 1
        if effects.tabletSwitch == .tablet, mode != .tablet, !mayWait { hasWrongSwitch = true }
    }

    /// Makes the accelerometers known; they sample once they are needed.
    mutating func addAccelerometers() {
        for role in AccelerometerRole.allCases { report(.idle, role) }
    }

    mutating func report(_ state: SensorState, _ role: AccelerometerRole) {
        handle(.sensorChanged(role, SensorReport(state: state, isPresent: state != .none)))
    }

    /// Has the accelerometers do what the effects ask for.
    mutating func follow() {
        for role in AccelerometerRole.allCases {
            report(machine.reads[role] ? .sampling : .idle, role)
            guard machine.reads[role] else { continue }
            handle(.samplingBegan(role, Sampling(rate: 15, mayFallSilent: false, faceUp: .positiveZ)))
        }
    }

    /// Reads both halves for some seconds, two times a second, with the hinge open by an angle.
    mutating func fold(to degrees: Double, seconds: Int = 2) {
        let angle = Self.display[Int(degrees)] ?? .zero
        for _ in 0..<2 * seconds {
            for (role, force) in [(AccelerometerRole.display, angle), (.base, Vector3(0, 0, -9.81))] {
                handle(.sample(role, AccelerometerSample(time: time + 0.25, acceleration: force)), after: 0.25)
            }
        }
    }

    /// What the display reads, with the base on a table, by the angle of the hinge in degrees.
    private static let display = [
        90: Vector3(0, 9.81, 0), 110: Vector3(0, 9.2184, 3.3552), 180: Vector3(0, 0, 9.81),
        270: Vector3(0, -9.81, 0),
    ]

    var mode: TabletMode { machine.status.tabletMode }
    var angle: Double { machine.status.hingeAngle }
}

@Suite struct VirtualTabletSwitchTests {
    /// A convertible whose switches were found, that is measured, and folded to an angle.
    private func measured(_ degrees: Double) -> Convertible {
        var convertible = Convertible()
        convertible.addAccelerometers()
        convertible.handle(.switchesFound)
        convertible.follow()
        convertible.fold(to: degrees)
        return convertible
    }

    /// A tablet whose switches were found, with one accelerometer.
    private func tabletWithoutHinge() -> Convertible {
        var tablet = Convertible()
        tablet.report(.idle, .display)
        tablet.handle(.switchesFound)
        return tablet
    }

    @Test func `it follows the hinge without a claim`() {
        var convertible = Convertible()
        convertible.addAccelerometers()
        #expect(convertible.effects.tabletSwitch == .unknown && !convertible.machine.reads.base, "switches are awaited")
        convertible.handle(.switchesFound)
        #expect(convertible.effects.tabletSwitch == .laptop)
        #expect(convertible.machine.reads.display && convertible.machine.reads.base)
        convertible.follow()
        for (degrees, mode) in [(90.0, TabletMode.laptop), (270, .tablet), (180, .tablet), (110, .laptop)] {
            convertible.fold(to: degrees)
            #expect(convertible.effects.tabletSwitch == mode && convertible.mode == mode)
            #expect(
                abs(convertible.angle - degrees) < 3 && convertible.machine.status.tabletModeSource == .accelerometers
            )
            #expect(convertible.machine.status.deviceOrientation == .unknown, "nobody needs it")
        }
    }

    /// A tablet by hand, which is turned.
    private func turned() -> Convertible {
        var convertible = measured(90)
        convertible.handle(.setTabletMode(.tablet))
        convertible.handle(.rotate(.landscapeLeft))
        return convertible
    }

    @Test func `a display that was turned back before gets the rest of a second`() {
        var convertible = turned()
        convertible.handle(.rotate(.portrait))
        convertible.handle(.setTabletMode(.laptop), after: 0.25)
        #expect(convertible.effects.transition == nil && convertible.effects.tabletSwitch == .tablet)
        #expect(convertible.effects.deadline?.time == convertible.time + 0.75)
        convertible.handle(.deadlinePassed(.virtualSwitch), after: 0.75)
        #expect(convertible.effects.tabletSwitch == .laptop)
    }

    // GNOME 48 stayed sideways: the switch said so before mutter had turned the display back.
    @Test func `a display that was turned gets a second to turn back`() {
        var convertible = turned()
        convertible.handle(.setTabletMode(.laptop))
        #expect(convertible.effects.transition?.reason == .tabletMode)
        #expect(convertible.effects.tabletSwitch == .tablet)
        #expect(convertible.effects.deadline?.purpose == .virtualSwitch)
        #expect(convertible.effects.deadline?.time == convertible.time + 1)
        convertible.handle(.claims(1), after: 0.5)
        #expect(convertible.effects.tabletSwitch == .tablet)
        convertible.handle(.deadlinePassed(.virtualSwitch), after: 0.5)
        #expect(convertible.effects.tabletSwitch == .laptop)
        #expect(convertible.effects.deadline?.purpose != .virtualSwitch)
    }

    // `orientctl tablet-mode toggle`, which has to find out whether anything else tells the mode.
    @Test func `a client that returns to auto and then says laptop is one change`() {
        var convertible = tabletWithoutHinge()
        convertible.handle(.setTabletMode(.tablet))
        convertible.handle(.rotate(.landscapeLeft))
        convertible.handle(.setTabletMode(.unknown))
        #expect(convertible.effects.tabletSwitch == .tablet)
        convertible.handle(.setTabletMode(.laptop))
        #expect(convertible.effects.transition?.reason == .tabletMode)
        #expect(convertible.effects.tabletSwitch == .tablet)
        #expect(convertible.effects.deadline?.time == convertible.time + 1)
        convertible.handle(.deadlinePassed(.virtualSwitch), after: 1)
        #expect(convertible.effects.tabletSwitch == .laptop)
    }

    @Test func `after auto without a hinge it is removed a second later`() {
        var convertible = tabletWithoutHinge()
        convertible.handle(.setTabletMode(.tablet))
        convertible.handle(.setTabletMode(.unknown))
        #expect(convertible.effects.tabletSwitch == .tablet)
        convertible.handle(.deadlinePassed(.virtualSwitch), after: 1)
        #expect(convertible.effects.tabletSwitch == .unknown)
    }

    @Test(arguments: [
        (Event.lid(isClosed: true), TabletMode.laptop), (.sleep, .laptop), (.tabletSwitch(.laptop), .unknown),
        (.shutdown, .unknown),
    ])
    func `it does not wait for a closed lid, sleep, a switch of the kernel or the end`(event: Event, mode: TabletMode) {
        var convertible = turned()
        convertible.handle(.setTabletMode(.laptop))
        convertible.handle(event)
        #expect(convertible.effects.tabletSwitch == mode)
    }

    @Test func `it says tablet all the time if that comes again at once`() {
        var convertible = turned()
        convertible.handle(.setTabletMode(.laptop))
        #expect(convertible.effects.deadline?.purpose == .virtualSwitch)
        convertible.handle(.setTabletMode(.tablet))
        #expect(convertible.effects.deadline?.purpose != .virtualSwitch)
        convertible.handle(.deadlinePassed(.save), after: 5)
        #expect(convertible.effects.tabletSwitch == .tablet)
    }

    @Test func `without the setting there is none, and nothing is measured`() {
        var convertible = Convertible { $0.virtualTabletSwitch = false }
        convertible.addAccelerometers()
        convertible.handle(.switchesFound)
        #expect(convertible.effects.tabletSwitch == .unknown && convertible.machine.reads == PerRole(false))
        #expect(convertible.angle == -1)
    }

    @Test func `there is none on a tablet without a hinge, where it would prevent rotation`() {
        let convertible = tabletWithoutHinge()
        #expect(convertible.effects.tabletSwitch == .unknown)
    }

    @Test func `a switch of the kernel takes over`() {
        var convertible = measured(270)
        #expect(convertible.effects.tabletSwitch == .tablet)
        convertible.handle(.tabletSwitch(.laptop))
        #expect(convertible.effects.tabletSwitch == .unknown && convertible.mode == .laptop)
        #expect(convertible.machine.status.tabletModeSource == .switch)
        convertible.handle(.tabletSwitch(.unknown))
        #expect(convertible.effects.tabletSwitch == .laptop, "not measured since")
    }

    /// What may happen to a folded machine: whoever types then must have a keyboard.
    private static let misfortunes: [(name: String, events: [Event])] = [
        ("lid", [.lid(isClosed: true)]), ("sleep", [.sleep]),
        ("lost", [.sensorChanged(.base, SensorReport(state: .lost, isPresent: true))]),
        ("the display's is lost", [.sensorChanged(.display, SensorReport(state: .lost, isPresent: true))]),
        ("unplugged", [.sensorChanged(.base, SensorReport(state: .none, isPresent: false))]),
        ("opened anew", [.samplingBegan(.base, Sampling(rate: 15, mayFallSilent: false, faceUp: .positiveZ))]),
        ("shutdown", [.shutdown]), ("laptop by hand", [.setTabletMode(.laptop)]),
    ]

    @Test(arguments: misfortunes.indices)
    func `it is off when nothing shows any more that it should be on`(row: Int) {
        let (name, events) = Self.misfortunes[row]
        var convertible = measured(270)
        #expect(convertible.effects.tabletSwitch == .tablet)
        for event in events { convertible.handle(event) }
        #expect(convertible.effects.tabletSwitch != .tablet, "\(name)")
    }

    @Test func `after sleep and with the lid open again it waits for a new reading`() {
        for (before, after) in [(Event.sleep, Event.wake), (.lid(isClosed: true), .lid(isClosed: false))] {
            var convertible = measured(270)
            convertible.handle(before)
            #expect(!convertible.machine.reads.base)
            convertible.follow()
            convertible.handle(after)
            #expect(convertible.machine.reads.base && convertible.effects.tabletSwitch == .laptop)
            convertible.follow()
            convertible.fold(to: 270)
            #expect(convertible.effects.tabletSwitch == .tablet)
        }
    }

    @Test func `a client overrides the hinge until it returns to it`() {
        var convertible = measured(90)
        convertible.handle(.setTabletMode(.tablet))
        #expect(convertible.effects.tabletSwitch == .tablet && convertible.machine.status.tabletModeSource == .override)
        #expect(convertible.machine.reads.base, "the angle goes on to be measured")
        convertible.handle(.setTabletMode(.unknown))
        #expect(convertible.effects.tabletSwitch == .tablet && convertible.machine.reads.base, "for a second")
        convertible.handle(.deadlinePassed(.virtualSwitch), after: 1)
        #expect(convertible.effects.tabletSwitch == .laptop)
        convertible.handle(.setTabletMode(.tablet))
        convertible.fold(to: 270)
        convertible.handle(.setTabletMode(.unknown))
        #expect(convertible.machine.virtualSwitchDeadline == nil, "it stays on")
        convertible.handle(.setTabletMode(.laptop))
        convertible.handle(.setTabletMode(.unknown))
        #expect(convertible.effects.tabletSwitch == .tablet, "at once, as the angle is known")
    }

    @Test(arguments: [(Event.sleep, Event.wake), (.lid(isClosed: true), .lid(isClosed: false))])
    func `a tablet by hand is one until the lid is closed or the machine sleeps`(before: Event, after: Event) {
        for mode in [TabletMode.tablet, .laptop] {
            var convertible = measured(90)
            convertible.handle(.setTabletMode(mode))
            convertible.handle(before)
            // Also if it is set meanwhile, from another machine.
            convertible.handle(.setTabletMode(mode))
            convertible.handle(after)
            #expect(convertible.mode == .laptop && convertible.effects.tabletSwitch == .laptop)
            let source = convertible.machine.status.tabletModeSource
            #expect(source == (mode == .tablet ? .accelerometers : .override))
        }
    }

    @Test func `an angle from before the lid was closed does not count after`() {
        var convertible = measured(270)
        convertible.handle(.lid(isClosed: true))
        convertible.handle(.lid(isClosed: false))
        #expect(convertible.effects.tabletSwitch == .laptop && convertible.mode == .tablet)
    }

    @Test func `the halves are read rarely until a client needs the orientation`() {
        var convertible = measured(90)
        #expect(convertible.machine.sensing.display.period == 0.5 && convertible.machine.sensing.base.period == 0.5)
        convertible.fold(to: 90, seconds: 10)
        #expect(convertible.machine.sensing.display.period == 2.5 && convertible.machine.sensing.base.period == 2.5)
        convertible.handle(.claims(1))
        #expect(convertible.machine.sensing.display.period == nil && convertible.machine.reads.base)
        convertible.fold(to: 90)
        #expect(convertible.machine.status.deviceOrientation == .portrait)
    }

    @Test func `while it is on, silence is noticed also at rest and with a claim`() {
        var convertible = measured(90)
        convertible.handle(.claims(1))
        for (degrees, purpose) in [
            (90.0, SensingPurpose.orientation), (270, .orientationAndKeyboard), (90, .orientation),
        ] {
            convertible.fold(to: degrees, seconds: 10)
            let sensing = convertible.machine.sensing
            #expect(sensing.display.level == .watch && sensing.base.level == .watch)
            #expect(sensing.display.purpose == purpose && sensing.base.purpose == purpose)
        }
        // The other half must answer soon, for the switch to be on again.
        convertible.fold(to: 270, seconds: 10)
        convertible.handle(.samplingBegan(.base, Sampling(rate: 15, mayFallSilent: false, faceUp: .positiveZ)))
        #expect(convertible.effects.tabletSwitch == .laptop)
        #expect(convertible.machine.sensing.display.purpose == .orientationAndKeyboard)
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `whatever happens, it is on only while the machine is a tablet, awake and open`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var convertible = Convertible()
        var (isLidClosed, sleeps, hasSwitch) = (false, false, false)
        let states: [SensorState] = [.sampling, .sampling, .idle, .lost, .none]
        for _ in 0..<400 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                isLidClosed.toggle()
                convertible.handle(.lid(isClosed: isLidClosed))
            case 1:
                sleeps.toggle()
                convertible.handle(sleeps ? .sleep : .wake)
            case 2:
                let mode: TabletMode = [.unknown, .unknown, .laptop, .tablet].randomElement(using: &random) ?? .unknown
                hasSwitch = mode != .unknown
                convertible.handle(.tabletSwitch(mode))
            case 3:
                convertible.handle(
                    .setTabletMode([.unknown, .unknown, .laptop, .tablet].randomElement(using: &random) ?? .unknown)
                )
            case 4: convertible.handle(.claims(UInt32.random(in: 0...1, using: &random)))
            case 5:
                convertible.report(
                    states.randomElement(using: &random) ?? .idle,
                    Bool.random(using: &random) ? .display : .base
                )
            case 6: convertible.handle(.switchesFound)
            case 7:
                convertible.handle(
                    .hingeSensor(
                        SensorReport(
                            state: states.randomElement(using: &random) ?? .idle,
                            isPresent: Bool.random(using: &random)
                        )
                    )
                )
            case 8: convertible.handle(.hingeAngle(Double.random(in: -10...400, using: &random)))
            case 9: convertible.follow()
            default: convertible.fold(to: [90.0, 110, 180, 270].randomElement(using: &random) ?? 90, seconds: 1)
            }
            #expect(!convertible.hasWrongSwitch)
            guard convertible.effects.tabletSwitch == .tablet else { continue }
            #expect(!isLidClosed && !sleeps && !hasSwitch)
        }
    }
}

@Suite struct HingeSensorTests {
    private func measured(_ readings: [Double], claims: UInt32 = 1) -> Convertible {
        var convertible = Convertible { $0.autorotate = .always }
        convertible.handle(.hingeSensor(SensorReport(state: .idle, isPresent: true)))
        convertible.handle(.switchesFound)
        convertible.handle(.tabletModeClaims(claims))
        convertible.handle(.hingeSensor(SensorReport(state: .sampling, isPresent: true)))
        for reading in readings { convertible.handle(.hingeAngle(reading)) }
        return convertible
    }

    @Test func `it decides while a client claims the tablet mode`() {
        var convertible = measured([200, 210])
        #expect(convertible.machine.readsHinge && convertible.machine.reads == PerRole(false))
        #expect(convertible.mode == .tablet && convertible.angle == 210)
        #expect(convertible.machine.status.tabletModeSource == .hinge)
        convertible.handle(.tabletModeClaims(0))
        #expect(!convertible.machine.readsHinge && convertible.mode == .unknown)
        convertible.handle(.hingeSensor(SensorReport(state: .idle, isPresent: true)))
        #expect(convertible.angle == -1)
    }

    @Test func `it comes before the accelerometers, which take its place when it is lost`() {
        var convertible = measured([100, 100])
        convertible.addAccelerometers()
        #expect(!convertible.machine.reads.base)
        convertible.handle(.hingeSensor(SensorReport(state: .lost, isPresent: true)))
        #expect(convertible.machine.reads.base && convertible.machine.readsHinge && convertible.mode == .laptop)
        convertible.follow()
        convertible.fold(to: 270)
        #expect(convertible.mode == .tablet)
        let angle = convertible.angle
        convertible.handle(.hingeSensor(SensorReport(state: .lost, isPresent: true)))
        #expect(convertible.angle == angle, "it was tried again")
    }

    @Test func `nothing is measured with the lid closed`() {
        var convertible = measured([100, 100])
        convertible.handle(.lid(isClosed: true))
        #expect(!convertible.machine.readsHinge && convertible.mode == .laptop)
    }

    @Test func `a small change of the angle is not announced`() {
        var convertible = measured([100, 100])
        convertible.handle(.hingeAngle(102))
        #expect(convertible.angle == 100 && convertible.effects.status == nil)
        convertible.handle(.hingeAngle(104))
        #expect(convertible.angle == 104 && convertible.effects.status != nil)
    }

    @Test func `the first angle is announced, also of a hinge that is nearly closed`() {
        #expect(measured([1, 1]).angle == 1)
    }
}

@Suite struct SwitchCheckTests {
    /// A convertible with a hinge sensor, whose tablet switch changes at the end.
    private func switched(to mode: TabletMode) -> Convertible {
        var convertible = Convertible { $0.autorotate = .always }
        convertible.handle(.hingeSensor(SensorReport(state: .idle, isPresent: true)))
        convertible.handle(.switchesFound)
        convertible.handle(.tabletSwitch(mode))
        convertible.handle(.hingeSensor(SensorReport(state: .sampling, isPresent: true)))
        return convertible
    }

    @Test(arguments: [
        (TabletMode.tablet, 95.0, true), (.tablet, 130, false), (.laptop, 250, true), (.laptop, 170, false),
    ])
    func `an angle that contradicts the switch for five seconds is reported`(
        mode: TabletMode,
        angle: Double,
        contradicts: Bool
    ) {
        var convertible = switched(to: mode)
        #expect(convertible.machine.readsHinge)
        for second in 0...8 {
            convertible.handle(.hingeAngle(angle), after: 1)
            if second < 5 { #expect(!convertible.machine.status.isSwitchContradicted) }
        }
        #expect(convertible.machine.status.isSwitchContradicted == contradicts)
        #expect(convertible.mode == mode, "only the configuration overrules a switch")
    }

    @Test func `it is measured for ten seconds, and again when the display begins to be read`() {
        var convertible = switched(to: .laptop)
        convertible.handle(.hingeAngle(90))
        convertible.handle(.hingeAngle(90))
        #expect(convertible.effects.deadline?.purpose == .switchCheck)
        convertible.handle(.deadlinePassed(.switchCheck), after: 10)
        #expect(!convertible.machine.readsHinge && convertible.mode == .laptop)
        convertible.handle(.samplingBegan(.display, Sampling(rate: 15, mayFallSilent: false, faceUp: .positiveZ)))
        #expect(convertible.machine.readsHinge)
    }

    @Test func `a switch that is stuck is found while the angle is measured for something else`() {
        var convertible = switched(to: .laptop)
        convertible.handle(.tabletModeClaims(1))
        for _ in 0...2 { convertible.handle(.hingeAngle(90)) }
        convertible.handle(.deadlinePassed(.switchCheck), after: 10)
        for _ in 0...8 { convertible.handle(.hingeAngle(330), after: 1) }
        #expect(convertible.machine.status.isSwitchContradicted)
        convertible.handle(.samplingBegan(.display, Sampling(rate: 15, mayFallSilent: false, faceUp: .positiveZ)))
        #expect(convertible.machine.status.isSwitchContradicted, "until the switch or the angle changes")
    }

    // At rest a claimed sensor gives a reading every ten seconds: none came between the fifth second and the end.
    @Test func `a contradiction that has lasted at the end of the check is reported without another reading`() {
        var convertible = switched(to: .tablet)
        for _ in 0...2 { convertible.handle(.hingeAngle(90), after: 0.1) }
        convertible.handle(.deadlinePassed(.switchCheck), after: 10)
        #expect(convertible.machine.status.isSwitchContradicted)
    }

    // A check that ended behind the closed lid was not repeated.
    @Test func `the switch is checked again when the lid is opened`() {
        var convertible = switched(to: .tablet)
        convertible.handle(.lid(isClosed: true))
        convertible.handle(.deadlinePassed(.switchCheck), after: 10)
        #expect(!convertible.machine.readsHinge && !convertible.machine.status.isSwitchContradicted)
        convertible.handle(.lid(isClosed: false))
        #expect(convertible.machine.readsHinge)
    }

    // The time with the lid closed counted as a contradiction that lasted.
    @Test func `a check ends when the lid is closed`() {
        var convertible = switched(to: .laptop)
        for angle in [300.0, 310] { convertible.handle(.hingeAngle(angle)) }
        convertible.handle(.lid(isClosed: true))
        #expect(convertible.effects.deadline?.purpose != .switchCheck)
        convertible.handle(.deadlinePassed(.switchCheck), after: 10)
        #expect(!convertible.machine.status.isSwitchContradicted)
    }

    @Test func `a check whose sensor was lost finds nothing`() {
        var convertible = switched(to: .tablet)
        for _ in 0...2 { convertible.handle(.hingeAngle(90), after: 0.1) }
        convertible.handle(.hingeSensor(SensorReport(state: .lost, isPresent: true)))
        convertible.handle(.deadlinePassed(.switchCheck), after: 10)
        #expect(!convertible.machine.status.isSwitchContradicted)
    }

    @Test func `a switch that is right again is no longer reported`() {
        var convertible = switched(to: .tablet)
        for _ in 0...7 { convertible.handle(.hingeAngle(90), after: 1) }
        #expect(convertible.machine.status.isSwitchContradicted)
        convertible.handle(.tabletSwitch(.laptop))
        #expect(!convertible.machine.status.isSwitchContradicted)
    }
}
