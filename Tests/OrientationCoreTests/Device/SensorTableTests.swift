// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore

/// Sensors that are carried out: each has a device that ends its jobs and is read.
private struct Drivers {
    var table = SensorTable()
    var time = 0.0
    /// The job under way of each device.
    var jobs: [Int: DeviceJob] = [:]
    /// How each sensor is read.
    var commands: [Int: DeviceCommands] = [:]
    /// Devices whose jobs do not end.
    var hung: Set<Int> = []
    var scans = 0
    var forgotten: [Int] = []
    var logged: [String] = []
    var changes = 0

    let display = SensorUse(.accelerometer)

    mutating func change(_ body: (inout SensorTable, Double) -> Void) {
        body(&table, time)
        for action in table.takeActions() {
            switch action {
            case .log(let line): logged.append(line.text)
            case .drive(let number, let new):
                if new.abandons { jobs[number] = nil }
                if let job = new.job {
                    #expect(jobs[number] == nil, "one job at a time")
                    jobs[number] = job
                }
                commands[number] = new
            case .forget(let number): forgotten.append(number)
            case .warn, .began: break
            case .changed: changes += 1
            case .scan: scans += 1
            }
        }
    }

    mutating func find(
        _ number: Int,
        path: String,
        name: String = "accel",
        isSubstitute: Bool = false,
        canBuffer: Bool = false
    ) {
        var device = FoundDevice()
        device.canBuffer = canBuffer
        (device.number, device.name, device.path, device.isSubstitute) = (number, name, path, isSubstitute)
        (device.canPoll, device.rate) = (true, 15)
        change { [device] in $0.find(device, at: $1) }
        endJobs()
    }

    mutating func endScan(mayReturn reason: RescanReason = .failures) {
        change { $0.endScan(mayReturn: reason, retries: false, at: $1) }
        endJobs()
    }

    mutating func need(_ isNeeded: Bool) {
        let use = display
        change { $0.need(isNeeded, use, at: $1) }
        endJobs()
    }

    mutating func remove(_ path: String) {
        for sensor in table.present(at: path) {
            change { $0.remove(sensor.number, "the device was removed", at: $1) }
        }
        endJobs()
    }

    /// Ends the jobs of all devices that do not hang, until there are none.
    mutating func endJobs() {
        while let (number, job) = jobs.first(where: { !hung.contains($0.key) }) {
            jobs[number] = nil
            var opening = DeviceOpening()
            if case .open(true) = job { opening.isBuffered = true }
            let result: DeviceJobResult = if case .open = job { .opened(opening) } else { .done(warnings: []) }
            change { $0.handle(.finished(result), of: number, at: $1) }
        }
    }

    /// Delivers a reading of a device that is read.
    mutating func read(_ number: Int, x: Double? = nil) {
        #expect(isRead(number))
        change { $0.handle(.reading(showsMotion: true), of: number, at: $1) }
        let sample = AccelerometerSample(time: time, acceleration: Vector3(x ?? time, 9.8, 0))
        change { $0.add(sample, of: number, at: $1) }
    }

    /// Lets time pass: what is due happens.
    mutating func pass(_ seconds: Double) {
        let end = time + seconds
        while let deadline = table.deadline, deadline <= end {
            time = max(time, deadline)
            change { $0.expire(at: $1) }
            endJobs()
        }
        time = end
    }

    func isRead(_ number: Int) -> Bool { commands[number]?.reading ?? .none != .none }

    var active: Int? { table.selection(display).activeNumber }
    var state: SensorState { table.selection(display).state }
}

@Suite struct SensorTableTests {
    private var drivers = Drivers()

    @Test mutating func `a sensor is opened while it is needed`() {
        drivers.find(1, path: "/sys/a")
        drivers.endScan()
        #expect(!drivers.isRead(1) && drivers.state == .idle && drivers.table.deadline == nil)
        drivers.need(true)
        #expect(drivers.isRead(1) && drivers.state == .sampling && drivers.table.deadline != nil)
        drivers.need(false)
        #expect(!drivers.isRead(1) && drivers.state == .idle && drivers.table.deadline == nil)
    }

    @Test mutating func `readings that change nothing leave nothing to do`() {
        drivers.find(1, path: "/sys/a")
        drivers.endScan()
        drivers.need(true)
        drivers.read(1)
        let changes = drivers.changes
        drivers.table.handle(.reading(showsMotion: true), of: 1, at: 0.1)
        drivers.table.add(AccelerometerSample(time: 0.1, acceleration: Vector3(1, 2, 3)), of: 1, at: 0.1)
        #expect(drivers.table.takeActions().isEmpty && drivers.changes == changes)
    }

    // It was started anew for ever, with the orientation of that scan.
    @Test mutating func `a buffer that repeats one scan although it was started anew is left for polling`() {
        drivers.find(1, path: "/sys/a", canBuffer: true)
        drivers.endScan()
        drivers.need(true)
        var modes: [SensorMode] = []
        for reading in 0..<400 {
            drivers.pass(0.1)
            drivers.read(1, x: reading < 40 ? Double(reading % 2) / 100 : 0)
            drivers.endJobs()
            if let mode = drivers.table.life(of: 1)?.mode, drivers.logged.count == modes.count { modes.append(mode) }
        }
        #expect(modes == [.buffer, .buffer, .poll])
    }

