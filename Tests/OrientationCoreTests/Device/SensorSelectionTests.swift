// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore

/// A selection, and what its commands have led to.
private struct Scene {
    var selection = SensorSelection()
    var commands = SensorCommands()
    var running: Set<Int> = []
    var starts = 0
    var log: [SensorLog] = []
    var lastNumber = 0

    init() { send { $0.endScan(mayReturn: .failures, retries: false, at: 0) } }

    mutating func send(_ event: (inout SensorSelection) -> Void) {
        event(&selection)
        commands = selection.takeCommands()
        if let line = commands.log { log.append(line) }
        if let number = commands.stop { running.remove(number) }
        if let number = commands.start {
            running.insert(number)
            starts += 1
        }
    }

    /// Has a scan find a sensor, for the first time or again, and returns its number.
    @discardableResult
    mutating func find(
        _ name: String,
        at path: String? = nil,
        location: SensorLocation = .display,
        isSubstitute: Bool = false,
        isAnnounced: Bool = false
    ) -> Int {
        let identity = SensorIdentity(name: name, location: location, path: path ?? "/sys/devices/" + name)
        let number: Int
        switch selection.match(identity, isAnnounced: isAnnounced) {
        case .working(let known), .returned(let known): number = known
        case .new:
            lastNumber += 1
            number = lastNumber
        }
        send { $0.find(number, identity, isSubstitute: isSubstitute) }
        send { $0.endScan(mayReturn: .failures, retries: false, at: 0) }
        return number
    }

    mutating func remove(_ name: String) {
        remove(at: "/sys/devices/" + name, "the device was removed")
    }

    /// Removes the sensor that is at a path.
    mutating func remove(at path: String, _ reason: String) {
        let present = selection.sensors.first { $0.condition != .unplugged && $0.identity.path == path }
        if let present { send { $0.remove(present.number, reason, at: 0) } }
    }

    mutating func begin(_ number: Int) { send { $0.handle(.started(warnings: []), of: number, at: 0) } }

    mutating func fail(_ number: Int, _ reason: String = "no more") {
        send { $0.handle(.failed(reason), of: number, at: 0) }
    }

    mutating func read(_ number: Int, count: Int = 1) {
        for _ in 0..<count { send { $0.add(nil, of: number) } }
    }

    func state(_ number: Int) -> SensorState? { selection.sensor(number)?.state }
}

@Suite struct SensorSelectionTests {
    private var scene = Scene()

    @Test mutating func `one that is known to be in the display comes before one of unknown place`() {
        let unknown = scene.find("a", location: .unknown)
        scene.send { $0.need(true) }
        #expect(scene.running == [unknown])
        let display = scene.find("b", location: .display)
        #expect(scene.running == [display] && scene.selection.active?.number == display)
        // The other one takes its place while it is lost.
        scene.fail(display)
        #expect(scene.running == [unknown])
        #expect(scene.find("b", location: .display) == display)
        #expect(scene.running == [display])
    }

    @Test mutating func `one that is marked later takes the place of one of unknown place`() {
        let (first, second) = (scene.find("a", location: .unknown), scene.find("b", location: .unknown))
        scene.send { $0.need(true) }
        #expect(scene.running == [first])
        // As the daemon reports a device whose location changed.
        scene.remove(at: "/sys/devices/b", "the device is b (display) now")
        let marked = scene.find("b", location: .display)
        #expect(marked != second && scene.running == [marked])
    }

    @Test(
        arguments: [
            (SensorLocation.display, false, 0), (.base, false, 0), (.display, true, 1), (.unknown, false, 2),
            (.unknown, true, 3), (.base, true, nil),
        ] as [(SensorLocation, Bool, Int?)]
    )
    func `the place matters more than the subsystem`(location: SensorLocation, isSubstitute: Bool, rank: Int?) {
        #expect(SensorSelection.rank(location, isSubstitute: isSubstitute) == rank)
    }

    @Test mutating func `there is none before one is found`() {
        #expect(!scene.selection.hasSensor && scene.selection.state == .none && !scene.selection.mayDeliverReadings)
        scene.send { $0.need(true) }
        #expect(!scene.commands.scans && !scene.selection.mayDeliverReadings)
    }

