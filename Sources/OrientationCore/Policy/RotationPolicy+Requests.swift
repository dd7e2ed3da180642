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

    /// Presents a request of `client`; a modal one turns the interface at once, a pushed one waits for the next rotation.
    ///
    /// Throws if the request is not valid or contradicts the masks.
    public mutating func present(
        _ request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) -> (id: RotationRequest.ID, decision: Decision) {
        try check(request, of: client)
        let id = tree.insert(request, of: client)
        guard tree.asked?.top == id else { return (id, unchanged) }
        if let conflict {
            tree.remove(id)
            throw conflict
        }
        return (id, presentTop())
    }

    /// Changes a request of `client`; activating it presents it, deactivating it resolves like a release.
    ///
    /// Other changes turn the interface only if what is shown is no longer allowed and a modal request is asked. The
    /// application id does not change.
    public mutating func update(
        _ id: RotationRequest.ID,
        to request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) -> Decision {
        let old = try own(id, of: client)
        var request = request
        request.appID = old.request.appID
        try check(request, of: client, id: id)
        let before = tree.asked
        tree.replace(id, with: request)
        let after = tree.asked
        let isOnTop = after.map { $0.top == before?.top || tree.isInSubtree($0.top, of: id) } ?? false
        if after != before, !request.isActive || !isOnTop {
            // The change uncovers another request, as a release does.
            return settle(.request)
        }
        if after != before || after?.node == id, let conflict {
            tree.restore(id, to: old)
            throw conflict
        }
        if after?.top != before?.top { return presentTop() }
        // A pushed request waits for the next rotation, whichever request is updated.
        let isPushed = asked?.request.presentation == .push
        return !isPushed && (after != before || tree.isAsked(through: id)) ? keep() : unchanged
    }

    /// Turns the interface if what is shown is not allowed, as setNeedsUpdateOfSupportedInterfaceOrientations() does.
    public mutating func setNeedsUpdate(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal) -> Decision
    {
        _ = try own(id, of: client)
        return tree.isAsked(through: id) ? keep() : unchanged
    }

    /// Releases a request of `client` with its descendants.
    public mutating func release(
        _ id: RotationRequest.ID,
        of client: String
    ) throws(RotationRefusal) -> (released: [RotationRequest.ID], decision: Decision) {
        _ = try own(id, of: client)
        let before = tree.asked
        let released = tree.remove(id)
        return (released, tree.asked == before ? unchanged : settle(.request))
    }

    /// Releases all requests and masks of a client whose connection closed.
    public mutating func drop(_ client: String) -> (released: [RotationRequest.ID], decision: Decision) {
        let before = tree.asked
        let released = tree.remove(client: client)
        dynamicMasks[client] = nil
        return (released, tree.asked == before ? unchanged : settle(.request))
    }

    /// Sets the dynamic mask of an application, which only affects requests of `client`; nil removes it.
    ///
    /// Throws `invalidInterfaceOrientation` if the asked request autorotates and nothing would be left for it.
    public mutating func setApplicationMask(
        _ mask: InterfaceOrientationMask?,
        of appID: String,
        for client: String
    ) throws(RotationRefusal) -> Decision {
        if let mask, !mask.isValid {
            throw .invalidArgument("mask: \(mask.rawValue) is not a valid set of orientations")
        }
        let old = dynamicMasks[client]
        dynamicMasks[client, default: [:]][appID] = mask
        if dynamicMasks[client]?.isEmpty == true { dynamicMasks[client] = nil }
        guard let asked, asked.client == client, asked.request.appID == appID else { return unchanged }
        if asked.request.shouldAutorotate, grantedMask(of: asked).isDisjoint(with: asked.request.supported) {
            dynamicMasks[client] = old
            throw .invalidInterfaceOrientation(
                "mask: the asked request supports \(asked.request.supported) only, and it autorotates"
            )
        }
        return keep()
    }

    /// Shows a request that has just become the topmost one.
    private mutating func presentTop() -> Decision {
        guard let top = tree.asked?.top, tree[top]?.request.presentation == .modal else { return unchanged }
        return start()
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
        guard request.supported.isValid else {
            throw .invalidArgument("supported: \(request.supported.rawValue) is not a valid set of orientations")
        }
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

    /// The conflict of the asked request with the masks, by the table in docs/semantics.md; nil if it can be shown.
    private var conflict: RotationRefusal? {
        guard let asked, exception == nil else { return nil }
        let granted = grantedMask(of: asked)
        guard granted.isDisjoint(with: asked.request.supported) else { return nil }
        return .invalidInterfaceOrientation(
            "supported: \(asked.request.supported), while device and application allow \(granted)"
                + (asked.request.shouldAutorotate ? ", and it autorotates" : ", and there is no preferred one to show")
        )
    }
}
