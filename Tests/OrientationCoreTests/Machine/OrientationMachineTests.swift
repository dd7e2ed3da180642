// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

private let upright = Vector3(0, 9.81, 0)
private let rightEdgeUp = Vector3(9.81, 0, 0)
private let upsideDown = Vector3(0, -9.81, 0)

/// A machine and its clock; each event comes a tenth of a second after the one before.
private struct Scene {
    var machine: OrientationMachine
    var time = 0.0

    init(saved: SavedState? = nil, _ configure: (inout MachineConfiguration) -> Void = { _ in }) {
        var configuration = MachineConfiguration()
        configuration.idiom = .tablet
        configuration.classifier = .base
        configure(&configuration)
        machine = OrientationMachine(configuration, saved: saved, at: 0)
    }

    @discardableResult
    mutating func handle(_ event: Event) -> Effects {
        time += 0.1
        return machine.handle(event, at: time)
    }

    @discardableResult
    mutating func hold(_ acceleration: Vector3, _ role: AccelerometerRole = .display) -> Effects {
        handle(.sample(role, AccelerometerSample(time: time + 0.1, acceleration: acceleration)))
    }

    /// Finds a sensor that samples.
    mutating func sample(_ role: AccelerometerRole = .display, mayFallSilent: Bool = false) {
        handle(.sensorChanged(role, SensorReport(state: .sampling, isPresent: true, mayDeliver: true)))
        handle(.samplingBegan(role, Sampling(rate: 10, mayFallSilent: mayFallSilent, faceUp: .positiveZ)))
    }

    /// The accelerometers that are read after an event.
    mutating func reads(after event: Event) -> PerRole<Bool> {
        handle(event)
        return machine.reads
    }

    var shown: InterfaceOrientation { machine.status.interfaceOrientation }
}

// MARK: - Lifecycle

@Suite struct MachineLifecycleTests {
    @Test func `it is ready when all searches have ended, and only once`() {
        var scene = Scene { $0.idiom = nil }
        #expect(scene.machine.needsChassis && scene.machine.deadline?.purpose == .ready)
        #expect(scene.handle(.sensorsFound).step == nil)
        #expect(scene.handle(.chassisFound(nil)).step == nil)
        #expect(scene.handle(.switchesFound).step == .ready)
        #expect(scene.machine.deadline?.purpose != .ready)
        #expect(scene.handle(.deadlinePassed(.ready)).step == nil)
    }

    @Test func `the sensors that stop at the end are not published`() {
        // Clients saw an idle sensor for a moment whenever orientd was restarted.
        var scene = Scene()
        scene.sample()
        #expect(scene.handle(.shutdown).step == .end)
        let report = SensorReport(state: .idle, isPresent: true, mayDeliver: true)
        let effects = scene.handle(.sensorChanged(.display, report))
        #expect(effects.status == nil && scene.machine.status.sensorState == .sampling)
    }

    @Test func `it is ready after a second although a search goes on`() {
        var scene = Scene()
        #expect(scene.machine.deadline?.purpose == .ready, "before any event")
        let deadline = scene.handle(.sensorsFound).deadline
        #expect(deadline?.purpose == .ready && deadline?.time == 1)
        let effects = scene.handle(.deadlinePassed(.ready))
        #expect(effects.step == .ready && effects.deadline == nil)
        #expect(scene.handle(.switchesFound).step == nil)
    }

    @Test func `it sleeps and wakes up, and reports what happened meanwhile only afterwards`() {
        var scene = Scene()
        scene.sample()
        scene.hold(upright)
        #expect(scene.handle(.sleep).step == .suspend)
        #expect(scene.machine.lifecycle == .suspended)
        #expect(scene.hold(rightEdgeUp).transition == nil)
        #expect(scene.machine.status.interfaceRule == .paused)
        #expect(scene.handle(.wake).step == .resume)
        #expect(scene.hold(rightEdgeUp).transition?.to == .landscapeRight)
    }

    @Test func `the lid stays a reason to pause when the machine wakes up`() {
        var scene = Scene()
        scene.sample()
        scene.hold(upright)
        scene.handle(.lid(isClosed: true))
        scene.handle(.sleep)
        scene.handle(.wake)
        #expect(scene.hold(rightEdgeUp).transition == nil)
        scene.handle(.lid(isClosed: false))
        #expect(scene.hold(rightEdgeUp).transition?.to == .landscapeRight)
    }

