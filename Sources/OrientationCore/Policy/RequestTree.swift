// SPDX-License-Identifier: Apache-2.0

/// The requests of all clients, as trees, and which of them is asked.
///
/// Who is asked is found by walking down from the active window: its cost grows with the depth of that one branch, not
/// with the number of requests.
struct RequestTree: Sendable {
    typealias ID = RotationRequest.ID

    struct Node: Sendable {
        fileprivate(set) var request: RotationRequest
        let client: String

        /// When it was presented or activated last, as a count of such events.
        fileprivate(set) var presented: UInt64
        fileprivate var children: Set<ID> = []

        /// The children that are, or lead to, active modal requests.
        fileprivate var ways = Ranking()

        /// How many of those below it autorotate, as far as they are not hidden there.
        fileprivate var autorotatingBelow = 0

        fileprivate var isModal: Bool { request.isActive && request.presentation == .modal }

        fileprivate var share: Share {
            guard request.isActive else { return Share() }
            let isWay = isModal || ways.last != nil
            return Share(
                rank: isWay ? max(presented, ways.last?.rank ?? 0) : nil,
                autorotating: autorotatingBelow + (request.shouldAutorotate ? 1 : 0)
            )
        }
    }

    /// What a request and all below it mean to what it is part of.
    fileprivate struct Share: Equatable {
        /// When something on the way down to an active modal request was presented last; nil where there is none.
        var rank: UInt64?
        var autorotating = 0
    }

    private var nodes: [ID: Node] = [:]
    private var lastID: ID = 0
    private var presentations: UInt64 = 0

    /// The active roots.
    private var windows = Ranking()

    /// The requests of each client.
    private var owned: [String: Set<ID>] = [:]

    /// How many requests autorotate that are active with all that they are part of.
    private(set) var autorotatingCount = 0
}

/// Requests in the order in which they were presented; the last is on top.
private struct Ranking: Sendable {
    private var entries: [(rank: UInt64, id: RequestTree.ID)] = []

    var last: (rank: UInt64, id: RequestTree.ID)? { entries.last }

    mutating func insert(_ id: RequestTree.ID, rank: UInt64) {
        entries.insert((rank, id), at: index(of: rank))
    }

    mutating func remove(rank: UInt64) {
        let index = index(of: rank)
        if index < entries.count, entries[index].rank == rank { entries.remove(at: index) }
    }

    /// Where an entry of this rank is, or belongs.
    private func index(of rank: UInt64) -> Int {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].rank < rank ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

// MARK: - Asking

extension RequestTree {
    /// The answers that count for the interface.
    struct Asked: Hashable {
        /// The topmost modal request of the active window, or its root where none is modal.
        let top: ID
        /// The one that answers: the topmost itself, or where its forwarding leads to.
        let node: ID
    }

    /// The ids in the order of their creation.
    var ids: [ID] { nodes.keys.sorted() }

    subscript(id: ID) -> Node? { nodes[id] }

    /// Who is asked at present; nil where there is no active request.
    var asked: Asked? {
        guard var top = windows.last?.id else { return nil }
        while let next = nodes[top]?.ways.last?.id { top = next }
        var node = top
        while let next = nodes[node]?.request.forwardsTo, isShown(next, within: node) { node = next }
        return Asked(top: top, node: node)
    }

    /// The topmost and those that it forwards to, one after the other; the last is asked.
    var chain: [ID] {
        guard let asked else { return [] }
        var chain = [asked.top]
        var node = asked.top
        while node != asked.node, let next = nodes[node]?.request.forwardsTo {
            chain.append(next)
            node = next
        }
        return chain
    }

    /// Whether the request and all that it is part of are active, as `container` is known to be.
    private func isShown(_ id: ID, within container: ID) -> Bool {
        var next: ID? = id
        while let id = next, id != container {
            guard let node = nodes[id], node.request.isActive else { return false }
            next = node.request.parent
        }
        return true
    }

