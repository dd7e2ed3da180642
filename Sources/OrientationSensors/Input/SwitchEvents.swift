// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
package import POSIX

/// The switches of an input device that concern the machine.
package struct Switches: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// On while the lid is closed.
    package static let lid = Switches(rawValue: 1 << 0)

    /// On while a convertible is used as a tablet.
    package static let tabletMode = Switches(rawValue: 1 << 1)

    /// On while something is near the front of the device.
    package static let frontProximity = Switches(rawValue: 1 << 11)
}

/// The state of an event node's switches: at first, and after each event.
///
/// Opening can block, as may closing; `next()` never does.
// Sendable unchecked: a helper opens it, and closes it after the loop has stopped reading.
package final class SwitchEvents: @unchecked Sendable {
    private var descriptor: FileDescriptor?
    private let path: String
    private var isFresh = true

    package init(_ path: String) throws(SystemError) {
        let descriptor = try FileDescriptor.open(withoutWaiting: path)
        // Masks keys, such as those for the volume. Kernels before 4.4 cannot, and report them too.
        _ = orientd_take_switch_events_only(descriptor.rawValue)
        self.descriptor = descriptor
        self.path = path
    }

    /// Becomes readable when the state may have changed.
    package var pollDescriptor: Int32? { descriptor?.rawValue }

    /// The switches that are on; nil when nothing has happened since the last call.
    package func nextState() throws(SystemError) -> Switches? {
        guard let file = descriptor?.rawValue else { return nil }
        let hasEvent = try takeEvents(from: file)
        guard hasEvent || isFresh else { return nil }
        isFresh = false
        var switches: UInt = 0
        guard orientd_read_switches(file, &switches) >= 0 else {
            throw SystemError("read", path, errno: Errno.current)
        }
        return Switches(rawValue: UInt64(switches))
    }

    /// Discards pending events; false where there are none.
    ///
    /// The state is read instead: events may have been dropped.
    private func takeEvents(from file: Int32) throws(SystemError) -> Bool {
        var events = (input_event(), input_event(), input_event(), input_event())
        let count = CLinux.read(file, &events, MemoryLayout.size(ofValue: events))
        if count >= 0 { return count > 0 }
        let reason = Errno.current
        guard reason == .again || reason == .interrupted else { throw SystemError("read", path, errno: reason) }
        return false
    }

    package func close() { descriptor = nil }
}

/// As a sensor, it reports whether something is near.
extension SwitchEvents: SensorBuffer {
    package var warnings: [String] { [] }

    package func next() throws(SystemError) -> RawScan? {
        guard let state = try nextState() else { return nil }
        return RawScan(raw: Vector3(state.contains(.frontProximity) ? 1 : 0, 0, 0), time: nil)
    }
}