    // One of two claimants left while the sensors were being stopped, and they were started again.
    @Test func `nothing is read once it ends, whoever claims`() {
        var scene = Scene()
        #expect(scene.reads(after: .claims(2)).display)
        let effects = scene.handle(.shutdown)
        #expect(effects.step == .end && !scene.machine.reads.display)
        #expect(effects.deadline?.purpose == .exit)
        for event: Event in [.claims(1), .proxyClaims([":1.1"]), .wake, .sleep, .shutdown] {
            let later = scene.handle(event)
            #expect(!scene.machine.reads.display && later.step == nil, "\(event)")
        }
        #expect(scene.handle(.deadlinePassed(.exit)).step == .exit)
        #expect(scene.machine.lifecycle == .ending)
    }
}

// MARK: - net.hadess.SensorProxy

@Suite struct ProxiedOrientationTests {
    @Test(arguments: [upright, rightEdgeUp, upsideDown, Vector3(-9.81, 0, 0)], InterfaceOrientation.allCases)
    func `it is the device's edge without a rule, and the panel's edge for what is shown under one`(
        held: Vector3,
        natural: InterfaceOrientation
    ) {
        var scene = Scene { $0.naturalOrientation = natural.device }
        scene.sample()
        scene.hold(held)
        let sensed = scene.machine.edge(.device)
        #expect(sensed.isEdge && scene.machine.edge(.interface) == sensed)
        #expect(sensed.named(natural: natural.device) == scene.machine.status.deviceOrientation)
        for locked in InterfaceOrientation.allCases {
            scene.handle(.setRotationLock(.orientation(locked)))
            #expect(scene.machine.edge(.interface).named(natural: natural.device) == locked.device)
            #expect(scene.machine.edge(.device) == sensed)
        }
        scene.handle(.setRotationLock(.orientation(natural)))
        #expect(scene.machine.edge(.interface) == .portrait, "the panel's own top is up")
        scene.handle(.setRotationLock(.off))
        #expect(scene.machine.edge(.interface) == sensed)
    }

    @Test func `it is unknown before the first edge, whatever was shown in the last run`() {
        var scene = Scene(saved: SavedState(lock: .off, held: .portrait, shown: .landscapeLeft))
        #expect(scene.machine.edge(.interface) == .unknown)
        scene.sample()
        scene.hold(Vector3(0, 0, 9.81))
        #expect(scene.machine.edge(.interface) == .unknown, "it lies flat")
        scene.handle(.lid(isClosed: true))
        #expect(scene.machine.edge(.interface) == .unknown)
        scene.handle(.lid(isClosed: false))
        scene.hold(rightEdgeUp)
        #expect(scene.machine.edge(.interface) == .landscapeLeft)
    }

    // A desktop has rules of its own for a laptop without a tablet switch; orientd's default must not end its rotation.
    @Test func `on a laptop it is the device's unless somebody has turned autorotation off`() {
        var scene = Scene { $0.idiom = .laptop }
        scene.sample()
        scene.hold(rightEdgeUp)
        #expect(scene.machine.status.autorotate == .never)
        #expect(scene.machine.edge(.interface) == .landscapeLeft)
        scene.handle(.setRotationLock(.orientation(.portrait)))
        #expect(scene.machine.edge(.interface) == .portrait)

        var chosen = Scene {
            $0.idiom = .laptop
            $0.autorotate = .never
        }
        chosen.sample()
        chosen.hold(rightEdgeUp)
        #expect(chosen.machine.edge(.interface) == .portrait)
    }

    static let decisions: [(event: Event, edge: DeviceOrientation)] = [
        (.setRotationLock(.current), .portrait), (.rotate(.landscapeRight), .landscapeLeft),
        (.present(RotationRequest(appID: "a", supported: .all), client: ":1.1"), .portrait),
        (.present(RotationRequest(appID: "a", supported: .landscape), client: ":1.1"), .landscapeLeft),
        (.setAutorotate(.never), .portrait),
    ]

    @Test(arguments: decisions.indices)
    func `a rule or a request decides it before the first edge`(index: Int) {
        var scene = Scene()
        scene.handle(Self.decisions[index].event)
        #expect(scene.machine.edge(.interface) == Self.decisions[index].edge)
        #expect(scene.machine.edge(.device) == .unknown)
    }

    @Test func `what a request has turned before the first edge is turned back`() throws {
        var scene = Scene()
        let film = RotationRequest(appID: "a", supported: .landscape)
        let id = try #require(scene.handle(.present(film, client: ":1.1")).request?.id)
        scene.handle(.release(id, client: ":1.1"))
        #expect(scene.machine.edge(.interface) == .portrait)
    }