    @Test mutating func `the first that was found is read, and only while it is needed`() {
        let (first, second) = (scene.find("a"), scene.find("b"))
        #expect(scene.selection.active?.number == first && scene.running.isEmpty && scene.selection.state == .idle)
        scene.send { $0.need(true) }
        #expect(scene.running == [first] && !scene.commands.scans && second != first)
        scene.begin(first)
        #expect(scene.selection.state == .sampling)
        scene.send { $0.need(false) }
        #expect(scene.running.isEmpty && scene.selection.state == .idle)
    }

    // A claim was answered before the first reading: no sensor was chosen yet, so none was to be expected.
    @Test mutating func `what a scan finds changes nothing before the scan has ended`() {
        scene.send { $0.need(true) }
        let identity = SensorIdentity(name: "a", location: .display, path: "/sys/devices/a")
        scene.send { $0.find(1, identity, isSubstitute: false) }
        #expect(!scene.commands.isChanged && !scene.selection.hasSensor)
        scene.send { $0.endScan(mayReturn: .failures, retries: false, at: 0) }
        #expect(scene.commands.isChanged && scene.selection.mayDeliverReadings)
    }

    @Test mutating func `one that comes while it is needed is read at once`() {
        scene.send { $0.need(true) }
        let sensor = scene.find("a")
        #expect(scene.running == [sensor])
    }

    @Test mutating func `a substitute gives way to a better one that comes later, and takes its place when it goes`() {
        scene.send { $0.need(true) }
        let substitute = scene.find("a", isSubstitute: true)
        #expect(scene.running == [substitute])
        let better = scene.find("b")
        #expect(scene.running == [better])
        scene.remove("b")
        #expect(scene.selection.active?.number == substitute && scene.running.contains(substitute))
    }

    @Test(arguments: [SensorLocation.display, .unknown, .base], [false, true])
    mutating func `all count but the input device in a base, which protects a disk`(
        location: SensorLocation,
        isSubstitute: Bool
    ) {
        scene.find("a", location: location, isSubstitute: isSubstitute)
        #expect(scene.selection.hasSensor == !(location == .base && isSubstitute))
    }

    // MARK: - Loss and return

    @Test mutating func `another takes the place of one that fails`() {
        let (first, second) = (scene.find("a"), scene.find("b"))
        scene.send { $0.need(true) }
        scene.fail(first)
        #expect(scene.selection.active?.number == second && scene.running.contains(second))
        #expect(scene.selection.retry == nil)
    }

    @Test mutating func `the only one stays when it fails, and another scan may bring it back`() {
        let sensor = scene.find("a")
        scene.send { $0.need(true) }
        scene.fail(sensor)
        #expect(scene.selection.hasSensor && scene.selection.state == .lost && scene.commands.isChanged)
        #expect(scene.selection.sensor(sensor)?.lastError == "no more" && scene.selection.mayDeliverReadings)
        scene.send { $0.need(false) }
        #expect(scene.state(sensor) == .lost, "rest does not find what was lost")
        scene.send { $0.need(true) }
        #expect(scene.commands.scans)
    }

    @Test mutating func `one that fails is retried at once, then with exponential back-off, until it is sound`() {
        let sensor = scene.find("a")
        scene.send { $0.need(true) }
        for delay in [0, 0.5, 1, 2, 4, 8, 16, 30, 30] {
            scene.begin(sensor)
            scene.read(sensor, count: 99)
            scene.fail(sensor, "Input/output error")
            #expect(scene.selection.retry == delay)
            scene.find("a")
        }
        #expect(scene.log.count == 1, "the same failure is logged once")
        scene.begin(sensor)
        scene.read(sensor, count: 100)
        scene.fail(sensor, "Input/output error")
        #expect(scene.selection.retry == 0 && scene.log.count == 2)
    }

    @Test mutating func `a device that udev announces ends the back-off`() {
        let sensor = scene.find("a")
        scene.send { $0.need(true) }
        scene.fail(sensor)
        scene.fail(sensor)
        scene.send { $0.announce() }
        #expect(scene.selection.retry == nil)
        scene.fail(sensor)
        #expect(scene.selection.retry == 0)
    }

    @Test mutating func `one that is plugged in again is read again, at another path too, and lost until a reading`() {
        let sensor = scene.find("a")
        scene.send { $0.need(true) }
        scene.remove("a")
        #expect(!scene.selection.hasSensor && scene.selection.state == .lost)
        #expect(!scene.selection.mayDeliverReadings, "udev announces its return")
        #expect(scene.find("a", at: "/sys/devices/other") == sensor)
        #expect(scene.selection.hasSensor && scene.running.contains(sensor) && scene.selection.state == .lost)
        scene.begin(sensor)
        #expect(scene.selection.state == .lost, "no reading has come yet")
        scene.read(sensor)
        #expect(scene.selection.state == .sampling && scene.selection.active?.lastError == "")
    }

