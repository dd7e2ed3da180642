// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import Synchronization

@testable import OrientationSensors

/// What was called of one or more devices, in order, on whatever thread.
final class CallLog: Sendable {
    private let entries = Mutex<[String]>([])
    private let describe: @Sendable (String) -> String

    /// `describe` gives the text of each call when it is made.
    init(_ describe: @escaping @Sendable (String) -> String = { $0 }) { self.describe = describe }

    var calls: [String] { entries.withLock { $0 } }

    func add(_ call: String) {
        let entry = describe(call)
        entries.withLock { $0.append(entry) }
    }
}

/// A device that does what a script says, and notes each call but for readings.
final class ScriptedDevice: SensorDevice, Sendable {
    /// A reading of a device that lies still.
    static let still = Vector3(0, 0, 1)

    typealias Reading = @Sendable (_ number: Int) throws(SystemError) -> Vector3

    let description: SensorDescription
    let warnings: [String] = []
    private let name: String
    private let log: CallLog
    private let rate: Rate
    private let sensitivity: Sensitivity?
    private let count = Atomic<Int>(0)
    private let reading: Reading
    private let buffer: ScriptedBuffer?
    private let isBufferBusy: Bool
    private let changes: Readiness?

    /// The sampling frequency that all handles of one device share.
    final class Rate: Sendable {
        let hertz = Mutex(10.0)
        let canRestore = Atomic(true)

        var value: Double { hertz.withLock { $0 } }
    }

    /// A change sensitivity, and what the sensor keeps of what it is asked for.
    final class Sensitivity: Sendable {
        let change: Mutex<Double>
        let kept: @Sendable (Double) -> Double

        init(_ change: Double = 0, kept: @escaping @Sendable (Double) -> Double = { $0 }) {
            self.change = Mutex(change)
            self.kept = kept
        }

        var value: Double { change.withLock { $0 } }
    }

    init(
        _ name: String = "",
        log: CallLog = CallLog(),
        rate: Rate = Rate(),
        sensitivity: Sensitivity? = nil,
        buffer: ScriptedBuffer? = nil,
        isBufferBusy: Bool = false,
        changes: Readiness? = nil,
        reading: @escaping Reading = { _ throws(SystemError) in ScriptedDevice.still }
    ) {
        self.name = name
        self.log = log
        self.rate = rate
        self.sensitivity = sensitivity
        self.buffer = buffer
        self.isBufferBusy = isBufferBusy
        self.changes = changes
        self.reading = reading
        let mounting = AccelerometerMounting(
            location: .display,
            matrix: .identity,
            matrixSource: "",
            quantity: .specificForce
        )
        description = SensorDescription(
            id: name,
            name: name,
            sysfsPath: "/sys/devices/" + name,
            devicePath: "/dev/" + name,
            offset: .zero,
            scale: Vector3(1, 1, 1),
            traits: .accelerometer(mounting),
            period: nil,
            isSubstitute: false,
            canPoll: true,
            canBuffer: buffer != nil
        )
    }

    func read() throws(SystemError) -> Vector3 {
        try reading(count.add(1, ordering: .relaxed).newValue)
    }

    var changeDescriptor: Int32? { changes?.descriptor }

    func forgetChanges() { changes?.end() }

    func endReading() {
        log.add("\(name) end")
    }

    func openBuffer() throws(SystemError) -> any SensorBuffer {
        guard let buffer else { throw SystemError("open the buffer of", name, errno: .notSupported) }
        if isBufferBusy { throw SystemError("open the buffer of", name, errno: .busy) }
        log.add("\(name) open")
        return buffer
    }

    func settings(_ setting: SensorSetting) throws(SystemError) -> [FoundSetting] {
        switch setting {
        case .rate: [FoundSetting(file: folder.path + "/rate", text: "\(rate.value)")]
        case .sensitivity:
            sensitivity.map { [FoundSetting(file: folder.path + "/sensitivity", text: "\($0.value)")] } ?? []
        }
    }

    func setChangeSensitivity(_ change: Double) throws(SystemError) -> Double {
        guard let sensitivity else { throw SystemError("set the sensitivity of", name, errno: .notSupported) }
        log.add("\(name) sensitivity \(change)")
        let kept = sensitivity.kept(change)
        sensitivity.change.withLock { $0 = kept }
        return kept
    }

    func setSamplingFrequency(atLeast target: Double) throws(SystemError) -> Double? {
        rate.hertz.withLock { hertz in
            guard hertz < target else { return hertz }
            log.add("\(name) \(Int(hertz)) to \(Int(target)) Hz")
            hertz = target
            return hertz
        }
    }

    func restore(_ setting: FoundSetting) throws(SystemError) {
        guard setting.file == folder.path + "/rate" else {
            guard let sensitivity, setting.isOurs("\(sensitivity.value)") else { return }
            _ = try setChangeSensitivity(AttributeText.number(setting.text) ?? -1)
            return
        }
        guard setting.isOurs("\(rate.value)") else { return }
        guard rate.canRestore.load(ordering: .relaxed) else { throw SystemError("restore", name, errno: Errno(EIO)) }
        let hertz = AttributeText.number(setting.text) ?? -1
        log.add("\(name) restore \(Int(hertz)) Hz")
        rate.hertz.withLock { $0 = hertz }
    }
}

/// A descriptor that is readable or not.
// Sendable unchecked: the descriptor never changes.
final class Readiness: @unchecked Sendable {
    private let file: FileDescriptor

    init() throws {
        file = FileDescriptor(owning: try checkSystem("create", "an event", orientd_event_counter()))
    }

    var descriptor: Int32 { file.rawValue }

    func begin() { eventfd_write(file.rawValue, 1) }

    func end() {
        var count: eventfd_t = 0
        eventfd_read(file.rawValue, &count)
    }
}

/// A buffer whose scans are what a script says; readable all the time.
final class ScriptedBuffer: SensorBuffer, Sendable {
    typealias Scan = @Sendable (_ number: Int) throws(SystemError) -> Vector3?

    let warnings: [String] = []
    private let event: Readiness
    private let count = Atomic<Int>(0)
    private let scan: Scan
    private let log: CallLog

    init(log: CallLog = CallLog(), _ scan: @escaping Scan) throws {
        event = try Readiness()
        event.begin()
        self.log = log
        self.scan = scan
    }

    /// How often it was read.
    var reads: Int { count.load(ordering: .relaxed) }

    var pollDescriptor: Int32? { event.descriptor }

    func next() throws(SystemError) -> RawScan? {
        try scan(count.add(1, ordering: .relaxed).newValue).map { RawScan(raw: $0, time: nil) }
    }

    func extend(to scans: Int) {
        log.add("extend to \(scans)")
    }

    func close() {
        log.add("close")
    }
}

extension DeviceSource {
    /// Ends sampling for good, and calls `completion` once the device is restored.
    func close(completion: @escaping () -> Void) {
        onEvent = { event in
            if case .report(.closed) = event { completion() }
        }
        stop()
        if isClosed { completion() }
    }
}