    @Test mutating func `another sensor takes the place of one that hangs, which works again when it answers`() {
        drivers.find(1, path: "/sys/a")
        drivers.find(2, path: "/sys/b", name: "other", isSubstitute: true)
        drivers.endScan()
        drivers.hung = [1]
        drivers.need(true)
        #expect(drivers.active == 1 && !drivers.isRead(2))
        drivers.pass(5.1)
        #expect(drivers.active == 2 && drivers.isRead(2) && drivers.logged == ["no answer for 5 s"])
        drivers.hung = []
        drivers.endJobs()
        drivers.endScan()
        #expect(drivers.active == 1 && drivers.isRead(1) && !drivers.isRead(2))
    }

    // The other one, which may be in the base, was read until the next event of udev.
    @Test mutating func `a better sensor that hung is read when readings are needed the next time`() {
        drivers.find(1, path: "/sys/a")
        drivers.find(2, path: "/sys/b", name: "other", isSubstitute: true)
        drivers.endScan()
        drivers.hung = [1]
        drivers.need(true)
        drivers.pass(5.1)
        drivers.hung = []
        drivers.endJobs()
        #expect(drivers.active == 2 && drivers.isRead(2) && !drivers.isRead(1))
        drivers.need(false)
        drivers.need(true)
        #expect(drivers.active == 1 && drivers.isRead(1) && !drivers.isRead(2))
    }

    @Test mutating func `a sensor that is unplugged is lost, and read again when it is back at another path`() {
        drivers.find(1, path: "/sys/a")
        drivers.endScan()
        drivers.need(true)
        drivers.remove("/sys/a")
        #expect(drivers.state == .lost && !drivers.isRead(1))
        #expect(drivers.table.present(at: "/sys/a").isEmpty)
        drivers.find(1, path: "/sys/b")
        drivers.endScan()
        #expect(drivers.isRead(1) && drivers.table.identity(of: 1)?.path == "/sys/b")
        drivers.read(1)
        #expect(drivers.state == .sampling)
    }

    @Test mutating func `a device that fails is looked for again, with back-off`() {
        drivers.find(1, path: "/sys/a")
        drivers.endScan()
        drivers.need(true)
        drivers.change { $0.handle(.readFailed(.noDevice, "gone"), of: 1, at: $1) }
        drivers.endJobs()
        #expect(drivers.state == .lost && drivers.scans == 0)
        var waits: [Int] = []
        for _ in 0..<4 {
            let begin = drivers.time
            while waits.isEmpty || drivers.scans < waits.count + 1 {
                if drivers.table.deadline == nil { break }
                drivers.pass(0.25)
                if drivers.scans > waits.count { break }
            }
            waits.append(Int((drivers.time - begin) * 4))
            drivers.endScan()
        }
        #expect(waits == [1, 2, 4, 8])
    }

    @Test mutating func `a sensing level is passed on to the sensor in use, until sampling begins anew`() {
        var rest = Sensing()
        (rest.level, rest.threshold) = (.watch, 0.1)
        let use = drivers.display
        drivers.find(1, path: "/sys/a")
        drivers.endScan()
        drivers.change { $0.sense(rest, use, at: $1) }
        #expect(drivers.commands[1]?.sensing == .stream, "it is not read")
        drivers.need(true)
        drivers.change { $0.sense(rest, use, at: $1) }
        #expect(drivers.commands[1]?.sensing == rest)
        drivers.need(false)
        drivers.need(true)
        #expect(drivers.commands[1]?.sensing == .stream)
    }

    @Test mutating func `at the end all devices are closed, and none is opened any more`() {
        drivers.find(1, path: "/sys/a")
        drivers.endScan()
        drivers.need(true)
        drivers.change { $0.enter(.ending, at: $1) }
        drivers.endJobs()
        #expect(!drivers.isRead(1) && drivers.table.life(of: 1)?.isClosed == true)
        drivers.need(false)
        drivers.need(true)
        drivers.find(2, path: "/sys/b")
        drivers.endScan()
        #expect(!drivers.isRead(1) && !drivers.isRead(2) && drivers.jobs.isEmpty)
    }

    @Test mutating func `of sensors that were unplugged long ago nothing stays`() {
        for number in 1...12 {
            drivers.find(number, path: "/sys/\(number)", name: "accel \(number)")
            drivers.endScan()
            drivers.remove("/sys/\(number)")
        }
        #expect(drivers.forgotten.first == 1 && drivers.table.use(of: 1) == nil && drivers.table.use(of: 12) != nil)
    }

    @Test mutating func `a recording is started and stopped`() {
        drivers.change { $0.addRecording("a.csv", at: $1) }
        drivers.need(true)
        #expect(drivers.isRead(0) && drivers.table.deadline == nil)
        drivers.change { $0.handle(.started(warnings: []), of: 0, at: $1) }
        #expect(drivers.state == .sampling)
        drivers.change { $0.end(0, at: $1) }
        #expect(drivers.state == .lost && drivers.logged == ["the recording has ended"])
    }
}
