// SPDX-License-Identifier: Apache-2.0

/// The requests of all clients as trees, and which of them decides; see "Requests" in docs/semantics.md.
///
/// Finding the deciding request walks down from the active window, so its cost grows with the depth of that branch and
/// not with the number of requests.
struct RequestTree: Sendable {
    typealias ID = RotationRequest.ID

    struct Node: Sendable {
        fileprivate(set) var request: RotationRequest
        let client: String

        /// When it was last presented or activated, as a count of such events.
        fileprivate(set) var presented: UInt64
        fileprivate var children: Set<ID> = []

        /// The children whose subtrees contain active modal requests.
        fileprivate var modalChildren = PresentationOrder()

        /// The number of descendants that autorotate and that no request below this one hides.
        fileprivate var autorotatingDescendants = 0

        fileprivate var isModal: Bool { request.isActive && request.presentation == .modal }

        fileprivate var contribution: Contribution {
            guard request.isActive else { return Contribution() }
            let latest = modalChildren.last?.presented
            return Contribution(
                presented: isModal || latest != nil ? max(presented, latest ?? 0) : nil,
                autorotating: autorotatingDescendants + (request.shouldAutorotate ? 1 : 0)
            )
        }
    }

    /// A subtree's contribution to its parent.
    fileprivate struct Contribution: Equatable {
        /// The latest presentation on the way down to an active modal request; nil if there is none.
        var presented: UInt64?
        var autorotating = 0
    }

    private var nodes: [ID: Node] = [:]
    private var lastID: ID = 0
    private var presentations: UInt64 = 0
    private var activeRoots = PresentationOrder()
    private var requestsOfClients: [String: Set<ID>] = [:]

    /// The number of requests that autorotate and are active with all their ancestors.
    private(set) var autorotatingCount = 0
}

/// Requests in the order of their presentation.
private struct PresentationOrder: Sendable {
    private var entries: [(presented: UInt64, id: RequestTree.ID)] = []

    var last: (presented: UInt64, id: RequestTree.ID)? { entries.last }

    mutating func insert(_ id: RequestTree.ID, presented: UInt64) {
        entries.insert((presented, id), at: index(of: presented))
    }

    mutating func remove(presented: UInt64) {
        let index = index(of: presented)
        if index < entries.count, entries[index].presented == presented { entries.remove(at: index) }
    }

    /// The index of the entry, or the one to insert it at.
    private func index(of presented: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].presented < presented { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: - The deciding request

extension RequestTree {
    /// The requests that the user sees.
    struct Front: Hashable {
        /// The topmost active modal request of the active window, or the window's root if there is none.
        let top: ID
        /// The request whose mask applies: the one that forwards-to leads to from the topmost one, or that one itself.
        let deciding: ID
    }

    /// The ids in the order of their creation.
    var ids: [ID] { nodes.keys.sorted() }

    subscript(id: ID) -> Node? { nodes[id] }

    /// The number of requests.
    var count: Int { nodes.count }

    /// The number of requests of a client.
    func count(of client: String) -> Int { requestsOfClients[client]?.count ?? 0 }

    /// Nil if no root is active.
    var front: Front? {
        guard var top = activeRoots.last?.id else { return nil }
        while let next = nodes[top]?.modalChildren.last?.id { top = next }
        var deciding = top
        while let next = nodes[deciding]?.request.forwardsTo, isActive(next, within: deciding) { deciding = next }
        return Front(top: top, deciding: deciding)
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

    /// Adds a request as the one presented last; removing it restores the earlier order.
    mutating func insert(_ request: RotationRequest, of client: String) -> ID {
        lastID += 1
        presentations += 1
        nodes[lastID] = Node(request: request, client: client, presented: presentations)
        requestsOfClients[client, default: []].insert(lastID)
        attach(lastID)
        return lastID
    }

    /// Changes a request; one that becomes active, becomes modal below a root, or moves to another parent is presented.
    mutating func replace(_ id: ID, with request: RotationRequest) {
        guard let old = nodes[id] else { return }
        var new = old
        new.request = request
        let isActivated = request.isActive && !old.request.isActive
        let becomesModal = new.isModal && !old.isModal && request.parent != nil
        if isActivated || becomesModal || request.parent != old.request.parent {
            presentations += 1
            new.presented = presentations
        }
        restore(id, to: new)
    }

    /// Undoes the last ``insert(_:of:)``, so that refused requests use up no ids: there are 2^32.
    mutating func undoInsert() {
        remove(lastID)
        lastID -= 1
    }

    /// Undoes a change of a request.
    mutating func restore(_ id: ID, to old: Node) {
        detach(id)
        nodes[id]?.request = old.request
        nodes[id]?.presented = old.presented
        attach(id)
    }

    /// Removes a request with its descendants, and returns all of them, the request itself first.
    @discardableResult
    mutating func remove(_ id: ID) -> [ID] {
        detach(id)
        var removed = [id]
        var index = 0
        while index < removed.count {
            if let node = nodes.removeValue(forKey: removed[index]) {
                removed += node.children.sorted()
                requestsOfClients[node.client]?.remove(removed[index])
                if requestsOfClients[node.client]?.isEmpty == true { requestsOfClients[node.client] = nil }
            }
            index += 1
        }
        return removed
    }

    /// Removes all requests of a client and returns them.
    mutating func remove(client: String) -> [ID] {
        var removed: [ID] = []
        while let id = requestsOfClients[client]?.first { removed += remove(id) }
        return removed.sorted()
    }

    /// Adds a request to its parent, or to the active roots.
    private mutating func attach(_ id: ID) {
        guard let node = nodes[id] else { return }
        if let parent = node.request.parent {
            nodes[parent]?.children.insert(id)
        } else if node.request.isActive {
            activeRoots.insert(id, presented: node.presented)
        }
        updateAncestors(of: id, from: Contribution(), to: node.contribution)
    }

    /// Removes a request from its parent, or from the active roots.
    private mutating func detach(_ id: ID) {
        guard let node = nodes[id] else { return }
        if let parent = node.request.parent {
            nodes[parent]?.children.remove(id)
        } else {
            activeRoots.remove(presented: node.presented)
        }
        updateAncestors(of: id, from: node.contribution, to: Contribution())
    }

    /// Replaces the contribution of a subtree in its ancestors, as far up as it changes anything.
    private mutating func updateAncestors(of id: ID, from old: Contribution, to new: Contribution) {
        var (id, old, new) = (id, old, new)
        while old != new {
            guard let parent = nodes[id]?.request.parent, let before = nodes[parent]?.contribution else {
                autorotatingCount += new.autorotating - old.autorotating
                return
            }
            if let presented = old.presented { nodes[parent]?.modalChildren.remove(presented: presented) }
            if let presented = new.presented { nodes[parent]?.modalChildren.insert(id, presented: presented) }
            nodes[parent]?.autorotatingDescendants += new.autorotating - old.autorotating
            (id, old, new) = (parent, before, nodes[parent]?.contribution ?? Contribution())
        }
    }
}
