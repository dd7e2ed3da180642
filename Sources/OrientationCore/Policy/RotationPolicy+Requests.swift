// SPDX-License-Identifier: Apache-2.0

extension RotationPolicy {
    /// How many active requests need to know how the device is held.
    public var autorotatingRequests: Int { tree.autorotatingCount }

    /// All requests, the oldest first.
    public var requests: [RotationRequest.ID] { tree.ids }

    public func request(_ id: RotationRequest.ID) -> RotationRequest? { tree[id]?.request }

    /// The client that presented a request.
    public func client(of id: RotationRequest.ID) -> String? { tree[id]?.client }

    /// Says whether a client has set a mask of its own for an application.
    public func hasApplicationMask(of appID: String, for client: String) -> Bool {
        dynamicMasks[client]?[appID] != nil
    }

    /// Presents a request of `client`: a modal one is asked and shown at once, a pushed one waits for the next turn.
    ///
    /// Throws what ``RotationRefusal`` lists where the request makes no sense or contradicts the masks.
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
        return (id, comeUp())
    }

    /// Changes a request of `client`; one that becomes active is presented anew, one that becomes inactive goes.
    ///
    /// Otherwise what is shown stays where that is allowed. The application's id stays what it was.
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
        let isOnTop = after.map { $0.top == before?.top || tree.isPart($0.top, of: id) } ?? false
        if after != before, !request.isActive || !isOnTop {
            // Another one was uncovered.
            return settle(.request)
        }
        if after != before || after?.node == id, let conflict {
            tree.restore(id, to: old)
            throw conflict
        }
        if after?.top != before?.top { return comeUp() }
        guard let asked, asked.request.presentation == .modal, after != before || tree.chain.contains(id) else {
            // A pushed request waits, whichever request was updated; one that is not asked changes nothing.
            return unchanged
        }
        return keep()
    }

    /// Asks anew for what a request of `client` supports, as setNeedsUpdateOfSupportedInterfaceOrientations() does.
    public mutating func setNeedsUpdate(
        _ id: RotationRequest.ID,
        of client: String
    ) throws(RotationRefusal) -> Decision {
        _ = try own(id, of: client)
        return tree.chain.contains(id) ? keep() : unchanged
    }

    /// Releases a request of `client` with all below it.
    public mutating func release(
        _ id: RotationRequest.ID,
        of client: String
    ) throws(RotationRefusal) -> (released: [RotationRequest.ID], decision: Decision) {
        _ = try own(id, of: client)
        let before = tree.asked
        let released = tree.remove(id)
        return (released, tree.asked == before ? unchanged : settle(.request))
    }

    /// Drops everything that a client has: it is gone.
    public mutating func drop(_ client: String) -> (released: [RotationRequest.ID], decision: Decision) {
        let before = tree.asked
        let released = tree.remove(client: client)
        dynamicMasks[client] = nil
        return (released, tree.asked == before ? unchanged : settle(.request))
    }

    /// Sets the mask of an application for the requests of `client` alone, or with nil goes back to the configuration's.
    ///
    /// Throws `invalidInterfaceOrientation` where the request that is asked autorotates and would be left with nothing.
    public mutating func setApplicationMask(
        _ mask: InterfaceOrientationMask?,
        of appID: String,
        for client: String
    ) throws(RotationRefusal) -> Decision {
        if let mask, !mask.isValid { throw .invalidArgument("mask: \(mask.rawValue) is no set of orientations") }
        let old = dynamicMasks[client]
        dynamicMasks[client, default: [:]][appID] = mask
        if dynamicMasks[client]?.isEmpty == true { dynamicMasks[client] = nil }
        guard let asked, asked.client == client, asked.request.appID == appID else { return unchanged }
        if asked.request.shouldAutorotate, grantedMask(of: asked).isDisjoint(with: asked.request.supported) {
            dynamicMasks[client] = old
            throw .invalidInterfaceOrientation(
                "mask: a request on show supports \(asked.request.supported) only, and autorotates"
            )
        }
        return keep()
    }

    /// Shows what has just come out on top.
    private mutating func comeUp() -> Decision {
        guard let top = tree.asked?.top, tree[top]?.request.presentation == .modal else { return unchanged }
        return start()
    }

    // MARK: - Judging

    private func own(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal) -> RequestTree.Node {
        guard let node = tree[id] else { throw .unknownRequest }
        guard node.client == client else { throw .notYourRequest }
        return node
    }

    /// Judges what does not depend on other requests' masks; `id` is that of one that exists already.
    private func check(
        _ request: RotationRequest,
        of client: String,
        id: RotationRequest.ID? = nil
    ) throws(RotationRefusal) {
        guard request.supported.isValid else {
            throw .invalidArgument("supported: \(request.supported.rawValue) is no set of orientations")
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
            if let id, tree.isPart(parent, of: id) {
                throw .invalidArgument("parent: a request cannot be part of itself")
            }
        }
        // What it forwarded to already may have been released since.
        if let target = request.forwardsTo, target != id.flatMap({ tree[$0]?.request.forwardsTo }) {
            guard tree[target]?.client == client else {
                throw .invalidArgument("forwards-to: not a request of this connection")
            }
            if let id, tree.forwards(target, to: id) {
                throw .invalidArgument("forwards-to: a request cannot forward to itself")
            }
        }
    }

    /// What is wrong with the request that is asked, by the table of conflicts; nil where it can be shown.
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
