// SPDX-License-Identifier: Apache-2.0

/// Elements of several users that wait for one service: users take turns, so that no user waits for another's elements.
///
/// Those of a preferred user come before all others. An element is *begun* from ``next()`` until ``end(of:)``.
struct FairQueue<Element> {
    struct Limits {
        /// How many may be begun of all users, of all that are not preferred, and of each of those.
        var all: Int, others: Int, other: Int
        /// How many of a user may wait, if it is preferred, and if it is not.
        var preferredWaiting: Int, waiting: Int
    }

    private struct User {
        var isPreferred = false
        var waiting: [Element] = []
        var begun = 0
    }

    private let limits: Limits
    private var users: [UInt32: User] = [:]
    /// The users with elements that wait, in the order of their turns.
    private var turns: [UInt32] = []
    private var begun = (all: 0, others: 0)

    init(_ limits: Limits) { self.limits = limits }

    /// Adds an element, unless too many of that user wait; returns whether it was added.
    mutating func add(_ element: Element, of id: UInt32, isPreferred: Bool) -> Bool {
        var user = users[id] ?? User()
        if user.isPreferred != isPreferred {
            // A session has come to the foreground, or left it.
            begun.others += isPreferred ? -user.begun : user.begun
            user.isPreferred = isPreferred
            if users[id] != nil { users[id] = user }
        }
        guard user.waiting.count < (isPreferred ? limits.preferredWaiting : limits.waiting) else { return false }
        if user.waiting.isEmpty { turns.append(id) }
        user.waiting.append(element)
        users[id] = user
        return true
    }

    /// Begins the next element; nil while none may begin.
    mutating func next() -> (element: Element, user: UInt32)? {
        guard begun.all < limits.all else { return nil }
        let isOthersTurn = begun.others < limits.others
        let index =
            turns.firstIndex { users[$0]?.isPreferred == true }
            ?? turns.firstIndex { isOthersTurn && (users[$0]?.begun ?? 0) < limits.other }
        guard let index else { return nil }
        let id = turns.remove(at: index)
        guard var user = users[id], !user.waiting.isEmpty else { return nil }
        let element = user.waiting.removeFirst()
        if !user.waiting.isEmpty { turns.append(id) }
        user.begun += 1
        count(1, user)
        users[id] = user
        return (element, id)
    }

    /// Ends an element of that user.
    mutating func end(of id: UInt32) {
        guard var user = users[id], user.begun > 0 else { return }
        user.begun -= 1
        count(-1, user)
        users[id] = user.begun == 0 && user.waiting.isEmpty ? nil : user
    }

    private mutating func count(_ change: Int, _ user: User) {
        begun.all += change
        if !user.isPreferred { begun.others += change }
    }
}
