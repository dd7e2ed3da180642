// SPDX-License-Identifier: Apache-2.0

/// Decides how the interface is shown: from how the device is held, what applications ask for, and what the user wants.
///
/// One value that is told of events; it reads no clock and keeps no history. What was decided, and by which rule, is
/// the result of each call. Where several rules apply, the first of these wins: the masks, the request that is asked,
/// a rotation by hand, laptop mode, the lock, the device.
public struct RotationPolicy: Sendable {
    /// What must outlive the process.
    public struct Memory: Hashable, Sendable {
        public var lock: RotationLock
        /// What the lock holds.
        public var held: InterfaceOrientation
        public var shown: InterfaceOrientation

        public init(lock: RotationLock, held: InterfaceOrientation, shown: InterfaceOrientation) {
            self.lock = lock
            self.held = held
            self.shown = shown
        }
    }

    public private(set) var configuration: RotationConfiguration
    public private(set) var autorotate: AutorotateMode
    public private(set) var tabletMode = TabletMode.unknown
    public private(set) var lock: RotationLock

    /// How the interface is shown.
    public private(set) var shown: InterfaceOrientation

    /// What brought it there.
    public private(set) var reason = InterfaceReason.startup

    /// What the lock holds, or held last.
    private var held: InterfaceOrientation

    /// What was shown last for a reason other than a request: it stands in for the device where that has no say.
    private var lastUnrequested: InterfaceOrientation

    /// The edge that the device has up; unknown until the first reading, and again after a pause.
    private var device = DeviceOrientation.unknown
    public private(set) var isPaused = false

    /// Whether the user has rotated the interface by hand, which holds until the device turns.
    private var isManual = false

    var tree = RequestTree()

    /// The masks that clients have set for their own requests, by client and application.
    var dynamicMasks: [String: [String: InterfaceOrientationMask]] = [:]

    /// Creates the policy as it is at the start; `memory` is what an earlier one has left.
    public init(configuration: RotationConfiguration, autorotate: AutorotateMode, memory: Memory? = nil) {
        self.configuration = configuration
        self.autorotate = autorotate
        lock = memory?.lock ?? .off
        let natural = InterfaceOrientation(following: configuration.natural)
        var locked = lock == .off ? nil : memory?.held
        if case .orientation(let orientation) = lock { locked = orientation }
        shown = [locked, memory?.shown, natural].firstAllowed(by: configuration.supported) ?? .portrait
        held = locked ?? shown
        lastUnrequested = shown
    }

    public var memory: Memory { Memory(lock: lock, held: held, shown: shown) }
}

// MARK: - What applies

extension RotationPolicy {
    /// The orientations that are allowed at present; never empty.
    public var effectiveMask: InterfaceOrientationMask {
        guard let asked else { return configuration.supported }
        if let exception { return InterfaceOrientationMask(exception) }
        let granted = grantedMask(of: asked)
        let both = granted.intersection(asked.request.supported)
        // Where a change of the masks has left nothing, the request cannot be heard, nor then the application.
        return !both.isEmpty ? both : granted.isEmpty ? configuration.supported : granted
    }

    /// What the asked request is shown at although device and application forbid it.
    var exception: InterfaceOrientation? {
        guard let asked, !asked.request.shouldAutorotate else { return nil }
        return grantedMask(of: asked).isDisjoint(with: asked.request.supported) ? asked.request.preferred : nil
    }

    /// The request that is asked; nil where there is no active one.
    public var askedRequest: (id: RotationRequest.ID, request: RotationRequest)? {
        guard let asked = tree.asked, let node = tree[asked.node] else { return nil }
        return (asked.node, node.request)
    }

    var asked: RequestTree.Node? { tree.asked.flatMap { tree[$0.node] } }

    /// What device and application grant to a request.
    func grantedMask(of node: RequestTree.Node) -> InterfaceOrientationMask {
        let mask = dynamicMasks[node.client]?[node.request.appID] ?? configuration.applicationMasks[node.request.appID]
        return configuration.supported.intersection(mask ?? .all)
    }

    /// Says whether the laptop orientation is shown in place of what the device or the lock says.
    private var isLaptop: Bool { autorotate == .tabletMode && tabletMode == .laptop }

    private var isLocked: Bool { lock != .off && !isLaptop }

    /// Whether the request that is asked lets the device turn it; without one it does.
    private var asksForAutorotation: Bool { asked?.request.shouldAutorotate ?? true }

    /// What is upright on the device as it is held; nil where that is unknown or has no say.
    private var followed: InterfaceOrientation? {
        autorotate == .never || !asksForAutorotation ? nil : InterfaceOrientation(following: device)
    }

    /// What the asked request prefers; only one that is, or is part of, something modal is ever asked for that.
    private var preferred: InterfaceOrientation? {
        guard let asked = tree.asked, tree[asked.top]?.request.presentation == .modal else { return nil }
        return tree[asked.node]?.request.preferred
    }
}

