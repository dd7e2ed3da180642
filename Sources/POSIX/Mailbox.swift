// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Values on their way from one thread to another, in order.
// Sendable unchecked: `mutex` serialises `elements`; the rest never changes.
package final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private let event: FileDescriptor
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var elements: [Element] = []

    package init() throws(SystemError) {
        event = FileDescriptor(owning: try checkSystem("create an event counter", "", orientd_event_counter()))
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Readable while there is something to receive.
    package var descriptor: Int32 { event.rawValue }

    /// Without `wakes` the element waits until something else is received.
    package func send(_ element: Element, wakes: Bool = true) {
        pthread_mutex_lock(mutex)
        elements.append(element)
        pthread_mutex_unlock(mutex)
        guard wakes else { return }
        // Fails only where the counter would overflow its 64 bits.
        eventfd_write(event.rawValue, 1)
    }

    package var isEmpty: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return elements.isEmpty
    }

    /// Moves all that was sent into `batch`, which is empty.
    package func receive(into batch: inout [Element]) {
        var count: eventfd_t = 0
        eventfd_read(event.rawValue, &count)
        pthread_mutex_lock(mutex)
        swap(&elements, &batch)
        pthread_mutex_unlock(mutex)
    }
}
