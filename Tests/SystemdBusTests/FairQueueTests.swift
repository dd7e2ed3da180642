// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SystemdBus

@Suite struct FairQueueTests {
    private var queue = FairQueue<Int>(.init(all: 6, others: 3, other: 2, waiting: 4))

    /// Adds as many elements of a user, which are the user's number; returns how many were added.
    private mutating func add(_ count: Int, of user: UInt32, isPreferred: Bool = false) -> Int {
        (0..<count).count { _ in queue.add(Int(user), of: user, isPreferred: isPreferred) }
    }

    /// Begins all that may begin; returns whose they are.
    private mutating func begin() -> [Int] {
        var begun: [Int] = []
        while let next = queue.next() { begun.append(next.element) }
        return begun
    }

    @Test mutating func `users take turns`() {
        for user: UInt32 in [1, 2] { #expect(add(2, of: user) == 2) }
        #expect(begin() == [1, 2, 1])
        queue.end(of: 1)
        #expect(begin() == [2])
    }

    @Test mutating func `a user has few elements at a time, however many wait`() {
        #expect(add(9, of: 1) == 4)
        #expect(begin() == [1, 1])
        #expect(begin() == [])
        #expect(add(9, of: 1) == 2)
        queue.end(of: 1)
        #expect(begin() == [1])
    }

    @Test mutating func `preferred users come first, and those who are not leave room for them`() {
        for user: UInt32 in [1, 2, 3] { #expect(add(2, of: user) == 2) }
        #expect(begin() == [1, 2, 3])
        #expect(add(9, of: 1000, isPreferred: true) == 9)
        #expect(begin() == [1000, 1000, 1000])
        queue.end(of: 1)
        #expect(begin() == [1000])
        queue.end(of: 1000)
        #expect(begin() == [1000])
    }

    @Test mutating func `a user who has nothing any more is forgotten, and can come again`() {
        for _ in 0..<3 {
            #expect(add(1, of: 1) == 1)
            #expect(begin() == [1])
            queue.end(of: 1)
        }
        queue.end(of: 1)
        #expect(add(2, of: 1) == 2)
        #expect(begin() == [1, 1])
    }
}