    // The reason is still that of the start if the device was held as the interface was shown.
    @Test func `it is held while the lid is closed`() {
        var scene = Scene()
        scene.sample()
        scene.hold(upright)
        scene.handle(.lid(isClosed: true))
        scene.hold(rightEdgeUp)
        #expect(scene.machine.edge(.device) == .landscapeLeft && scene.machine.edge(.interface) == .portrait)
        scene.handle(.lid(isClosed: false))
        #expect(scene.machine.edge(.interface) == .portrait, "not read since")
        scene.hold(rightEdgeUp)
        #expect(scene.machine.edge(.interface) == .landscapeLeft)
    }

    @Test func `it is the laptop's while the machine is used as one`() {
        var scene = Scene {
            $0.autorotate = .tabletMode
            $0.naturalOrientation = .landscapeLeft
        }
        scene.sample()
        scene.hold(rightEdgeUp)
        #expect(scene.machine.edge(.interface) == .landscapeLeft)
        scene.handle(.tabletSwitch(.laptop))
        #expect(scene.machine.edge(.interface) == .portrait)
    }
}

// MARK: - Sensing

@Suite struct MachineSensingTests {
    @Test func `the display is read while a client claims it or a request turns with the device`() throws {
        var scene = Scene()
        #expect(!scene.reads(after: .sensorsFound).display)
        #expect(scene.reads(after: .claims(1)).display)
        #expect(!scene.reads(after: .claims(0)).display)
        let claimed = scene.handle(.proxyClaims([":1.7", ":1.3"]))
        #expect(scene.machine.reads.display && claimed.status != nil)
        #expect(scene.machine.status.sensorProxyClients == [":1.7", ":1.3"])
        #expect(!scene.reads(after: .proxyClaims([])).display)
        let view = RotationRequest(appID: "org.example.App", supported: .all)
        let id = try #require(scene.handle(.present(view, client: ":1.1")).request?.id)
        #expect(scene.reads(after: .lid(isClosed: false)).display)
        #expect(!scene.reads(after: .release(id, client: ":1.1")).display)
    }

    @Test func `the base is read only while its angle decides`() {
        var scene = Scene { $0.autorotate = .tabletMode }
        scene.sample()
        #expect(!scene.reads(after: .claims(1)).base, "there is none")
        scene.sample(.base)
        #expect(scene.reads(after: .claims(2)).base)
        #expect(scene.reads(after: .tabletSwitch(.laptop)).base, "the switch is checked")
        scene.time += 9
        scene.handle(.samplingBegan(.display, Sampling(rate: 15, mayFallSilent: true, faceUp: .positiveZ)))
        scene.time += 1
        #expect(!scene.reads(after: .deadlinePassed(.switchCheck)).base, "the switch decides")
        #expect(scene.reads(after: .tabletSwitch(.unknown)).base)
        #expect(!scene.reads(after: .setAutorotate(.always)).base, "nothing depends on it")
        scene.handle(.setAutorotate(.tabletMode))
        #expect(!scene.reads(after: .claims(0)).base)
    }

    @Test func `the angle of the hinge makes it a laptop and a tablet`() {
        var scene = Scene {
            $0.autorotate = .tabletMode
            $0.naturalOrientation = .landscapeLeft
        }
        scene.sample()
        scene.sample(.base)
        scene.hold(rightEdgeUp)
        #expect(scene.machine.status.tabletMode == .unknown)
        scene.hold(upright)
        let folded = scene.hold(Vector3(0, 0, -9.81), .base)
        #expect(scene.machine.status.tabletMode == .laptop && folded.status != nil)
        for _ in 0..<4 { scene.hold(Vector3(0, 0, 9.81), .base) }
        #expect(scene.machine.status.tabletMode == .tablet)
        scene.handle(.sensorChanged(.base, SensorReport(state: .lost, isPresent: false, mayDeliver: false)))
        #expect(scene.machine.status.tabletMode == .unknown, "nothing tells of changes any more")
    }

    @Test func `a claim is answered when an edge is known, or none is to be expected`() {
        var scene = Scene()
        #expect(!scene.machine.hasFirstAnswer)
        scene.handle(.sensorChanged(.display, SensorReport(state: .none, isPresent: false, mayDeliver: false)))
        #expect(scene.machine.hasFirstAnswer)
        scene.sample()
        #expect(!scene.machine.hasFirstAnswer)
        scene.hold(upright)
        #expect(scene.machine.hasFirstAnswer)
    }