    /// Whether going up from `id` leads to `ancestor`, which may be itself.
    func isPart(_ id: ID, of ancestor: ID) -> Bool {
        var next: ID? = id
        while let id = next {
            if id == ancestor { return true }
            next = nodes[id]?.request.parent
        }
        return false
    }

    /// Whether following the forwarding from `id` leads to `target`.
    func forwards(_ id: ID, to target: ID) -> Bool {
        var next: ID? = id
        while let id = next {
            if id == target { return true }
            next = nodes[id]?.request.forwardsTo
        }
        return false
    }
}

// MARK: - Changing

extension RequestTree {
    /// Adds a request on top of what is there; removing it again leaves everything as it was.
    mutating func insert(_ request: RotationRequest, of client: String) -> ID {
        lastID += 1
        presentations += 1
        nodes[lastID] = Node(request: request, client: client, presented: presentations)
        owned[client, default: []].insert(lastID)
        join(lastID)
        return lastID
    }

    /// Changes a request; one that becomes active, or modal within a window, or gets another parent comes out on top.
    mutating func replace(_ id: ID, with request: RotationRequest) {
        guard let old = nodes[id] else { return }
        var new = old
        new.request = request
        let isActivated = request.isActive && !old.request.isActive
        let isRaised = new.isModal && !old.isModal && request.parent != nil
        if isActivated || isRaised || request.parent != old.request.parent {
            presentations += 1
            new.presented = presentations
        }
        restore(id, to: new)
    }

    /// Makes a request again what it was before it was replaced.
    mutating func restore(_ id: ID, to old: Node) {
        leave(id)
        nodes[id]?.request = old.request
        nodes[id]?.presented = old.presented
        join(id)
    }

    /// Removes a request with all below it; the result is what was removed, itself first.
    @discardableResult
    mutating func remove(_ id: ID) -> [ID] {
        leave(id)
        var removed = [id]
        var index = 0
        while index < removed.count {
            if let node = nodes.removeValue(forKey: removed[index]) {
                removed += node.children.sorted()
                owned[node.client]?.remove(removed[index])
                if owned[node.client]?.isEmpty == true { owned[node.client] = nil }
            }
            index += 1
        }
        return removed
    }

    /// Removes all requests of a client; the result is what was removed.
    mutating func remove(client: String) -> [ID] {
        var removed: [ID] = []
        while let id = owned[client]?.first { removed += remove(id) }
        return removed.sorted()
    }

    /// Makes a request a child of its parent, or a window.
    private mutating func join(_ id: ID) {
        guard let node = nodes[id] else { return }
        if let parent = node.request.parent {
            nodes[parent]?.children.insert(id)
        } else if node.request.isActive {
            windows.insert(id, rank: node.presented)
        }
        replaceShare(Share(), of: id, with: node.share)
    }

    /// Takes a request out of what it is part of.
    private mutating func leave(_ id: ID) {
        guard let node = nodes[id] else { return }
        if let parent = node.request.parent {
            nodes[parent]?.children.remove(id)
        } else {
            windows.remove(rank: node.presented)
        }
        replaceShare(node.share, of: id, with: Share())
    }

    /// Tells what a request is part of, up to the root, what it means to it from now on.
    private mutating func replaceShare(_ old: Share, of id: ID, with new: Share) {
        var (id, old, new) = (id, old, new)
        while old != new {
            guard let parent = nodes[id]?.request.parent, let before = nodes[parent]?.share else {
                autorotatingCount += new.autorotating - old.autorotating
                return
            }
            if let rank = old.rank { nodes[parent]?.ways.remove(rank: rank) }
            if let rank = new.rank { nodes[parent]?.ways.insert(id, rank: rank) }
            nodes[parent]?.autorotatingBelow += new.autorotating - old.autorotating
            (id, old, new) = (parent, before, nodes[parent]?.share ?? Share())
        }
    }
}
