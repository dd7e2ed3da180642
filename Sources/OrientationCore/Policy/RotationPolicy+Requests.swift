// SPDX-License-Identifier: Apache-2.0

extension RotationPolicy {
    /// The number of requests that need the sensor: those that autorotate and that no inactive request hides.
    public var autorotatingRequests: Int { tree.autorotatingCount }

    /// All requests, the oldest first.
    public var requests: [RotationRequest.ID] { tree.ids }

    public func request(_ id: RotationRequest.ID) -> RotationRequest? { tree[id]?.request }

    /// The client that presented a request.
    public func client(of id: RotationRequest.ID) -> String? { tree[id]?.client }

    /// Whether a client has set a dynamic mask for an application.
    public func hasApplicationMask(of appID: String, for client: String) -> Bool { dynamicMasks[client]?[appID] != nil }

    /// Presents a request of `client`: a modal one turns the interface at once, a pushed one at the next rotation.
    ///
    /// Throws if the request is not valid or contradicts the masks.
    public mutating func present(
        _ request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) -> RotationRequest.ID {
        try check(request, of: client)
        let before = tree
        let id = tree.insert(request, of: client)
        guard tree.front?.top == id else { return id }
        if let conflict {
            tree = before
            throw conflict
        }
        presentTopmost()
        return id
    }

    /// Changes a request of `client`; activating it presents it, deactivating it resolves like a release.
    ///
    /// Other changes turn the interface only if what is shown is no longer allowed and the deciding request is modal.
    /// The application id does not change.
    public mutating func update(
        _ id: RotationRequest.ID,
        to request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) {
        var request = request
        request.appID = try own(id, of: client).request.appID
        try check(request, of: client, id: id)
        let old = tree
        tree.replace(id, with: request)
        let (before, after) = (old.front, tree.front)
        let isOnTop = after.map { $0.top == before?.top || tree.isInSubtree($0.top, of: id) } ?? false
        if after != before, !request.isActive || !isOnTop {
            // The change uncovers another request, as a release does.
            return resolve(.request)
        }
        if after != before || after?.deciding == id, let conflict {
            tree = old
            throw conflict
        }
        if after?.top != before?.top { return presentTopmost() }
        // A pushed request waits for the next rotation, whichever request is updated.
        let isPushed = deciding?.request.presentation == .push
        if !isPushed && (after != before || tree.isInFront(id)) { leaveForbidden() }
    }

    /// Turns the interface if what is shown is not allowed, as setNeedsUpdateOfSupportedInterfaceOrientations() does.
    public mutating func setNeedsUpdate(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal) {
        _ = try own(id, of: client)
        if tree.isInFront(id) { leaveForbidden() }
    }

    /// Releases a request of `client` with its descendants; returns all of them, the request itself first.
    @discardableResult
    public mutating func release(
        _ id: RotationRequest.ID,
        of client: String
    ) throws(RotationRefusal) -> [RotationRequest.ID] {
        _ = try own(id, of: client)
        return uncovering { $0.remove(id) }
    }

    /// Releases all requests and masks of a client whose connection closed; returns the requests.
    @discardableResult
    public mutating func drop(_ client: String) -> [RotationRequest.ID] {
        dynamicMasks[client] = nil
        return uncovering { $0.remove(client: client) }
    }

    /// Removes requests, and resolves if that uncovers another one.
    private mutating func uncovering(_ remove: (inout RequestTree) -> [RotationRequest.ID]) -> [RotationRequest.ID] {
        let before = tree.front
        let released = remove(&tree)
        if tree.front != before { resolve(.request) }
        return released
    }

    /// Sets the dynamic mask of an application, which only affects requests of `client`; nil removes it.
    ///
    /// Throws `invalidInterfaceOrientation` if the deciding request autorotates and nothing would be left for it.
    public mutating func setApplicationMask(
        _ mask: InterfaceOrientationMask?,
        of appID: String,
        for client: String
    ) throws(RotationRefusal) {
        if let problem = mask?.problem { throw .invalidArgument("mask: \(problem)") }
        let old = dynamicMasks
        dynamicMasks[client, default: [:]][appID] = mask
        if dynamicMasks[client]?.isEmpty == true { dynamicMasks[client] = nil }
        guard let deciding, deciding.client == client, deciding.request.appID == appID else { return }
        if deciding.request.shouldAutorotate, grantedMask(of: deciding).isDisjoint(with: deciding.request.supported) {
            dynamicMasks = old
            throw .invalidInterfaceOrientation(
                "mask: the deciding request supports \(deciding.request.supported) only, and it autorotates"
            )
        }
        leaveForbidden()
    }

    // MARK: - Checking

    private func own(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal) -> RequestTree.Node {
        guard let node = tree[id] else { throw .unknownRequest }
        guard node.client == client else { throw .notYourRequest }
        return node
    }

    /// Checks what does not depend on the masks; `id` is that of an existing request.
    private func check(
        _ request: RotationRequest,
        of client: String,
        id: RotationRequest.ID? = nil
    ) throws(RotationRefusal) {
        if let problem = request.supported.problem { throw .invalidArgument("supported: \(problem)") }
        if let preferred = request.preferred, !request.supported.contains(preferred) {
            throw .invalidInterfaceOrientation(
                "preferred: \(preferred) is not among the supported \(request.supported)"
            )
        }
        if let parent = request.parent {
            guard tree[parent]?.client == client else {
                throw .invalidArgument("parent: not a request of this connection")
            }
            if let id, tree.isInSubtree(parent, of: id) {
                throw .invalidArgument("parent: a request cannot be its own ancestor")
            }
        }
        // The current target may have been released since.
        if let target = request.forwardsTo, target != id.flatMap({ tree[$0]?.request.forwardsTo }) {
            guard tree[target]?.client == client else {
                throw .invalidArgument("forwards-to: not a request of this connection")
            }
            if let id, tree.forwards(target, to: id) {
                throw .invalidArgument("forwards-to: a request cannot forward to itself")
            }
        }
    }

    /// The conflict of the deciding request with the masks, by the table in docs/semantics.md; nil if it can be shown.
    private var conflict: RotationRefusal? {
        guard let deciding, exception == nil else { return nil }
        let granted = grantedMask(of: deciding)
        guard granted.isDisjoint(with: deciding.request.supported) else { return nil }
        return .invalidInterfaceOrientation(
            "supported: \(deciding.request.supported) cannot be shown; device and application allow \(granted) only"
                + (deciding.request.shouldAutorotate ? "" : ", and no orientation is preferred")
        )
    }
}