    @Test func `a sample that turns nothing asks for nothing`() {
        var scene = Scene()
        scene.sample()
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        scene.hold(upright)
        let effects = scene.hold(upright)
        #expect(effects.status == nil && effects.transition == nil && effects.deadline == nil && effects.save == nil)
    }

    @Test func `a sensor that falls silent in the middle of a turn is heard again`() {
        var scene = Scene { $0.classifier = .robust }
        scene.sample(mayFallSilent: true)
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        for _ in 0..<10 { scene.hold(upright) }
        let effects = scene.hold(rightEdgeUp)
        #expect(effects.transition == nil && effects.deadline?.purpose == .silence)
        #expect(scene.handle(.deadlinePassed(.silence)).transition?.to == .landscapeRight)
    }

    @Test func `a device that rests is watched, then dozes, and streams again once it moves`() {
        var scene = Scene { $0.classifier = .robust }
        scene.sample()
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        var effects = scene.hold(upright)
        #expect(scene.machine.sensing.display.level == .stream && scene.machine.sensing.display.allowsBatches)
        for _ in 0..<25 { effects = scene.hold(upright) }
        #expect(scene.machine.sensing.display.level == .watch && scene.machine.sensing.display.reference == upright)
        #expect(effects.deadline?.purpose == .doze)
        scene.time = effects.deadline?.time ?? 0
        effects = scene.handle(.deadlinePassed(.doze))
        #expect(scene.machine.sensing.display.level == .doze && effects.deadline == nil)
        scene.hold(upright)
        #expect(scene.machine.sensing.display.level == .doze)
        // One reading after a long silence is not enough.
        scene.time += 60
        effects = scene.hold(rightEdgeUp)
        #expect(scene.machine.sensing.display.level == .stream && effects.transition == nil)
        #expect(scene.hold(rightEdgeUp).transition?.to == .landscapeRight)
    }

    // It took three readings, as the first one after a silence was no motion.
    @Test func `a turn from rest is seen with the second reading`() {
        var scene = Scene { $0.classifier = .robust }
        scene.sample()
        for _ in 0..<25 { scene.hold(upright) }
        #expect(scene.machine.sensing.display.level == .watch)
        scene.time += 60
        #expect(scene.hold(Vector3(8.5, 4.9, 0)).transition == nil)
        // Half a period later, as from a helper.
        scene.time -= 0.05
        #expect(scene.hold(Vector3(8.5, 4.9, 0)).transition?.to == .landscapeRight)
    }

    // The old orientation stayed for up to a minute: a device at rest gives no reading.
    @Test func `a device at rest streams when the lid is opened, as it may have been turned meanwhile`() {
        var scene = Scene()
        scene.sample()
        for _ in 0..<25 { scene.hold(upright) }
        scene.handle(.lid(isClosed: true))
        #expect(scene.machine.sensing.display.level == .watch)
        for _ in 0..<3 { scene.hold(rightEdgeUp) }
        for _ in 0..<25 { scene.hold(rightEdgeUp) }
        scene.hold(rightEdgeUp)
        #expect(scene.machine.sensing.display.level == .watch)
        scene.handle(.lid(isClosed: false))
        #expect(scene.machine.sensing.display.level == .stream)
    }

    @Test func `a sensor that stops at rest streams when it samples again`() {
        var scene = Scene()
        scene.sample()
        for _ in 0..<25 { scene.hold(upright) }
        scene.hold(upright)
        #expect(scene.machine.sensing.display.level == .watch)
        let effects = scene.handle(.sensorChanged(.display, SensorReport(state: .idle, isPresent: true)))
        #expect(scene.machine.sensing.display.level == .stream && effects.deadline?.purpose != .doze)
    }

    @Test func `with Power=responsive every reading counts`() {
        var scene = Scene { $0.power = .responsive }
        scene.sample()
        for _ in 0..<600 {
            scene.hold(upright)
            #expect(scene.machine.sensing.display == .stream)
        }
    }

    @Test func `a sensor that reports changes only rests when it is silent, with gravity on its last reading`() {
        var scene = Scene { $0.classifier = .robust }
        scene.sample(mayFallSilent: true)
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        for _ in 0..<3 { scene.hold(upright) }
        var effects = scene.hold(Vector3(1, 9.76, 0))
        #expect(effects.deadline?.purpose == .silence && scene.machine.tracker.gravity.x > -0.1)
        while let deadline = effects.deadline, deadline.purpose == .silence {
            scene.time = deadline.time - 0.1
            effects = scene.handle(.deadlinePassed(.silence))
        }
        #expect(scene.machine.sensing.display.level == .watch)
        #expect(abs(scene.machine.tracker.gravity.x + 1 / AccelerometerSample.standardGravity) < 1e-9)
    }