// MARK: - Deciding

extension RotationPolicy {
    /// Resolves as if the device had just been turned, which ends a rotation by hand.
    mutating func settle(_ reason: InterfaceReason) -> Decision {
        isManual = false
        let mask = effectiveMask
        let upright = upright
        if mask.contains(upright) { return show(upright, reason) }
        if mask.contains(shown) { return unchanged }
        return show(firstOf: [preferred], reason)
    }

    /// Keeps what is shown while it is allowed.
    mutating func keep() -> Decision {
        show(firstOf: [shown, upright, fallback, preferred], .request)
    }

    /// Shows a modal request that has just been presented.
    mutating func start() -> Decision {
        show(firstOf: [preferred, shown, upright, fallback], .request)
    }

    /// What would be shown if every orientation were allowed and no request preferred one.
    private var upright: InterfaceOrientation {
        isLaptop ? configuration.laptop : isLocked ? held : followed ?? lastUnrequested
    }

    /// What a request is shown at in laptop mode where the laptop orientation is not allowed.
    private var fallback: InterfaceOrientation? { isLaptop ? followed ?? lastUnrequested : nil }

    /// Leaves everything as it is.
    var unchanged: Decision { Decision(transition: nil, rule: rule) }

    /// Shows the first of the given orientations that is allowed, else the allowed one of the lowest raw value.
    private mutating func show(firstOf candidates: [InterfaceOrientation?], _ reason: InterfaceReason) -> Decision {
        guard let orientation = candidates.firstAllowed(by: effectiveMask) else { return unchanged }
        return show(orientation, reason)
    }

    private mutating func show(_ orientation: InterfaceOrientation, _ reason: InterfaceReason) -> Decision {
        // Also where a request shows it already: it stays when that request goes.
        if reason != .request { lastUnrequested = orientation }
        guard orientation != shown else { return unchanged }
        let transition = Transition(from: shown, to: orientation, reason: reason)
        shown = orientation
        self.reason = reason
        if reason == .request { isManual = false }
        return Decision(transition: transition, rule: rule)
    }
}

extension [InterfaceOrientation?] {
    /// The first that `mask` allows, else the lowest that it allows.
    fileprivate func firstAllowed(by mask: InterfaceOrientationMask) -> InterfaceOrientation? {
        for case let orientation? in self where mask.contains(orientation) { return orientation }
        return mask.lowest
    }
}

// MARK: - The device and the machine

extension RotationPolicy {
    /// Takes notice of the edge that the device has up; what is no edge, or no other, changes nothing.
    public mutating func deviceTurned(to edge: DeviceOrientation) -> Decision {
        guard edge.isEdge, edge != device, !isPaused else { return unchanged }
        device = edge
        if isLaptop { return isManual ? settle(.tabletMode) : unchanged }
        isManual = false
        guard !isLocked, autorotate != .never, asksForAutorotation else { return unchanged }
        return settle(.sensor)
    }

    /// Takes no notice of the device from now on: the lid is closed, or the machine is about to sleep.
    public mutating func pause() -> Decision {
        isPaused = true
        return unchanged
    }

    /// Ends a pause; the next edge counts as a turn, whichever it is.
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
}

// MARK: - The user

extension RotationPolicy {
    /// Sets the lock, or lifts it.
    ///
    /// Throws `orientationNotSupported` for an orientation outside the device's configuration, be it given or shown.
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

    /// Rotates the interface by hand, also under the lock, which holds this orientation from then on.
    ///
    /// Without the lock it holds until the device turns. Throws `orientationNotSupported` outside the effective mask.
    public mutating func rotate(to orientation: InterfaceOrientation) throws(RotationRefusal) -> Decision {
        guard effectiveMask.contains(orientation) else {
            throw .orientationNotSupported("\(orientation): \(explanation(of: .mask))")
        }
        hold(orientation)
        let decision = show(orientation, .manual)
        isManual = !isLocked
        return Decision(transition: decision.transition, rule: rule)
    }

    /// Turns the interface to the device once, as if that had just been turned; the lock then holds this.
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

    /// Makes `orientation` what the lock holds, if it is on; a lock of an edge becomes that edge.
    private mutating func hold(_ orientation: InterfaceOrientation) {
        guard lock != .off, configuration.supported.contains(orientation) else { return }
        held = orientation
        if case .orientation = lock { lock = .orientation(orientation) }
    }
}

// MARK: - Why

extension RotationPolicy {
    /// The rule that keeps the interface as it is shown now.
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

    /// The rule as a sentence for people: `org.example.Player allows portrait only`.
    public var explanation: String { explanation(of: rule) }

    private func explanation(of rule: RotationRule) -> String {
        rule.sentence(asked: askedRequest.map { ($0.request.appID, $0.request.supported) }, mask: effectiveMask)
    }
}
