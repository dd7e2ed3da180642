// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import SystemdBus

/// A switch of the input subsystem that is on while something is near the front of the device.
final class ProximitySwitch: SensorDevice, Sendable {
    let description: SensorDescription
    let warnings: [String] = []

    /// Describes the switch of an event node; nil for a node without a file.
    init?(_ node: Device) {
        guard let path = node.devnode else { return nil }
        description = SensorDescription(
            id: node.name,
            name: EventNode.deviceName(of: node),
            sysfsPath: node.syspath,
            devicePath: path,
            offset: .zero,
            scale: Vector3(1, 1, 1),
            // Off is 0 and on is 1.
            traits: .proximity(nearLevel: 0.5),
            // How often it is read is the switch's own affair.
            period: 1,
            isSubstitute: true,
            canPoll: false,
            canBuffer: true
        )
    }

    func read() throws(IIOError) -> Vector3 {
        throw IIOError("poll", description.devicePath, errno: .notSupported)
    }

    func openBuffer() throws(IIOError) -> any SensorBuffer {
        SwitchEvents(try EventNode.open(description.devicePath), description.devicePath)
    }
}

/// The state of a switch: at first, and after each event.
// Sendable unchecked: opened and closed by the helper thread, and read by the loop in between.
private final class SwitchEvents: SensorBuffer, @unchecked Sendable {
    let warnings: [String] = []

    private var descriptor: FileDescriptor?
    private let path: String
    private var isFresh = true

    init(_ descriptor: FileDescriptor, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    var pollDescriptor: Int32? { descriptor?.rawValue }

    func next() throws(IIOError) -> RawScan? {
        guard let file = descriptor?.rawValue else { return nil }
        let hasEvent = try takeEvents(from: file)
        guard hasEvent || isFresh else { return nil }
        isFresh = false
        var switches: UInt = 0
        guard orientd_read_switches(file, &switches) >= 0 else {
            throw IIOError("read", path, errno: Errno.current)
        }
        return RawScan(raw: Vector3(UInt64(switches) & EventNode.frontProximity == 0 ? 0 : 1, 0, 0), time: nil)
    }

    /// Takes what has come; false where nothing has.
    ///
    /// The events themselves do not count: some may have been dropped, and the state is never out of date.
    private func takeEvents(from file: Int32) throws(IIOError) -> Bool {
        var events = (input_event(), input_event(), input_event(), input_event())
        let count = CLinux.read(file, &events, MemoryLayout.size(ofValue: events))
        if count >= 0 { return count > 0 }
        let reason = Errno.current
        guard reason == .again || reason == .interrupted else { throw IIOError("read", path, errno: reason) }
        return false
    }

    func close() {
        descriptor = nil
    }
}