    // The half that still rested had an old reading, and the angle between the two made a tablet of a laptop.
    @Test func `both halves of a hinge are read again when one moves`() {
        var scene = Scene { $0.idiom = .convertible }
        scene.sample()
        scene.sample(.base)
        for _ in 0..<60 {
            scene.hold(upright)
            scene.hold(Vector3(0, 0, 9.81), .base)
        }
        scene.hold(upright)
        #expect(scene.machine.sensing.display.level == .watch && scene.machine.sensing.base.level == .watch)
        scene.hold(rightEdgeUp)
        #expect(scene.machine.sensing.display.level == .stream && scene.machine.sensing.base.level == .stream)
    }

    // Fedora's kernel does not tell how the panel of the Chuwi MiniBook X is mounted, as it has printed no line: in laptop
    // mode, the display was turned as if the panel stood upright.
    @Test(arguments: [(1.0, InterfaceOrientation.landscapeRight), (-1, .landscapeLeft)], [true, false])
    func `the edge that is up in a laptop is learned at rest`(up: (Double, InterfaceOrientation), hasSwitch: Bool) {
        var scene = Scene {
            $0.autorotate = .tabletMode
            $0.naturalOrientation = .portrait
        }
        scene.handle(.claims(1))
        if hasSwitch { scene.handle(.tabletSwitch(.laptop)) } else { scene.sample(.base) }
        scene.sample()
        for _ in 0..<60 {
            if !hasSwitch { scene.hold(Vector3(0, 0, -9.81), .base) }
            // The lid is open by 110°.
            scene.hold(Vector3(up.0 * 9.22, 0, 3.36))
        }
        let status = scene.machine.status
        #expect(status.tabletMode == .laptop && scene.shown == up.1 && status.interfaceRule == .laptop)
        #expect(hasSwitch || abs(status.hingeAngle - 110) < 1)
        scene.hold(upright)
        #expect(scene.shown == up.1)
    }

    // The display was turned to portrait, for ever, when laptop mode came while the device rested.
    @Test func `the edge is learned also when laptop mode comes at rest`() {
        var scene = Scene {
            $0.autorotate = .tabletMode
            $0.naturalOrientation = .portrait
        }
        scene.sample()
        for _ in 0..<60 { scene.hold(Vector3(9.22, 0, 3.36)) }
        #expect(scene.shown == .landscapeRight && scene.machine.sensing.display.level != .stream)
        let effects = scene.handle(.tabletSwitch(.laptop))
        #expect(effects.transition == nil && scene.shown == .landscapeRight)
        // A frame buffer that comes later has a console that is not turned.
        scene.handle(.displayFound(natural: .portrait, laptopEdge: .portrait))
        #expect(scene.shown == .landscapeRight && scene.machine.configuration.laptopEdge == .landscapeLeft)
        scene.handle(.displayFound(natural: .portrait, laptopEdge: .landscapeRight))
        #expect(scene.shown == .landscapeLeft)
    }

    // Each start of orientd turned the display of such a laptop to portrait for two seconds.
    @Test func `until an edge is learned, it is the long one that was shown last`() {
        var scene = Scene(saved: SavedState(lock: .off, held: .landscapeLeft, shown: .landscapeLeft)) {
            $0.autorotate = .tabletMode
            $0.naturalOrientation = .portrait
        }
        #expect(scene.handle(.tabletSwitch(.laptop)).transition == nil && scene.shown == .landscapeLeft)
    }

    @Test(arguments: [
        (DeviceOrientation.portrait, Vector3(-9.22, 0, 3.36), Vector3(-9.22, 0, -3.36), DeviceOrientation.portrait),
        (.portrait, Vector3(-9.22, 0, 3.36), Vector3(0, 0, 9.81), .portrait),
        (.portrait, Vector3(0, 9.22, 3.36), Vector3(0, 0, -9.81), .portrait),
        (.landscapeRight, Vector3(9.22, 0, 3.36), Vector3(0, 0, -9.81), .landscapeRight),
    ])
    func `no edge is learned from another pose, nor where the kernel tells it`(
        told: DeviceOrientation,
        display: Vector3,
        base: Vector3,
        edge: DeviceOrientation
    ) {
        var scene = Scene {
            $0.autorotate = .tabletMode
            $0.naturalOrientation = .portrait
            $0.laptopEdge = told
        }
        scene.handle(.claims(1))
        scene.sample(.base)
        scene.sample()
        for _ in 0..<60 {
            scene.hold(base, .base)
            scene.hold(display)
        }
        #expect(scene.machine.configuration.laptopEdge == edge)
    }

