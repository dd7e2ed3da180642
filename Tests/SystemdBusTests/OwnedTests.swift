// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus
import Testing

@Suite struct OwnedTests {
    /// Holds the timer of its own handler.
    private final class Owner {
        var timer: SystemdBus.Timer?
        private let onDeinit: () -> Void

        init(onDeinit: @escaping () -> Void = {}) { self.onDeinit = onDeinit }

        deinit { onDeinit() }
    }

    @Test func `an owned handler does not keep its owner, and ends with it`() throws {
        let loop = try EventLoop()
        weak var released: Owner?
        do {
            let owner = Owner()
            owner.timer = try loop.timer(owned(by: owner) { _ in Issue.record("called") })
            owner.timer?.arm(after: 0)
            released = owner
        }
        #expect(released == nil)
        try loop.runWhatIsDue()
    }

    @Test func `an owner that its handler releases lives until the handler returns`() throws {
        let loop = try EventLoop()
        var events: [String] = []
        var owner: Owner?
        weak var released: Owner?
        do {
            let first = Owner { events.append("gone") }
            let handler: () -> Void = owned(by: first) { _ in
                owner = nil
                events.append(released == nil ? "called without its owner" : "called")
                loop.exit()
            }
            first.timer = try loop.timer(handler)
            first.timer?.arm(after: 0)
            (owner, released) = (first, first)
        }
        #expect(owner != nil)
        _ = try loop.run()
        #expect(events == ["called", "gone"])
    }

    @Test func `an owned handler passes its values and its error on`() {
        let owner = Owner()
        var received: [String] = []
        let one: (Int) throws(BusError) -> Void = owned(by: owner) { called, value throws(BusError) in
            received.append("\(called === owner) \(value)")
            if value == 2 { throw BusError("org.example.Error", "") }
        }
        let two: (Int, String) -> Void = owned(by: owner) { received.append("\($0 === owner) \($1) \($2)") }
        #expect(throws: Never.self) { try one(1) }
        #expect(throws: BusError.self) { try one(2) }
        two(3, "three")
        #expect(received == ["true 1", "true 2", "true 3 three"])
    }

    @Test func `a watched mailbox delivers each value in order`() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>()
        var received: [Int] = []
        let watch = try loop.watch(mailbox) { value in
            received.append(value)
            if received.count == 3 { loop.exit() }
        }
        for value in 1...3 { mailbox.send(value) }
        _ = try loop.run(keeping: watch)
        #expect(received == [1, 2, 3])
    }
}
