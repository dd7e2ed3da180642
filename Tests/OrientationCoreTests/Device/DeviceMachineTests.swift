// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore

/// A device, its helper and the loop as a machine sees them, on a clock that the test moves.
private struct World {
    var machine = DeviceMachine(stallTime: 5)
    var time = 0.0
    var commands = DeviceCommands()
    var reports: [DeviceReport] = []
    var jobs: [DeviceJob] = []
    /// The job under way; a job of an abandoned device is forgotten.
    var job: DeviceJob?

    /// Whether the device's settings were changed and not restored.
    var isChanged = false
    var isPresent = false
    var mayBeSilent = false
    var readings = 0
    /// Whether it was reported that readings come, since they are needed.
    private var isStarted = false
    /// When the sensor was read.
    private var read = 0.0

    // What the device does.
    var buffers = true
    var sensitivity: Double? = 0
    /// Whether readings come.
    var isAlive = true
    /// Jobs that fail.
    var fails: (DeviceJob) -> Bool = { _ in false }
    /// Whether the job under way does not end.
    var hangs = false

    mutating func send(_ event: DeviceEvent, sourceLocation: SourceLocation = #_sourceLocation) {
        if case .found(let traits) = event { (isPresent, mayBeSilent) = (true, traits.mayBeSilent) }
        if case .removed = event { isPresent = false }
        commands = machine.handle(event, at: time)
        if commands.abandons { (job, isChanged) = (nil, false) }
        if let new = commands.job {
            #expect(job == nil, "one job at a time: \(new) came during \(job as Any)", sourceLocation: sourceLocation)
            #expect(isPresent, "no job after removal: \(new)", sourceLocation: sourceLocation)
            if case .open = new {
                #expect(!isChanged, "settings were not restored before \(new)", sourceLocation: sourceLocation)
                isChanged = true
            }
            job = new
            jobs.append(new)
        }
        if !isPresent { #expect(commands.reading == .none, sourceLocation: sourceLocation) }
        if machine.isClosed {
            #expect(!isChanged && job == nil && machine.deadline == nil, sourceLocation: sourceLocation)
        } else if !mayBeSilent, commands.reading != .timer {
            #expect(machine.deadline != nil, "nothing watches over it", sourceLocation: sourceLocation)
        }
        if let report = commands.report { reports.append(report) }
        switch (event, commands.report) {
        case (_, .started): isStarted = true
        case (.stop, _), (.removed, _), (_, .failed): isStarted = false
        default: break
        }
        #expect(isStarted || commands.reading == .none, "nothing says that it is read", sourceLocation: sourceLocation)
    }

    /// Seconds between two readings that reach the machine.
    private var pause: Double {
        switch commands.reading {
        case .timer: commands.sensing.period ?? 0
        case .poll where commands.sensing.level != .stream: commands.sensing.longestSilence
        default: 0
        }
    }

    /// Ends the job under way.
    mutating func endJob() {
        guard let ended = job else { return }
        job = nil
        if ended == .close { isChanged = false }
        guard !fails(ended) else { return send(.finished(.failed("\(ended) failed"))) }
        switch ended {
        case .prepare, .extend, .closeBuffer, .close: send(.finished(.done(warnings: [])))
        case .setSensitivity(let change): send(.finished(.sensitivity(change)))
        case .open(let buffered):
            var opening = DeviceOpening()
            opening.isBuffered = buffered && buffers
            opening.rate = 10
            opening.hasSensitivity = sensitivity != nil
            send(.finished(.opened(opening)))
        }
    }

    /// Lets a second pass, in tenths.
    mutating func pass(seconds: Double = 1) {
        for _ in 0..<Int((seconds * 10).rounded()) {
            time += 0.1
            if let deadline = machine.deadline, deadline <= time { send(.deadlinePassed) }
            if job != nil, !hangs { endJob() }
            guard time - read >= pause - 1e-9 else { continue }
            read = time
            if isAlive, commands.reading != .none {
                readings += 1
                send(.reading(showsMotion: commands.sensing.level == .stream))
            } else if commands.reading == .timer {
                send(.deadlinePassed)
            }
        }
    }

    static let found = DeviceEvent.found(DeviceTraits(canBuffer: true, canPoll: true, mayBeSilent: false, rate: 10))

    /// A device that is read.
    static var started: World {
        var world = World()
        world.send(found)
        world.send(.start)
        world.pass()
        return world
    }

    /// A device without change sensitivity that hangs while its buffer is extended for rest.
    static var extending: World {
        var world = World()
        world.sensitivity = nil
        world.send(found)
        world.send(.start)
        world.pass()
        world.hangs = true
        world.send(.sense(DeviceMachineTests.rest()))
        return world
    }
}

@Suite struct DeviceMachineTests {
    @Test func `a device that cannot be described has failed, and is read as it is described once that is possible`() {
        var machine = DeviceMachine()
        #expect(machine.handle(.start, at: 0) == DeviceCommands())
        let failed = machine.handle(.undescribed("why"), at: 5)
        #expect(failed.report == .failed("why") && failed.job == nil && machine.isClosed)
        let traits = DeviceTraits(canBuffer: false, canPoll: true, mayBeSilent: false, rate: 2)
        #expect(machine.handle(.found(traits), at: 9).job == .prepare)
        #expect(machine.handle(.finished(.done(warnings: [])), at: 9).job == .open(buffered: false))
        #expect(machine.handle(.finished(.opened(DeviceOpening())), at: 9).reading == .poll)
        #expect(machine.sampleRate == 2)
    }