    static let identities: [(String, SensorLocation, String, SensorSelection.Match)] = [
        ("accel", .display, "/sys/devices/accel", .returned(1)), ("accel", .display, "/sys/devices/b", .returned(1)),
        ("other", .display, "/sys/devices/accel", .new), ("accel", .base, "/sys/devices/accel", .new),
        ("accel", .unknown, "/sys/devices/accel", .new),
    ]

    @Test(arguments: identities)
    mutating func `a sensor that returns is known by its name and place, whatever its path`(
        name: String,
        location: SensorLocation,
        path: String,
        match: SensorSelection.Match
    ) {
        scene.find("accel")
        scene.remove("accel")
        let identity = SensorIdentity(name: name, location: location, path: path)
        #expect(scene.selection.match(identity, isAnnounced: false) == match)
    }

    @Test mutating func `one that works is used again only if udev announces it`() {
        scene.find("a")
        let identity = SensorIdentity(name: "a", location: .display, path: "/sys/devices/a")
        #expect(scene.selection.match(identity, isAnnounced: false) == .working(1))
        #expect(scene.selection.match(identity, isAnnounced: true) == .returned(1))
    }

    @Test mutating func `where udev announces nothing, scans are repeated until a sensor works`() {
        scene.send { $0.need(true) }
        scene.send { $0.endScan(mayReturn: .arrivals, retries: false, at: 0) }
        #expect(scene.selection.retry == 0 && scene.selection.mayDeliverReadings)
        scene.send { $0.endScan(mayReturn: .arrivals, retries: false, at: 0) }
        #expect(scene.selection.retry == 0.5)
        scene.send { $0.expire(at: 0.4) }
        #expect(!scene.commands.scans)
        scene.send { $0.expire(at: 0.5) }
        #expect(scene.commands.scans)
        scene.find("a")
        #expect(scene.selection.retry == nil)
    }

    // It was published as lost, though it waited for nothing but its turn.
    @Test mutating func `a standby sensor that returns is idle`() {
        let (first, second) = (scene.find("a"), scene.find("b"))
        scene.send { $0.need(true) }
        scene.begin(first)
        scene.read(first)
        scene.remove("a")
        scene.begin(second)
        scene.read(second)
        scene.find("a")
        #expect(scene.selection.active?.number == second && scene.selection.state == .sampling)
        #expect(scene.state(first) == .idle)
    }

    @Test mutating func `another takes the place of one that hangs, which may answer later`() {
        let first = scene.find("a")
        scene.send { $0.need(true) }
        scene.begin(first)
        scene.send { $0.handle(.stalled("no answer for 6 s"), of: first, at: 0) }
        #expect(scene.selection.state == .lost && scene.running == [first] && scene.selection.mayDeliverReadings)
        scene.read(first)
        #expect(scene.selection.state == .sampling)
        scene.send { $0.handle(.stalled("no answer for 6 s"), of: first, at: 0) }
        let second = scene.find("b")
        #expect(scene.running == [second])
        scene.send { $0.handle(.closed(warnings: []), of: first, at: 0) }
        #expect(scene.state(first) == .idle, "it has answered")
    }

    // The worse one was read until orientd was restarted, and showed the orientation of the keyboard's half.
    @Test mutating func `a better one that failed is tried again, ever more rarely, while a worse one is read`() {
        let (better, worse) = (scene.find("a"), scene.find("b", location: .unknown))
        scene.send { $0.need(true) }
        for delay in [0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600] {
            scene.begin(better)
            scene.fail(better)
            #expect(scene.running.contains(worse) && scene.selection.activeNumber == worse)
            scene.read(worse, count: 100)
            #expect(scene.selection.retry == delay)
            scene.send { $0.expire(at: delay) }
            #expect(scene.commands.scans)
            scene.find("a")
            #expect(scene.selection.activeNumber == better)
        }
        #expect(scene.log.count == 1)
        scene.fail(better)
        scene.fail(worse)
        #expect(scene.selection.retry == 0, "none is left")
        scene.send { $0.need(false) }
        #expect(scene.selection.retry == nil)
        scene.send { $0.need(true) }
        #expect(scene.commands.scans)
    }

