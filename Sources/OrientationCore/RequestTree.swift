// SPDX-License-Identifier: Apache-2.0

/// The requests of all clients, as trees, and which of them is asked.
///
/// Who is asked is found by walking down from the active window: its cost grows with the depth of that one branch, not
/// with the number of requests.
struct RequestTree: Sendable {
    typealias ID = RotationRequest.ID

    struct Node: Sendable {
        var request: RotationRequest
        let client: String
        var children: Set<ID> = []

        /// The children that are, or lead to, active modal requests; the one presented last is the last.
        var presenting: [ID] = []

        /// Whether it is shown modally, if all above it is shown.
        var isModal: Bool { request.isActive && request.presentation == .modal }

        /// Whether something modal is to be found by going this way.
        var leadsToModal: Bool { isModal || request.isActive && !presenting.isEmpty }

        /// Whether it needs to know how the device is held.
        var autorotates: Bool { request.isActive && request.shouldAutorotate }
    }

    private var nodes: [ID: Node] = [:]

    /// The active roots; the one presented or activated last is the last.
    private var windows: [ID] = []
    private var lastID: ID = 0

    /// The requests of each client.
    private var owned: [String: Set<ID>] = [:]

    /// How many active requests autorotate.
    private(set) var autorotatingCount = 0

    /// What to put back where the changes since ``begin()`` are refused: nodes as they were, nil for a new one.
    private var journal: (nodes: [(id: ID, node: Node?)], windows: [ID], autorotatingCount: Int)?
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

    var count: Int { nodes.count }

    /// The ids in the order of their creation.
    var ids: [ID] { nodes.keys.sorted() }

    subscript(id: ID) -> Node? { nodes[id] }

    /// Who is asked at present; nil where there is no active request.
    var asked: Asked? {
        guard var top = windows.last else { return nil }
        while let next = nodes[top]?.presenting.last { top = next }
        var node = top
        while let next = nodes[node]?.request.forwardsTo, isShown(next, within: node) { node = next }
        return Asked(top: top, node: node)
    }

    /// Whether `id` is asked, or forwards to what is.
    func takesPart(_ id: ID) -> Bool {
        guard let asked else { return false }
        var node = asked.top
        while node != id {
            guard node != asked.node, let next = nodes[node]?.request.forwardsTo else { return false }
            node = next
        }
        return true
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
    /// Adds a request on top of what is there.
    mutating func insert(_ request: RotationRequest, of client: String) -> ID {
        lastID += 1
        let id = lastID
        remember(id)
        nodes[id] = Node(request: request, client: client)
        owned[client, default: []].insert(id)
        if nodes[id]?.autorotates == true { autorotatingCount += 1 }
        attach(id)
        return id
    }

    /// Changes a request; one that becomes active or modal, or gets another parent, comes out on top.
    mutating func replace(_ id: ID, with request: RotationRequest) {
        guard let old = nodes[id] else { return }
        let isMoved = old.request.parent != request.parent
        if isMoved { detach(id) }
        change(id) { $0.request = request }
        guard let new = nodes[id] else { return }
        autorotatingCount += (new.autorotates ? 1 : 0) - (old.autorotates ? 1 : 0)
        if isMoved || (request.isActive && !old.request.isActive) || (new.isModal && !old.isModal) {
            attach(id)
        } else if !new.leadsToModal {
            hide(id)
        }
    }

    /// Removes a request with all below it; the result is what was removed, itself first.
    @discardableResult
    mutating func remove(_ id: ID) -> [ID] {
        detach(id)
        var removed = [id]
        var index = 0
        while index < removed.count {
            if let node = nodes.removeValue(forKey: removed[index]) {
                removed += node.children.sorted()
                if node.autorotates { autorotatingCount -= 1 }
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

    /// Begins changes that may be taken back.
    mutating func begin() {
        journal = ([], windows, autorotatingCount)
    }

    /// Ends what ``begin()`` began: everything is kept.
    mutating func commit() {
        journal = nil
    }

    /// Ends what ``begin()`` began: everything is as it was before, but that no id is given twice.
    mutating func rollBack() {
        guard let journal else { return }
        self.journal = nil
        windows = journal.windows
        autorotatingCount = journal.autorotatingCount
        for (id, node) in journal.nodes.reversed() {
            if node == nil, let client = nodes[id]?.client {
                owned[client]?.remove(id)
                if owned[client]?.isEmpty == true { owned[client] = nil }
            }
            nodes[id] = node
        }
    }

    private mutating func remember(_ id: ID) {
        journal?.nodes.append((id, nodes[id]))
    }

    private mutating func change(_ id: ID, _ body: (inout Node) -> Void) {
        remember(id)
        if var node = nodes.removeValue(forKey: id) {
            body(&node)
            nodes[id] = node
        }
    }

    /// Makes `id` a child of its parent, or a window, and puts it on top there.
    private mutating func attach(_ id: ID) {
        guard let node = nodes[id] else { return }
        if let parent = node.request.parent {
            if nodes[parent]?.children.contains(id) == false { change(parent) { $0.children.insert(id) } }
        } else {
            windows.removeAll { $0 == id }
            if node.request.isActive { windows.append(id) }
        }
        if node.leadsToModal { raise(id) }
    }

    private mutating func detach(_ id: ID) {
        hide(id)
        windows.removeAll { $0 == id }
        if let parent = nodes[id]?.request.parent { change(parent) { $0.children.remove(id) } }
    }

    /// Makes every request above `id` lead to it before others.
    private mutating func raise(_ id: ID) {
        var id = id
        while let parent = nodes[id]?.request.parent {
            let child = id
            change(parent) { node in
                node.presenting.removeAll { $0 == child }
                node.presenting.append(child)
            }
            guard nodes[parent]?.request.isActive == true else { return }
            id = parent
        }
    }

    /// Takes `id` out of what leads to modal requests, and with it those above that led nowhere else.
    private mutating func hide(_ id: ID) {
        var id = id
        while let parent = nodes[id]?.request.parent {
            guard nodes[parent]?.presenting.contains(id) == true else { return }
            let child = id
            change(parent) { node in node.presenting.removeAll { $0 == child } }
            guard nodes[parent]?.leadsToModal == false else { return }
            id = parent
        }
        if nodes[id]?.request.isActive == false { windows.removeAll { $0 == id } }
    }
}
