// SPDX-License-Identifier: Apache-2.0

/// Decides the interface orientation from the device orientation, the requests of applications and the user's settings.
///
/// A value type without clock or history; each call returns what was decided and by which rule. Precedence: the masks,
/// the asked request, an unlocked rotation by hand, laptop mode, the lock, the device. docs/semantics.md has every rule.
public struct RotationPolicy: Sendable {
    public private(set) var configuration: RotationConfiguration
    public private(set) var autorotate: AutorotateMode
    public private(set) var tabletMode = TabletMode.unknown
    public private(set) var lock: RotationLock

    /// The interface orientation.
    public private(set) var shown: InterfaceOrientation
    /// Why it last changed.
    public private(set) var reason = InterfaceReason.startup

    /// The orientation that the lock holds, or held last.
    private var held: InterfaceOrientation

    /// What was shown last for a reason other than a request; shown where the device does not turn the interface.
    private var lastUnrequested: InterfaceOrientation

    /// The edge of the device that is up; unknown before the first reading, also after a pause.
    private var device = DeviceOrientation.unknown
    public private(set) var isPaused = false

    /// Whether an unlocked rotation by hand holds, until the device turns.
    private var isManual = false

    var tree = RequestTree()

    /// The masks set by SetApplicationMask, by client and application.
    var dynamicMasks: [String: [String: InterfaceOrientationMask]] = [:]

    /// Creates the policy at startup; `memory` is the persisted state, if any, whose mode it does not use.
    public init(configuration: RotationConfiguration, autorotate: AutorotateMode, memory: SavedState? = nil) {
        self.configuration = configuration
        self.autorotate = autorotate
        lock = memory?.lock ?? .off
        let natural = InterfaceOrientation(following: configuration.natural)
        var locked = lock == .off ? nil : memory?.held
        if case .orientation(let orientation) = lock { locked = orientation }
        let mask = configuration.supported
        shown = mask.allowed(locked) ?? mask.allowed(memory?.shown) ?? mask.allowed(natural) ?? mask.lowest ?? .portrait
        held = locked ?? shown
        lastUnrequested = shown
    }

    /// The state to persist, without the mode.
    public var memory: SavedState { SavedState(lock: lock, held: held, shown: shown) }

    // MARK: - What is allowed

    /// The orientations that are allowed now; never empty.
    public var effectiveMask: InterfaceOrientationMask {
        guard let asked else { return configuration.supported }
        if let exception { return InterfaceOrientationMask(exception) }
        let granted = grantedMask(of: asked)
        let both = granted.intersection(asked.request.supported)
        // After a change of the configuration, masks without a common orientation are ignored, innermost first.
        return !both.isEmpty ? both : granted.isEmpty ? configuration.supported : granted
    }

    /// The preferred orientation of a fixed request, which it gets although device and application forbid it.
    var exception: InterfaceOrientation? {
        guard let asked, !asked.request.shouldAutorotate else { return nil }
        return grantedMask(of: asked).isDisjoint(with: asked.request.supported) ? asked.request.preferred : nil
    }

    /// The asked request; nil if no request is active.
    public var askedRequest: (id: RotationRequest.ID, request: RotationRequest)? {
        guard let asked = tree.asked, let node = tree[asked.node] else { return nil }
        return (asked.node, node.request)
    }

    var asked: RequestTree.Node? { tree.asked.flatMap { tree[$0.node] } }

    /// The device configuration and the application mask of a request together.
    func grantedMask(of node: RequestTree.Node) -> InterfaceOrientationMask {
        let mask = dynamicMasks[node.client]?[node.request.appID] ?? configuration.applicationMasks[node.request.appID]
        return configuration.supported.intersection(mask ?? .all)
    }

    /// Whether laptop mode applies, which comes before the lock and the device.
    private var isLaptop: Bool { autorotate == .tabletMode && tabletMode == .laptop }

    private var isLocked: Bool { lock != .off && !isLaptop }