    private static let silent = DeviceReport.silent("no scan came for too long", isLost: false)

    fileprivate static func rest(_ level: SensingLevel = .watch) -> Sensing {
        var sensing = Sensing()
        (sensing.level, sensing.threshold, sensing.sensitivity) = (level, 0.3, 0.25)
        return sensing
    }

    @Test func `a device is prepared when it is found, opened when it is needed, and closed afterwards`() {
        var world = World()
        world.send(World.found)
        world.pass()
        #expect(world.jobs == [.prepare] && world.machine.isClosed && world.reports == [.closed(warnings: [])])
        world.send(.start)
        world.pass()
        #expect(world.jobs == [.prepare, .open(buffered: true)] && world.commands.reading == .scans)
        #expect(world.machine.mode == .buffer && world.machine.sampleRate == 10)
        world.send(.stop)
        world.pass()
        #expect(world.jobs.last == .close && world.machine.isClosed)
        #expect(world.reports == [.closed(warnings: []), .started(warnings: []), .closed(warnings: [])])
    }

    @Test func `what could not be restored is a warning of the report that a device is closed`() {
        var world = World.started
        world.send(.stop)
        world.job = nil
        world.isChanged = false
        world.send(.finished(.done(warnings: ["the rate"])))
        #expect(world.machine.isClosed && world.reports.last == .closed(warnings: ["the rate"]))
    }

    @Test func `a device that is announced again is closed and prepared before it is opened again`() {
        var world = World.started
        world.jobs = []
        world.send(World.found)
        world.pass()
        #expect(world.jobs == [.close, .prepare, .open(buffered: true)] && world.commands.reading == .scans)
    }

    // It stayed lost until the daemon was restarted, even when it was plugged in again.
    @Test func `a device that hangs while it is opened, and is removed and added again, is read again`() {
        var world = World()
        world.send(World.found)
        world.pass()
        world.hangs = true
        world.send(.start)
        world.pass(seconds: 6)
        #expect(world.reports.last == .stalled("no answer for 5 s"))
        world.send(.removed)
        world.hangs = false
        world.send(World.found)
        world.send(.start)
        world.pass()
        #expect(world.jobs == [.prepare, .open(buffered: true), .prepare, .open(buffered: true)])
        #expect(world.commands.reading == .scans)
    }

