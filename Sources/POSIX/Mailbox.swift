// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Values on their way from one thread to another, in order.
// Sendable unchecked: the descriptor never changes.
package final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private let event: FileDescriptor
    private let elements = Locked<[Element]>([])

    package init() throws(SystemError) {
        event = FileDescriptor(owning: try checkSystem("create an event counter", "", orientd_event_counter()))
    }

    /// Readable while there is something to receive.
    package var descriptor: Int32 { event.rawValue }

    /// Without `wakes` the element waits until something else is received.
    package func send(_ element: Element, wakes: Bool = true) {
        elements.withValue { $0.append(element) }
        guard wakes else { return }
        // Fails only where the counter would overflow its 64 bits.
        eventfd_write(event.rawValue, 1)
    }

    /// Moves all that was sent into `batch`, which is empty.
    package func receive(into batch: inout [Element]) {
        var count: eventfd_t = 0
        eventfd_read(event.rawValue, &count)
        elements.withValue { swap(&$0, &batch) }
    }
}