    /// Whether the device may turn the asked request; true if there is none.
    private var asksForAutorotation: Bool { asked?.request.shouldAutorotate ?? true }

    /// The orientation that follows the device; nil if its edge is unknown or does not turn the interface.
    private var followed: InterfaceOrientation? {
        autorotate == .never || !asksForAutorotation ? nil : InterfaceOrientation(following: device)
    }

    /// The preferred orientation of the asked request; nil if the topmost request was pushed.
    private var preferred: InterfaceOrientation? {
        guard let asked = tree.asked, tree[asked.top]?.request.presentation == .modal else { return nil }
        return tree[asked.node]?.request.preferred
    }

    // MARK: - Deciding

    /// Resolves as if the device had just been turned, which ends a rotation by hand.
    mutating func settle(_ reason: InterfaceReason) -> Decision {
        isManual = false
        let mask = effectiveMask
        if let upright = mask.allowed(upright) { return show(upright, reason) }
        return mask.contains(shown) ? unchanged : show(mask.allowed(preferred) ?? mask.lowest ?? shown, reason)
    }

    /// Turns the interface for the asked request if what is shown is not allowed.
    mutating func keep() -> Decision {
        let mask = effectiveMask
        if mask.contains(shown) { return unchanged }
        return show(unrequested(within: mask) ?? mask.allowed(preferred) ?? mask.lowest ?? shown, .request)
    }

    /// Turns the interface for a modal request that has just been presented.
    mutating func start() -> Decision {
        let mask = effectiveMask
        let next = mask.allowed(preferred) ?? mask.allowed(shown) ?? unrequested(within: mask) ?? mask.lowest
        return show(next ?? shown, .request)
    }

    /// What would be shown if every orientation were allowed and no request preferred one.
    private var upright: InterfaceOrientation {
        isLaptop ? configuration.laptop : isLocked ? held : followed ?? lastUnrequested
    }

    /// What a request is shown at if neither its preferred nor the current orientation applies; nil if not allowed.
    private func unrequested(within mask: InterfaceOrientationMask) -> InterfaceOrientation? {
        mask.allowed(upright) ?? (isLaptop ? mask.allowed(followed ?? lastUnrequested) : nil)
    }

    /// The result of an event that changes nothing.
    var unchanged: Decision { Decision(transition: nil, rule: rule) }

    private mutating func show(_ orientation: InterfaceOrientation, _ reason: InterfaceReason) -> Decision {
        // Also if a request shows it already: it stays when that request is released.
        if reason != .request { lastUnrequested = orientation }
        guard orientation != shown else { return unchanged }
        let transition = Transition(from: shown, to: orientation, reason: reason)
        shown = orientation
        self.reason = reason
        if reason == .request { isManual = false }
        return Decision(transition: transition, rule: rule)
    }
}

extension InterfaceOrientationMask {
    /// The orientation if the mask contains it.
    fileprivate func allowed(_ orientation: InterfaceOrientation?) -> InterfaceOrientation? {
        orientation.flatMap { contains($0) ? $0 : nil }
    }
}

// MARK: - The device and the machine

extension RotationPolicy {
    /// Sets the edge of the device that is up; ignores the same edge and what is not an edge.
    public mutating func deviceTurned(to edge: DeviceOrientation) -> Decision {
        guard edge.isEdge, edge != device, !isPaused else { return unchanged }
        device = edge
        if isLaptop { return isManual ? settle(.tabletMode) : unchanged }
        isManual = false
        guard !isLocked, autorotate != .never, asksForAutorotation else { return unchanged }
        return settle(.sensor)
    }

    /// Ignores the device from now on.
    public mutating func pause() -> Decision {
        isPaused = true
        return unchanged
    }

    /// Ends a pause; any next edge counts as a turn.
    public mutating func resume() -> Decision {
        isPaused = false
        device = .unknown
        return unchanged
    }