    // MARK: - Watchdogs

    @Test func `a job that hangs is reported with exponential back-off while the device is needed`() {
        var world = World()
        world.send(World.found)
        world.pass()
        world.hangs = true
        world.send(.start)
        world.pass(seconds: 50)
        // In steps of a tenth of a second.
        let stalls = [5, 10, 20, 41].map { DeviceReport.stalled("no answer for \($0) s") }
        #expect(Array(world.reports.dropFirst()) == stalls)
        world.send(.stop)
        world.pass(seconds: 500)
        #expect(world.reports.count == 5)
        world.hangs = false
        world.pass()
        #expect(world.machine.isClosed)
    }

    // It stayed `sampling`, without an error and with the old orientation, for as long as it was watched.
    @Test func `a buffer that streams is opened anew when its scans end`() {
        var world = World.started
        world.isAlive = false
        world.pass(seconds: 5.5)
        #expect(world.reports.contains(Self.silent) && world.jobs.contains(.close))
        world.isAlive = true
        world.pass()
        #expect(world.commands.reading == .scans && world.reports.last == .started(warnings: []))
    }

    @Test func `a buffer that gives no scans once it is opened anew is left for polling`() {
        var world = World.started
        world.isAlive = false
        world.pass(seconds: 8)
        #expect(world.commands.reading == .poll && world.machine.mode == .poll)
        #expect(world.reports.last == .started(warnings: ["no scan came in time; polling instead"]))
    }

    // A hub that was slow once after sleep was polled until orientd was restarted.
    @Test(arguments: [1.0, 6])
    func `a buffer that has worked for a while is tried again at the next opening`(worked: Double) {
        var world = World.started
        world.pass(seconds: worked)
        for isAlive in [false, true] {
            world.send(.stop)
            world.pass()
            world.isAlive = isAlive
            world.send(.start)
            world.pass(seconds: 2)
            world.isAlive = true
            world.pass()
        }
        #expect(world.machine.mode == (worked > 5 ? .buffer : .poll) && world.jobs.contains(.closeBuffer))
    }

    // It was opened anew for ever: a few scans after each opening made it count as working. At rest nobody noticed for
    // a minute.
    @Test(arguments: [SensingLevel.stream, .watch, .doze])
    func `a buffer whose trigger ends after each opening is left for polling`(level: SensingLevel) {
        var world = World()
        world.sensitivity = nil
        world.send(World.found)
        world.send(.start)
        world.pass()
        if level != .stream { world.send(.sense(Self.rest(level))) }
        world.pass()
        world.isAlive = false
        let end = world.time + 6.5
        while !world.reports.contains(Self.silent), world.time < end { world.pass(seconds: 0.1) }
        #expect(world.reports.contains(Self.silent))
        world.isAlive = true
        world.pass()
        world.isAlive = false
        world.pass(seconds: 6.5)
        #expect(world.commands.reading == .poll)
        #expect(world.reports.contains(.started(warnings: ["no scan came for too long; polling instead"])))
    }

    // Each stall was reported, and each scan ended it.
    @Test func `a job that hangs while scans come is no stall`() {
        var world = World.started
        world.hangs = true
        world.send(.sense(Self.rest()))
        #expect(world.job == .setSensitivity(0.25) && world.commands.reading == .scans)
        let count = world.reports.count
        world.pass(seconds: 60)
        #expect(world.reports.count == count)
        world.isAlive = false
        world.pass(seconds: 6)
        #expect(world.reports.last == .stalled("no answer for 5 s"))
    }