    // Noise makes the scale a little different at every claim, and each was a warning.
    @Test(arguments: [1.0, 1.02])
    func `a wrong scale is reported once`(noise: Double) {
        var scene = Scene { $0.classifier = .robust }
        var reports: [Double] = []
        for scale in [10, 10 * noise] {
            scene.sample()
            for _ in 0..<40 {
                let effects = scene.hold(Vector3(0, scale * AccelerometerSample.standardGravity, 0))
                if let scale = effects.wrongScale { reports.append(scale) }
            }
        }
        #expect(reports.count == 1 && abs(reports[0] - 10) < 1e-9)
    }

    // A scale far too small set the first edge for good, without a word.
    @Test func `readings that stay too small are reported once`() {
        var scene = Scene { $0.classifier = .robust }
        var reports: [Double] = []
        for _ in 0..<2 {
            scene.sample()
            for _ in 0..<40 {
                if let scale = scene.hold(Vector3(0, 0.03, 0)).wrongScale { reports.append(scale) }
            }
        }
        #expect(reports.count == 1 && reports[0] < OrientationClassifier.leastReference)
        #expect(scene.machine.status.deviceOrientation == .unknown)
        // Both reports came by turns, at each sample.
        for _ in 0..<40 { if let scale = scene.hold(Vector3(2 * 9.81, 0, 0)).wrongScale { reports.append(scale) } }
        #expect(reports.count == 2)
        #expect(scene.machine.status.deviceOrientation == .landscapeLeft)
    }