    @Test mutating func `a better one that hung is read again soon after it has answered`() {
        let (better, worse) = (scene.find("a"), scene.find("b", location: .unknown))
        scene.send { $0.need(true) }
        scene.begin(better)
        scene.send { $0.handle(.stalled("no answer for 6 s"), of: better, at: 0) }
        #expect(scene.selection.activeNumber == worse && scene.selection.retry == nil)
        scene.send { $0.handle(.closed(warnings: []), of: better, at: 7) }
        #expect(scene.selection.retry == 7)
        scene.send { $0.endScan(mayReturn: .failures, retries: false, at: 7) }
        #expect(scene.selection.activeNumber == better && scene.running.contains(better))
    }

    // It took turns with the worse one for ever, and hung each time.
    @Test mutating func `a better one that works for a while before it hangs is tried ever more rarely`() {
        let (better, worse) = (scene.find("a"), scene.find("b", location: .unknown))
        scene.send { $0.need(true) }
        for delay in [0, 0.5, 1, 2, 4] {
            scene.begin(better)
            scene.read(better, count: 150)
            scene.send { $0.handle(.stalled("no answer for 6 s"), of: better, at: 0) }
            scene.read(worse, count: 150)
            scene.send { $0.handle(.closed(warnings: []), of: better, at: 0) }
            #expect(scene.selection.retry == delay)
            scene.send { $0.expire(at: delay) }
            scene.find("a")
            #expect(scene.selection.activeNumber == better)
        }
    }

    // Until the next attempt, up to an hour later, nothing was read; one that was unplugged stayed in use.
    @Test(arguments: ["fail", "stall", "remove"])
    mutating func `a better one is tried at once when the worse one goes`(way: String) {
        let (better, worse) = (scene.find("a"), scene.find("b", location: .unknown))
        scene.send { $0.need(true) }
        for delay in [0, 0.5, 1, 2, 4] {
            scene.begin(better)
            scene.fail(better)
            #expect(scene.selection.retry == delay)
            scene.send { $0.expire(at: delay) }
            scene.find("a")
        }
        scene.begin(better)
        scene.fail(better)
        #expect(scene.selection.retry == 8 && scene.selection.activeNumber == worse)
        switch way {
        case "fail": scene.fail(worse)
        case "stall": scene.send { $0.handle(.stalled("no answer for 6 s"), of: worse, at: 0) }
        default:
            scene.remove("b")
            #expect(scene.selection.activeNumber == better && scene.selection.hasSensor)
        }
        #expect(scene.selection.retry == 0)
    }

    // Each stayed on the bus for ever.
    @Test mutating func `the last eight unplugged sensors are kept`() {
        for number in 0..<12 {
            scene.find("\(number)")
            scene.remove("\(number)")
        }
        // The last is the active one still.
        #expect(scene.selection.sensors.map { $0.identity.name } == (3..<12).map { "\($0)" })
    }

    // MARK: - Readings that cannot be trusted

    /// Has a sensor read with noise, or the very same reading until it is stopped; `time` is that of the last reading.
    private mutating func read(_ sensor: Int, isStuck: Bool, _ time: inout Double) {
        let end = time + (isStuck ? 60 : 4)
        var number = 0
        repeat {
            number += 1
            time += 0.1
            let acceleration = Vector3(isStuck ? 0 : Double(number % 2) / 100, 0, 9.8)
            scene.send { $0.add(AccelerometerSample(time: time, acceleration: acceleration), of: sensor) }
        } while time < end && scene.commands.stop == nil
    }

    // It was started anew for ever, and the other one never tried.
    @Test(arguments: [SensorLocation.display, .unknown])
    mutating func `a sensor that stays stuck gives way to another that is as suitable`(location: SensorLocation) {
        let sensor = scene.find("a")
        let other = scene.find("b", location: location)
        scene.send { $0.need(true) }
        scene.begin(sensor)
        var time = 0.0
        read(sensor, isStuck: false, &time)
        read(sensor, isStuck: true, &time)
        #expect(scene.commands.stop == sensor && scene.commands.start == sensor)
        scene.begin(sensor)
        read(sensor, isStuck: true, &time)
        let isOther = location == .display
        #expect(scene.commands.stop == sensor && scene.commands.start == (isOther ? other : sensor))
        #expect(scene.selection.activeNumber == (isOther ? other : sensor))
        #expect(scene.selection.sensor(sensor)?.lastError.hasPrefix("stuck: the very same reading for 20") == true)
    }