    public mutating func setTabletMode(_ mode: TabletMode) -> Decision {
        let wasLaptop = isLaptop
        tabletMode = mode
        return isLaptop == wasLaptop ? unchanged : settle(.tabletMode)
    }

    public mutating func setAutorotate(_ mode: AutorotateMode) -> Decision {
        guard mode != autorotate else { return unchanged }
        autorotate = mode
        return settle(.configuration)
    }

    public mutating func configure(_ configuration: RotationConfiguration) -> Decision {
        guard configuration != self.configuration else { return unchanged }
        self.configuration = configuration
        return settle(.configuration)
    }

    // MARK: - The user

    /// Sets or lifts the lock.
    ///
    /// Throws `orientationNotSupported` if the orientation to hold is outside the device configuration.
    public mutating func setLock(_ lock: RotationLock) throws(RotationRefusal) -> Decision {
        let orientation: InterfaceOrientation
        switch lock {
        case .off:
            guard self.lock != .off else { return unchanged }
            self.lock = .off
            return settle(.lock)
        case .current: orientation = shown
        case .orientation(let edge): orientation = edge
        }
        guard configuration.supported.contains(orientation) else {
            throw .orientationNotSupported("\(orientation): this device supports \(configuration.supported) only")
        }
        self.lock = lock
        held = orientation
        // In laptop mode the lock is remembered, not applied.
        guard isLocked else { return unchanged }
        isManual = false
        return effectiveMask.contains(orientation) ? show(orientation, .lock) : unchanged
    }

    /// Rotates the interface by hand; a lock then holds this orientation.
    ///
    /// Without a lock it holds until the device turns. Throws `orientationNotSupported` outside the effective mask.
    public mutating func rotate(to orientation: InterfaceOrientation) throws(RotationRefusal) -> Decision {
        guard effectiveMask.contains(orientation) else {
            throw .orientationNotSupported("\(orientation): \(explanation(of: .mask))")
        }
        hold(orientation)
        let decision = show(orientation, .manual)
        isManual = !isLocked
        return Decision(transition: decision.transition, rule: rule)
    }

    /// Turns the interface once, as if the device had just been turned; a lock then holds this orientation.
    public mutating func alignToDevice() -> Decision {
        guard asksForAutorotation, let orientation = InterfaceOrientation(following: device) else { return unchanged }
        if isLaptop { return settle(.manual) }
        guard effectiveMask.contains(orientation) else {
            return isLocked || autorotate == .never ? unchanged : settle(.manual)
        }
        hold(orientation)
        isManual = false
        return show(orientation, .manual)
    }

    /// Makes the lock hold another orientation, if it is on.
    private mutating func hold(_ orientation: InterfaceOrientation) {
        guard lock != .off, configuration.supported.contains(orientation) else { return }
        held = orientation
        if case .orientation = lock { lock = .orientation(orientation) }
    }

    // MARK: - Explanation

    /// The rule that explains what is shown.
    public var rule: RotationRule {
        let mask = effectiveMask
        guard mask.contains(shown) else { return .waiting }
        if exception != nil { return .preferred }
        if isManual { return .manual }
        if isLaptop {
            return shown == configuration.laptop ? .laptop : mask.contains(configuration.laptop) ? .kept : .mask
        }
        if isLocked { return shown == held ? .lock : mask.contains(held) ? .kept : .mask }
        if !asksForAutorotation { return .fixed }
        if autorotate == .never { return .never }
        if isPaused { return .paused }
        guard let followed else { return .unknown }
        return shown == followed ? .device : mask.contains(followed) ? .kept : .mask
    }

    /// The rule as a sentence for people, such as `org.example.Player allows portrait only`.
    public var explanation: String { explanation(of: rule) }

    private func explanation(of rule: RotationRule) -> String {
        rule.sentence(asked: askedRequest.map { ($0.request.appID, $0.request.supported) }, mask: effectiveMask)
    }
}