    // It was published as idle for as long as it was read.
    @Test func `a device that is needed again before a job of its buffer has ended is read as if opened then`() {
        var world = World.started
        world.hangs = true
        world.send(.sense(Self.rest()))
        #expect(world.job == .setSensitivity(0.25))
        world.send(.stop)
        #expect(world.commands.reading == .none)
        world.reports = []
        world.send(.start)
        #expect(world.reports == [.started(warnings: [])])
        #expect(world.commands.reading == .scans && world.commands.sensing == .stream)
        world.hangs = false
        world.pass()
        #expect(world.jobs.last == .setSensitivity(0) && world.commands.reading == .scans)
    }

    // It was published as lost, although nobody had it read any more.
    @Test(arguments: [DeviceEvent.stop, World.found])
    func `a job that fails once a device is stopped or found again is no failure`(event: DeviceEvent) {
        var world = World.extending
        #expect(world.job == .extend)
        world.send(event)
        world.fails = { $0 == .extend }
        world.hangs = false
        world.pass()
        #expect(!world.reports.contains { if case .failed = $0 { true } else { false } })
        #expect(world.machine.isClosed == (event == .stop))
    }

    // Nothing noticed it: the sensor stayed `sampling`, without readings, until the daemon was restarted.
    @Test func `a poll that cannot be started ends sampling`() {
        var world = World()
        world.buffers = false
        world.send(World.found)
        world.send(.start)
        world.pass()
        world.send(.unreadable("no timer"))
        #expect(world.reports.last == .failed("no timer"))
        world.pass()
        #expect(world.machine.isClosed)
    }

    @Test func `a switch may be silent for ever`() {
        var world = World()
        world.send(.found(DeviceTraits(canBuffer: true, canPoll: false, mayBeSilent: true, rate: 10)))
        world.send(.start)
        world.pass()
        world.isAlive = false
        world.pass()
        #expect(world.commands.reading == .scans && world.machine.deadline == nil)
    }

    /// Lets seconds pass; returns how often the last scan was to be compared, with an echo of each comparison in the buffer.
    private func comparisons(_ world: inout World, seconds: Double, echoes: Bool = false) -> Int {
        var count = 0
        for _ in 0..<Int(seconds * 10) {
            world.commands.compares = false
            world.pass(seconds: 0.1)
            guard world.commands.compares else { continue }
            count += 1
            if echoes { world.send(.reading(showsMotion: true)) }
        }
        return count
    }

    // A light sensor of Framework's laptops gives a scan or two after each opening, and no more.
    @Test(arguments: [false, true])
    func `a buffer that has told only its first state is compared with the values`(echoes: Bool) {
        var world = World()
        world.send(.found(DeviceTraits(canBuffer: true, canPoll: true, mayBeSilent: true, rate: 10)))
        world.send(.start)
        world.pass()
        world.isAlive = false
        #expect(comparisons(&world, seconds: 4, echoes: echoes) == 0)
        #expect(comparisons(&world, seconds: 60, echoes: echoes) == 12)
        #expect(comparisons(&world, seconds: 600, echoes: echoes) == 10)
        #expect(world.reports == [.closed(warnings: []), .started(warnings: [])] && world.commands.reading == .scans)
        world.send(.unreadable("no scan comes"))
        world.pass(seconds: 0.2)
        #expect(world.reports.last == .started(warnings: ["no scan comes; polling instead"]))
        #expect(world.commands.reading == .poll)
        // The next opening does not try the buffer again.
        world.send(.stop)
        world.pass()
        world.send(.start)
        world.pass()
        #expect(world.jobs.last == .open(buffered: false))
    }

