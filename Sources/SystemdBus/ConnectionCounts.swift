// SPDX-License-Identifier: Apache-2.0

/// How many things of a kind each connection has, by unique name.
package struct ConnectionCounts {
    private var counts: [String: Int] = [:]
    package private(set) var total = 0

    package init() {}

    package subscript(connection: String) -> Int { counts[connection] ?? 0 }

    package mutating func add(to connection: String) {
        counts[connection, default: 0] += 1
        total += 1
    }

    /// Returns false if the connection has none.
    package mutating func remove(from connection: String) -> Bool {
        guard let count = counts[connection] else { return false }
        counts[connection] = count > 1 ? count - 1 : nil
        total -= 1
        return true
    }

    /// Returns false if the connection has none.
    package mutating func removeAll(of connection: String) -> Bool {
        guard let count = counts.removeValue(forKey: connection) else { return false }
        total -= count
        return true
    }
}
