// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SystemdBus

@Suite struct FairQueueTests {
    private var queue = FairQueue<Int>(.init(all: 6, others: 3, other: 2, preferredWaiting: 100, waiting: 4))

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

    @Test mutating func `a user is preferred from the moment on that its session comes to the foreground`() {
        #expect(add(9, of: 1) == 4)
        for user: UInt32 in [2, 3] { #expect(add(1, of: user) == 1) }
        #expect(begin() == [1, 2, 3])
        #expect(add(9, of: 1, isPreferred: true) == 9)
        #expect(begin() == [1, 1, 1])
        #expect(add(1, of: 1) == 0)
        for _ in 0..<4 { queue.end(of: 1) }
        #expect(begin() == [1])
    }

    /// After any events no limit is exceeded, and nobody waits whom the limits allow to begin.
    @Test(arguments: 0..<20)
    mutating func `limits hold for any order of events`(seed: UInt64) {
        var random = seed
        func number(below limit: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % limit
        }
        var (waiting, begun) = ([Int](repeating: 0, count: 5), [Int](repeating: 0, count: 5))
        var isPreferred = [Bool](repeating: false, count: 5)
        for _ in 0..<2000 {
            let user = Int(number(below: 5))
            switch number(below: 4) {
            case 0, 1:
                if number(below: 20) == 0 { isPreferred[user].toggle() }
                let isAdded = queue.add(user, of: UInt32(user), isPreferred: isPreferred[user])
                #expect(isAdded == (isPreferred[user] || waiting[user] < 4))
                if isAdded { waiting[user] += 1 }
            case 2:
                if begun[user] > 0 { begun[user] -= 1 }
                queue.end(of: UInt32(user))
            default:
                while let next = queue.next() {
                    #expect(next.element == Int(next.user))
                    waiting[next.element] -= 1
                    begun[next.element] += 1
                }
                let others = (0..<5).reduce(0) { isPreferred[$1] ? $0 : $0 + begun[$1] }
                let mayBegin = (0..<5).filter {
                    waiting[$0] > 0 && (isPreferred[$0] || others < 3 && begun[$0] < 2)
                }
                let all = begun.reduce(0, +)
                #expect(all == 6 || all < 6 && mayBegin.isEmpty)
            }
        }
        #expect(waiting.allSatisfy { $0 >= 0 })
    }
}