    // A hub that gives one scan after each opening was opened anew for ever: its turns were seen minutes later.
    @Test(arguments: [false, true])
    func `an accelerometer that was silent for too long is compared, and polled if it reads otherwise`(echoes: Bool) {
        var world = World.started
        world.isAlive = false
        let openings = { (world: World) in world.jobs.filter { $0 == .open(buffered: true) }.count }
        while openings(world) < 2 || world.job != nil { #expect(comparisons(&world, seconds: 0.1) == 0) }
        world.send(.reading(showsMotion: true))
        world.send(.sense(Self.rest()))
        #expect(comparisons(&world, seconds: 31, echoes: echoes) == 6)
        world.send(.unreadable("it reads otherwise"))
        world.pass(seconds: 0.2)
        #expect(world.commands.reading == .poll)
    }

    @Test func `a buffer that has reported a change is not compared`() {
        var world = World()
        world.send(.found(DeviceTraits(canBuffer: true, canPoll: true, mayBeSilent: true, rate: 10)))
        world.send(.start)
        world.pass()
        world.isAlive = false
        #expect(comparisons(&world, seconds: 30) > 3)
        world.pass(seconds: 3)
        world.send(.reading(showsMotion: true))
        #expect(comparisons(&world, seconds: 600) == 0)
        #expect(world.machine.deadline == nil)
    }

    // A sensor that reports only changes gives one scan when it is opened, and none while it lies still.
    @Test(arguments: [false, true])
    func `a buffer that is silent again and again is opened anew ever more rarely`(measuresOnlyAngle: Bool) {
        let first = measuresOnlyAngle ? 7.5 : 10
        var world = World.started
        var sensing = measuresOnlyAngle ? Self.rest() : .stream
        if measuresOnlyAngle { sensing.purpose = .angle }
        var openings: [Double] = []
        for _ in 0..<40_000 {
            world.isAlive = world.reports.last != .started(warnings: []) || world.readings == 0
            let before = world.jobs.count
            if world.job != nil { world.readings = 0 }
            // After each opening, it streams.
            world.send(.sense(sensing))
            world.pass(seconds: 0.1)
            if world.jobs.count > before, world.jobs.last == .open(buffered: true) { openings.append(world.time) }
        }
        let pauses = zip(openings, openings.dropFirst()).map { $1 - $0 }
        let expected = (0..<pauses.count).map { min(first * Double(1 << min($0, 8)), 960) }
        // A reading by timer finds it.
        let delay = measuresOnlyAngle ? Sensing.longestPeriod : 0
        #expect(pauses.count > 8 && zip(pauses, expected).allSatisfy { ($1 - 0.5...$1 + delay + 0.8).contains($0) })
    }

    @Test func `a polled device that does not answer is stalled, at rest after its longest silence`() {
        var world = World()
        world.buffers = false
        world.send(World.found)
        world.send(.start)
        world.pass()
        #expect(world.commands.reading == .poll)
        world.isAlive = false
        world.pass(seconds: 6)
        #expect(world.reports.last == .stalled("no answer for 5 s"))
        world.isAlive = true
        world.pass()
        world.send(.sense(Self.rest()))
        world.isAlive = false
        let count = world.reports.count
        world.pass(seconds: 14)
        #expect(world.reports.count == count)
        world.pass(seconds: 2)
        #expect(world.reports.last == .stalled("no answer for 15 s"))
    }

    // A folded tablet's keyboard was dead for 15 s, with a hub for more than a minute.
    @Test(arguments: [SensingPurpose.angle, .orientationAndKeyboard], [false, true])
    func `a sensor on which the keyboard depends is silent for five seconds at most`(
        purpose: SensingPurpose,
        buffers: Bool
    ) {
        var world = World()
        (world.buffers, world.sensitivity) = (buffers, nil)
        world.send(World.found)
        world.send(.start)
        world.pass()
        var sensing = Self.rest(.doze)
        sensing.purpose = purpose
        world.send(.sense(sensing))
        world.pass(seconds: 20)
        let count = world.reports.count
        world.isAlive = false
        world.pass(seconds: 3.5)
        #expect(world.reports.count == count)
        world.pass(seconds: 2)
        // Lost at once, not only opened anew: the angle of the hinge is unknown.
        let report = world.reports.dropFirst(count).first
        #expect(report == .stalled("no answer for 5 s") || report == .silent("no scan came for too long", isLost: true))
    }

    // The extension of the buffer hung, and the sensor stayed `sampling`.
    @Test func `a buffer whose extension hangs is stalled`() {
        var world = World.extending
        #expect(world.jobs.last == .extend && world.commands.reading == .none)
        world.pass(seconds: 6)
        #expect(world.reports.last == .stalled("no answer for 5 s"))
        world.hangs = false
        world.pass()
        #expect(world.commands.reading == .timer)
    }

    @Test(arguments: [(SensingPurpose.orientation, 60.0), (.orientationAndKeyboard, 10)])
    func `a quiet sensor is asked for a scan now and then, whatever level follows at rest`(
        purpose: SensingPurpose,
        period: Double
    ) {
        var world = World.started
        func sense(_ level: SensingLevel) {
            var sensing = Self.rest(level)
            sensing.purpose = purpose
            world.send(.sense(sensing))
        }
        sense(.watch)
        world.pass()
        world.isAlive = false
        world.jobs = []
        for second in 0..<Int(period) - 2 {
            if second % 20 == 0 { sense(second % 40 == 0 ? .doze : .watch) }
            world.pass()
        }
        #expect(world.jobs == [])
        while world.jobs.isEmpty, world.time < 100 { world.pass(seconds: 0.1) }
        #expect(world.jobs == [.setSensitivity(0)] && world.time > period)
        world.isAlive = true
        world.pass()
        #expect(world.jobs == [.setSensitivity(0), .setSensitivity(0.25)])
    }

    @Test func `a sensor that does not give the scan that it is asked for is opened anew`() {
        var world = World.started
        world.send(.sense(Self.rest()))
        world.pass()
        world.isAlive = false
        world.pass(seconds: 62)
        #expect(world.reports.contains(Self.silent))
    }

    // A buffer of 1 Hz was abandoned after 0.5 s.
    @Test(arguments: [(1000, 0.5), (15, 0.5), (2, 0.75), (1, 1.5), (0.5, 3), (0.01, 10)] as [(Double, Double)])
    func `the first scan is awaited for one and a half periods of the sensor`(rate: Double, seconds: Double) {
        #expect(DeviceBuffer.probeTime(rate: rate) == seconds)
    }

    // MARK: - Random schedules

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `whatever happens, one job is under way, settings are restored, and readings come again`(seed: UInt64) {
        var generator = SplitMix(state: seed)
        var world = World()
        world.buffers = Bool.random(using: &generator)
        world.sensitivity = Bool.random(using: &generator) ? 0 : nil
        for _ in 0..<400 {
            switch Int.random(in: 0..<14, using: &generator) {
            case 0: world.send(World.found)
            case 1: world.send(.removed)
            case 2, 3: world.send(.start)
            case 4: world.send(.stop)
            case 5: world.send(.sense(.stream))
            case 6: world.send(.sense(Self.rest()))
            case 7: world.send(.sense(Self.rest(.doze)))
            case 8: world.send(.rescaled(nil))
            case 9: world.hangs.toggle()
            case 10: world.isAlive.toggle()
            case 11:
                let isBad = Bool.random(using: &generator)
                world.fails = { isBad && $0 != .close }
            case 12 where world.commands.reading != .none: world.send(.readFailed(.error, "a reading failed"))
            case 13 where world.commands.reading == .scans && world.job == nil: world.send(.unreadable("no node"))
            default: world.endJob()
            }
            world.pass(seconds: [0.1, 0.3, 2, 20].randomElement(using: &generator) ?? 1)
        }
        (world.hangs, world.isAlive, world.fails) = (false, true, { _ in false })
        world.pass(seconds: 30)
        // As after a scan.
        world.send(World.found)
        world.send(.start)
        world.pass(seconds: 30)
        let readings = world.readings
        world.pass()
        #expect(world.readings == readings + 10 && world.commands.reading != .none)
        world.send(.stop)
        world.pass()
        #expect(world.machine.isClosed && !world.isChanged)
    }
}
