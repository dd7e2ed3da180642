// SPDX-License-Identifier: Apache-2.0

/// The requests of all clients as trees, and which of them decides; see "Requests" in docs/semantics.md.
///
/// A change looks at each request once, of which there are some hundreds at most; a turn of the device looks at none.
/// The copy from before a change undoes it.
struct RequestTree: Sendable {
    typealias ID = RotationRequest.ID

    struct Node: Sendable {
        fileprivate(set) var request: RotationRequest
        let client: String

        /// When it was last presented or activated, as a count of such events.
        fileprivate(set) var presented: UInt64
        /// Stored, as grouping the requests by their parents at each change takes seven times as long.
        fileprivate var children: [ID] = []

        fileprivate var isModal: Bool { request.isActive && request.presentation == .modal }
    }

    /// The requests that the user sees.
    struct Front: Hashable {
        /// The topmost active modal request of the active window, or the window's root if there is none.
        let top: ID
        /// The request whose mask applies: the one that forwards-to leads to from the topmost one, or that one itself.
        let deciding: ID
    }

    private var nodes: [ID: Node] = [:]
    private var lastID: ID = 0
    private var presentations: UInt64 = 0

    /// Nil if no root is active.
    private(set) var front: Front?

    /// The number of requests that autorotate and are active with all their ancestors.
    private(set) var autorotatingCount = 0

    /// The ids in the order of their creation.
    var ids: [ID] { nodes.keys.sorted() }

    /// The number of requests.
    var count: Int { nodes.count }

    /// The number of requests of a client.
    func count(of client: String) -> Int { nodes.values.reduce(0) { $1.client == client ? $0 + 1 : $0 } }

    subscript(id: ID) -> Node? { nodes[id] }

    /// Whether a request is the topmost one, the deciding one, or between these along forwards-to.
    func isInFront(_ id: ID) -> Bool {
        guard let front else { return false }
        return forwards(front.top, to: id) && forwards(id, to: front.deciding)
    }

    /// Whether a request is `ancestor` or one of its descendants.
    func isInSubtree(_ id: ID, of ancestor: ID) -> Bool { leads(from: id, to: ancestor) { $0.parent } }

    /// Whether forwards-to leads from a request to `target`, which may be the request itself.
    func forwards(_ id: ID, to target: ID) -> Bool { leads(from: id, to: target) { $0.forwardsTo } }

    private func leads(from id: ID, to target: ID, _ next: (RotationRequest) -> ID?) -> Bool {
        var id = id
        while id != target {
            guard let node = nodes[id], let following = next(node.request) else { return false }
            id = following
        }
        return true
    }

    // MARK: - Changing

    /// Adds a request as the one presented last.
    mutating func insert(_ request: RotationRequest, of client: String) -> ID {
        lastID += 1
        presentations += 1
        nodes[lastID] = Node(request: request, client: client, presented: presentations)
        attach(lastID)
        return lastID
    }

    /// Changes a request; one that becomes active, becomes modal below a root, or moves to another parent is presented.
    mutating func replace(_ id: ID, with request: RotationRequest) {
        detach(id)
        guard let old = nodes[id] else { return }
        var new = old
        new.request = request
        let isActivated = request.isActive && !old.request.isActive
        let becomesModal = new.isModal && !old.isModal && request.parent != nil
        if isActivated || becomesModal || request.parent != old.request.parent {
            presentations += 1
            new.presented = presentations
        }
        nodes[id] = new
        attach(id)
    }

    /// Removes a request with its descendants, and returns all of them, the request itself first.
    mutating func remove(_ id: ID) -> [ID] {
        detach(id)
        return remove([id] + nodes.keys.filter { $0 != id && isInSubtree($0, of: id) }.sorted())
    }

    /// Removes all requests of a client and returns them; their descendants are the client's as well.
    mutating func remove(client: String) -> [ID] { remove(nodes.keys.filter { nodes[$0]?.client == client }.sorted()) }

    private mutating func remove(_ removed: [ID]) -> [ID] {
        for id in removed { nodes[id] = nil }
        update()
        return removed
    }

    private mutating func attach(_ id: ID) {
        if let parent = nodes[id]?.request.parent { nodes[parent]?.children.append(id) }
        update()
    }

    private mutating func detach(_ id: ID) {
        if let parent = nodes[id]?.request.parent { nodes[parent]?.children.removeAll { $0 == id } }
    }

    // MARK: - The front

    /// Finds the front, and counts the requests that autorotate.
    private mutating func update() {
        autorotatingCount = 0
        front = nil
        var window: (presented: UInt64, top: ID)?
        for (id, node) in nodes where node.request.parent == nil && node.request.isActive {
            let top = topmost(in: id)?.id ?? id
            if node.presented > window?.presented ?? 0 { window = (node.presented, top) }
        }
        guard let top = window?.top else { return }
        var deciding = top
        while let next = nodes[deciding]?.request.forwardsTo, isActive(next, within: deciding) { deciding = next }
        front = Front(top: top, deciding: deciding)
    }

    /// The topmost active modal request of a subtree, and the latest presentation on the way down to it.
    ///
    /// Counts the requests that autorotate on the way.
    private mutating func topmost(in id: ID) -> (presented: UInt64, id: ID)? {
        guard let node = nodes[id], node.request.isActive else { return nil }
        if node.request.shouldAutorotate { autorotatingCount += 1 }
        var latest: (presented: UInt64, id: ID)?
        for child in node.children {
            if let top = topmost(in: child), top.presented > latest?.presented ?? 0 { latest = top }
        }
        if let latest { return (max(latest.presented, node.presented), latest.id) }
        return node.isModal ? (node.presented, id) : nil
    }

    /// Whether a request and its ancestors are active; those from `container` upwards are known to be.
    private func isActive(_ id: ID, within container: ID) -> Bool {
        var next: ID? = id
        while let id = next, id != container {
            guard let node = nodes[id], node.request.isActive else { return false }
            next = node.request.parent
        }
        return true
    }
}