    @Test func `a device that falls when sampling begins is not reported`() {
        var scene = Scene { $0.classifier = .robust }
        scene.sample()
        for _ in 0..<15 { #expect(scene.hold(Vector3(0, 0.03, 0)).wrongScale == nil) }
        scene.hold(upright)
        for _ in 0..<15 { #expect(scene.hold(Vector3(0, 0.03, 0)).wrongScale == nil) }
        #expect(scene.machine.status.deviceOrientation == .portrait)
    }
}

// MARK: - Deciding

@Suite struct MachineDecisionTests {
    @Test func `one event makes at most one transition, with the reason of the last decision`() {
        var scene = Scene { $0.idiom = nil }
        scene.sample()
        scene.hold(upsideDown)
        #expect(scene.shown == .portraitUpsideDown)
        let effects = scene.handle(.chassisFound(.handset))
        #expect(effects.transition == Transition(from: .portraitUpsideDown, to: .portrait, reason: .configuration))
    }

    // MARK: - A display whose driver comes late

    @Test func `what the device showed is shown in the same way when a wide display comes`() {
        var scene = Scene()
        scene.sample()
        scene.hold(upsideDown)
        let effects = scene.handle(.displayFound(natural: .landscapeLeft, laptopEdge: .portrait))
        #expect(effects.status?.deviceOrientation == .landscapeRight)
        #expect(effects.transition?.to == .landscapeLeft && effects.status?.outputTransform == .rotated180)
        scene.hold(upright)
        #expect(scene.shown == .landscapeRight && scene.machine.status.outputTransform == .normal)
    }

    @Test func `before anything is known, its natural orientation is shown`() {
        var scene = Scene()
        let effects = scene.handle(.displayFound(natural: .landscapeLeft, laptopEdge: .portrait))
        #expect(effects.status?.naturalOrientation == .landscapeLeft)
        #expect(scene.shown == .landscapeRight && scene.machine.status.outputTransform == .normal)
    }

    @Test(arguments: [RotationLock.off, .current, .orientation(.portrait)])
    func `what an earlier run left keeps its name`(lock: RotationLock) {
        var scene = Scene(saved: SavedState(lock: lock, held: .portrait, shown: .portrait))
        scene.handle(.displayFound(natural: .landscapeLeft, laptopEdge: .portrait))
        #expect(scene.shown == .portrait && scene.machine.status.outputTransform == .rotated90)
    }

    @Test func `the edge that is up in a laptop comes with it`() {
        var scene = Scene { $0.autorotate = .tabletMode }
        scene.handle(.setTabletMode(.laptop))
        scene.handle(.displayFound(natural: .portrait, laptopEdge: .landscapeRight))
        #expect(scene.shown == .landscapeLeft && scene.machine.tablet.hinge.laptopEdge == .landscapeRight)
    }

    // A person who saw another program turn the display could not get it back: the agent learnt nothing.
    @Test(arguments: [
        (Event.rotate(.portrait), InterfaceReason.manual), (.alignToDevice, .manual),
        (.setRotationLock(.current), .lock),
        (.setRotationLock(.off), .lock),
    ])
    func `an explicit command that changes nothing is confirmed`(event: Event, reason: InterfaceReason) {
        var scene = Scene()
        scene.sample()
        let effects = scene.handle(event)
        #expect(effects.transition == nil)
        #expect(effects.confirmation == Confirmation(orientation: .portrait, reason: reason))
    }

    @Test func `a refused command, one that turns the interface, and other events confirm nothing`() {
        var scene = Scene { $0.supportedOrientations = .landscape }
        #expect(scene.handle(.rotate(.portrait)).confirmation == nil)
        let other: InterfaceOrientation = scene.shown == .landscapeLeft ? .landscapeRight : .landscapeLeft
        let effects = scene.handle(.rotate(other))
        #expect(effects.transition != nil && effects.confirmation == nil)
        #expect(scene.handle(.setAutorotate(.always)).confirmation == nil)
    }

    @Test func `a refused call changes nothing and says why`() {
        var scene = Scene { $0.supportedOrientations = .landscape }
        let before = scene.machine.status
        let effects = scene.handle(.rotate(.portrait))
        #expect(effects.refusal != nil && effects.status == nil && scene.machine.status == before)
    }

    // A tablet whose switch said laptop was rotated on the desk, and a laptop was not when its keyboard was taken off.
    @Test(arguments: Idiom.allCases)
    func `the chassis decides only until something has told the tablet mode`(idiom: Idiom) {
        var scene = Scene { $0.idiom = idiom }
        #expect(scene.machine.status.autorotate == idiom.autorotate)
        scene.handle(.setTabletMode(.laptop))
        #expect(scene.machine.status.autorotate == .tabletMode)
        // A laptop would follow the device for good.
        scene.handle(.setTabletMode(.unknown))
        #expect(scene.machine.status.autorotate == idiom.autorotate)
        scene.handle(.tabletSwitch(.laptop))
        #expect(scene.machine.status.autorotate == .tabletMode)
        // The switch was in the keyboard that was taken off.
        scene.handle(.tabletSwitch(.unknown))
        #expect(scene.machine.status.autorotate == .tabletMode)
        scene.handle(.setAutorotate(.always))
        scene.handle(.tabletSwitch(.laptop))
        #expect(scene.machine.status.autorotate == .always, "a client has chosen it")
    }

    @Test func `a client may hold 64 requests, and all together 256`() {
        var scene = Scene()
        let view = RotationRequest(appID: "org.example.App", supported: .all)
        for client in [":1.1", ":1.2", ":1.3", ":1.4"] {
            for _ in 0..<64 { #expect(scene.handle(.present(view, client: client)).refusal == nil) }
            guard client == ":1.1" else { continue }
            let text = "this connection holds 64 requests, the most it may"
            #expect(scene.handle(.present(view, client: client)).refusal == .limitExceeded(text))
        }
        let refusal = RotationRefusal.limitExceeded("all 256 requests are taken")
        #expect(scene.handle(.present(view, client: ":1.5")).refusal == refusal)
        #expect(scene.handle(.release(1, client: ":1.1")).refusal == nil)
        #expect(scene.handle(.present(view, client: ":1.5")).refusal == nil)
        #expect(scene.handle(.present(view, client: ":1.5")).refusal == refusal)
        scene.handle(.vanished(client: ":1.2"))
        #expect(scene.machine.policy.requests.count == 192)
        #expect(scene.handle(.present(view, client: ":1.5")).refusal == nil)
    }

    @Test func `a client may set 64 application masks, and all together 256`() {
        var scene = Scene()
        func set(_ mask: InterfaceOrientationMask?, _ app: Int, _ client: String) -> RotationRefusal? {
            scene.handle(.setApplicationMask(mask, appID: "org.example.App\(app)", client: client)).refusal
        }
        for client in [":1.1", ":1.2", ":1.3", ":1.4"] {
            for app in 0..<64 { #expect(set(.portrait, app, client) == nil) }
            guard client == ":1.1" else { continue }
            let text = "this connection holds 64 application masks, the most it may"
            #expect(set(.portrait, 64, client) == .limitExceeded(text))
            #expect(set(.landscape, 0, client) == nil, "replaces a mask")
        }
        #expect(set(.portrait, 0, ":1.5") == .limitExceeded("all 256 application masks are taken"))
        #expect(set(nil, 0, ":1.1") == nil && set(.portrait, 0, ":1.5") == nil)
    }

    @Test func `a vanished client's requests are released`() throws {
        var scene = Scene()
        let view = RotationRequest(appID: "org.example.App", supported: .landscape)
        let id = try #require(scene.handle(.present(view, client: ":1.1")).request?.id)
        #expect(scene.shown.isLandscape)
        let effects = scene.handle(.vanished(client: ":1.1"))
        #expect(effects.released == [id] && effects.transition?.to == .portrait)
    }
}

// MARK: - The saved state

@Suite struct MachineSavingTests {
    @Test func `a lock is saved at once, and a turn ten seconds later`() {
        var scene = Scene()
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        scene.sample()
        let turn = scene.hold(rightEdgeUp)
        #expect(turn.save == nil && turn.deadline?.purpose == .save)
        scene.hold(upright)
        let again = scene.hold(rightEdgeUp)
        #expect(again.deadline == turn.deadline, "later turns do not delay it")
        #expect(scene.handle(.deadlinePassed(.save)).save?.shown == .landscapeRight)
        let lock = scene.handle(.setRotationLock(.current))
        #expect(lock.save?.lock == .current && lock.save?.held == .landscapeRight)
    }

    @Test func `what is shown is saved at the end`() {
        var scene = Scene()
        scene.sample()
        scene.hold(rightEdgeUp)
        #expect(scene.handle(.shutdown).save?.shown == .landscapeRight)
    }

    // A lock that could not be saved was never tried again: under it the interface does not change.
    @Test func `a state that could not be saved is tried again ten seconds later, and at the end`() {
        var scene = Scene()
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        #expect(scene.handle(.setRotationLock(.current)).save != nil)
        let failure = scene.handle(.saveFailed)
        #expect(failure.save == nil && failure.deadline?.purpose == .save)
        #expect(scene.handle(.claims(1)).save == nil)
        #expect(scene.handle(.deadlinePassed(.save)).save?.lock == .current)
        scene.handle(.saveFailed)
        #expect(scene.handle(.shutdown).save?.lock == .current)
    }

    // It was tried again every ten seconds for ever.
    @Test func `a state that cannot be saved is tried ever more rarely, and a new one at once`() {
        var scene = Scene()
        scene.handle(.sensorsFound)
        scene.handle(.switchesFound)
        scene.handle(.setRotationLock(.current))
        var delays: [Double] = []
        for _ in 0..<12 {
            let deadline = scene.handle(.saveFailed).deadline
            delays.append((deadline?.time ?? 0) - scene.time)
            #expect(scene.handle(.deadlinePassed(.save)).save?.lock == .current)
        }
        #expect(delays.prefix(3).map { ($0 * 10).rounded() } == [100, 200, 400])
        #expect((delays.last ?? 0).rounded() == 3600)
        #expect(scene.handle(.setRotationLock(.off)).save?.lock == .off)
        let deadline = scene.handle(.saveFailed).deadline
        #expect(((deadline?.time ?? 0) - scene.time).rounded() == 10)
    }

    // `orientctl autorotate never` had no effect on a laptop that never rotates by default.
    @Test func `choosing the mode that is the default is a choice, and saved`() {
        var scene = Scene { $0.idiom = .laptop }
        #expect(scene.machine.status.autorotate == .never)
        #expect(scene.handle(.setAutorotate(.never)).save?.autorotate == .never)
        scene.handle(.tabletSwitch(.laptop))
        #expect(scene.machine.status.autorotate == .never)
    }

    @Test func `an earlier run's lock and mode hold from the start`() {
        let saved = SavedState(lock: .current, held: .landscapeLeft, autorotate: .never, shown: .landscapeLeft)
        var scene = Scene(saved: saved)
        #expect(scene.shown == .landscapeLeft && scene.machine.status.autorotate == .never)
        #expect(scene.machine.status.rotationLock == .current)
        #expect(scene.handle(.shutdown).save == nil, "the disk has it")
    }
}