    @Test mutating func `a stuck sensor is started anew, and its error lasts until its readings differ`() {
        let sensor = scene.find("a")
        scene.send { $0.need(true) }
        scene.begin(sensor)
        var time = 0.0
        read(sensor, isStuck: false, &time)
        read(sensor, isStuck: true, &time)
        #expect(scene.commands.stop == sensor && scene.commands.start == sensor)
        #expect(scene.selection.active?.lastError == "stuck: the very same reading for 10 s")
        time += 0.1
        let moved = AccelerometerSample(time: time, acceleration: Vector3(0.01, 0, 9.8))
        scene.send { $0.add(moved, of: sensor) }
        #expect(scene.selection.active?.lastError == "" && scene.selection.state == .sampling)
    }

    @Test(arguments: [false, true])
    mutating func `the error of a sensor that was silent lasts until its next reading, as may its loss`(isLost: Bool) {
        let sensor = scene.find("a")
        scene.find("b")
        scene.send { $0.need(true) }
        scene.begin(sensor)
        scene.read(sensor)
        let report = DeviceReport.silent("no scan came for too long", isLost: isLost)
        for report in [report, .closed(warnings: []), .started(warnings: [])] {
            scene.send { $0.handle(report, of: sensor, at: 0) }
            #expect(scene.selection.activeNumber == sensor, "the other one is no better")
            #expect(scene.selection.active?.lastError == "no scan came for too long")
            #expect(scene.selection.state == (isLost ? .lost : .sampling))
        }
        scene.read(sensor)
        #expect(scene.selection.active?.lastError == "" && scene.selection.state == .sampling)
    }

    // MARK: - The machine sleeps, the daemon ends

    @Test mutating func `nothing is read while the machine sleeps`() {
        let sensor = scene.find("a")
        scene.send { $0.need(true) }
        scene.begin(sensor)
        scene.send { $0.enter(.suspended) }
        #expect(scene.running.isEmpty && scene.selection.state == .suspended && !scene.selection.mayDeliverReadings)
        scene.send { $0.enter(.running) }
        #expect(scene.running == [sensor])
    }

    // A claimant that left while another stayed started the sensors again, and their rate was never restored.
    @Test mutating func `nothing is started once the daemon ends`() {
        scene.find("a")
        scene.send { $0.need(true) }
        scene.send { $0.enter(.ending) }
        #expect(scene.running.isEmpty)
        scene.send { $0.need(false) }
        scene.send { $0.need(true) }
        scene.send { $0.endScan(mayReturn: .arrivals, retries: true, at: 0) }
        scene.send { $0.enter(.running) }
        #expect(scene.running.isEmpty && scene.starts == 1)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    mutating func `whatever happens, the sensor in use is the only one that runs, and only while it is needed`(
        seed: UInt64
    ) {
        var generator = SplitMix(state: seed)
        var (isNeeded, lifecycle) = (false, OrientationMachine.Lifecycle.running)
        for _ in 0..<300 {
            let name = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
            let number = Int.random(in: 1...max(1, scene.lastNumber), using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1: scene.find(name, isSubstitute: name == "a", isAnnounced: Bool.random(using: &generator))
            case 2: scene.remove(name)
            case 3:
                isNeeded.toggle()
                scene.send { $0.need(isNeeded) }
            case 4:
                lifecycle = lifecycle == .running ? .suspended : .running
                scene.send { $0.enter(lifecycle) }
            case 5 where scene.running.contains(number): scene.fail(number, "\(seed % 3)")
            case 6 where scene.running.contains(number):
                scene.send { $0.handle(.stalled("no answer"), of: number, at: 0) }
            case 7 where scene.running.contains(number): scene.begin(number)
            case 8 where !scene.running.contains(number):
                scene.send { $0.handle(.closed(warnings: []), of: number, at: 0) }
            default: if scene.running.contains(number) { scene.read(number) }
            }
            let selection = scene.selection
            // A source that failed has stopped by itself.
            let running = scene.running.filter { selection.sensor($0)?.works == true }
            let wanted = selection.isReading ? selection.active.flatMap { $0.works ? $0.number : nil } : nil
            #expect(running == Set([wanted].compactMap { $0 }))
        }
    }
}
