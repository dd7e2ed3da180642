// SPDX-License-Identifier: Apache-2.0

/// Decides the interface orientation from the device orientation, the requests of applications and the user's settings.
///
/// A value type without clock or history. ``shown``, ``reason`` and ``rule`` say what each call decided. Precedence:
/// the masks, the deciding request, an unlocked rotation by hand, laptop mode, the lock, the device. docs/semantics.md
/// has every rule.
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

    /// What was shown last while no request decided, or was upright or asked for by a person; shown when the device may
    /// not decide.
    private var fallback: InterfaceOrientation

    /// The edge of the device that is up; unknown before the first reading, also after a pause.
    private var device = DeviceOrientation.unknown
    public private(set) var isPaused = false

    /// Whether there was no saved orientation.
    private let startsAfresh: Bool

    /// Whether an unlocked rotation by hand holds, until the device turns.
    private var isManual = false

    var tree = RequestTree()

    /// The masks set by SetApplicationMask, by client and application.
    var dynamicMasks: [String: [String: InterfaceOrientationMask]] = [:]

    /// Creates the policy at startup; `memory` is the persisted state, if any, whose mode it does not use.
    public init(configuration: RotationConfiguration, autorotate: AutorotateMode, memory: SavedState? = nil) {
        self.configuration = configuration
        self.autorotate = autorotate
        startsAfresh = memory == nil
        lock = memory?.lock ?? .off
        let natural = InterfaceOrientation(following: configuration.natural)
        var locked = lock == .off ? nil : memory?.held
        if case .orientation(let orientation) = lock { locked = orientation }
        let mask = configuration.supported
        shown = mask.allowed(locked) ?? mask.allowed(memory?.shown) ?? mask.allowed(natural) ?? mask.lowest ?? .portrait
        held = locked ?? shown
        fallback = shown
    }

    /// The state to persist, without the mode.
    public var memory: SavedState { SavedState(lock: lock, held: held, shown: shown) }

    // MARK: - What is allowed

    /// The orientations that are allowed now; never empty.
    public var effectiveMask: InterfaceOrientationMask {
        guard let deciding else { return configuration.supported }
        if let exception { return InterfaceOrientationMask(exception) }
        let granted = grantedMask(of: deciding)
        let both = granted.intersection(deciding.request.supported)
        // After a change of the configuration, masks without a common orientation are ignored, innermost first.
        return !both.isEmpty ? both : granted.isEmpty ? configuration.supported : granted
    }

    /// The preferred orientation of a fixed request, which it gets although device and application forbid it.
    var exception: InterfaceOrientation? {
        guard let deciding, !deciding.request.shouldAutorotate else { return nil }
        return grantedMask(of: deciding).isDisjoint(with: deciding.request.supported) ? deciding.request.preferred : nil
    }

    /// The request whose mask applies; nil if no request is active.
    public var decidingRequest: (id: RotationRequest.ID, request: RotationRequest)? {
        guard let front = tree.front, let node = tree[front.deciding] else { return nil }
        return (front.deciding, node.request)
    }

    var deciding: RequestTree.Node? { tree.front.flatMap { tree[$0.deciding] } }

    /// The device configuration and the application mask of a request together.
    func grantedMask(of node: RequestTree.Node) -> InterfaceOrientationMask {
        let mask = dynamicMasks[node.client]?[node.request.appID] ?? configuration.applicationMasks[node.request.appID]
        return configuration.supported.intersection(mask ?? .all)
    }

    /// Whether laptop mode applies, which comes before the lock and the device.
    private var isLaptop: Bool { autorotate == .tabletMode && tabletMode == .laptop }

    private var isLocked: Bool { lock != .off && !isLaptop }

    /// Whether the deciding request follows the device; true if there is none.
    private var followsDevice: Bool { deciding?.request.shouldAutorotate ?? true }

    /// The orientation that follows the device; nil if its edge is unknown or does not turn the interface.
    private var followed: InterfaceOrientation? {
        autorotate == .never || !followsDevice ? nil : InterfaceOrientation(following: device)
    }

    /// The preferred orientation of the deciding request; nil if the topmost request was pushed.
    private var preferred: InterfaceOrientation? {
        guard let front = tree.front, tree[front.top]?.request.presentation == .modal else { return nil }
        return tree[front.deciding]?.request.preferred
    }

    // MARK: - Deciding

    /// Resolves as if the device had just been turned, which ends a rotation by hand.
    mutating func resolve(_ reason: InterfaceReason) {
        isManual = false
        let mask = effectiveMask
        if let upright = mask.allowed(upright) {
            show(upright, reason)
        } else if !mask.contains(shown) {
            turn(to: mask.allowed(preferred) ?? mask.lowest ?? shown, reason)
        }
        if deciding == nil { fallback = shown }
    }

    /// Turns the interface for the deciding request if what is shown is not allowed.
    mutating func leaveForbidden() {
        let mask = effectiveMask
        if mask.contains(shown) { return }
        show(alternative(within: mask) ?? mask.allowed(preferred) ?? mask.lowest ?? shown, .request)
    }

    /// Turns the interface for a request that has just become the topmost one, if it is modal.
    mutating func presentTopmost() {
        guard let front = tree.front, tree[front.top]?.request.presentation == .modal else { return }
        let mask = effectiveMask
        let next = mask.allowed(preferred) ?? mask.allowed(shown) ?? alternative(within: mask) ?? mask.lowest
        show(next ?? shown, .request)
    }

    /// What would be shown if every orientation were allowed and no request preferred one.
    private var upright: InterfaceOrientation {
        isLaptop ? configuration.laptop : isLocked ? held : followed ?? fallback
    }

    /// What a request is shown at if neither its preferred nor the current orientation applies; nil if not allowed.
    private func alternative(within mask: InterfaceOrientationMask) -> InterfaceOrientation? {
        mask.allowed(upright) ?? (isLaptop ? mask.allowed(followed ?? fallback) : nil)
    }

    private mutating func show(_ orientation: InterfaceOrientation, _ reason: InterfaceReason) {
        // Also if a request shows it already: it stays when that request is released.
        if reason != .request { fallback = orientation }
        turn(to: orientation, reason)
    }

    private mutating func turn(to orientation: InterfaceOrientation, _ reason: InterfaceReason) {
        guard orientation != shown else { return }
        shown = orientation
        self.reason = reason
        if reason == .request { isManual = false }
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
    public mutating func deviceTurned(to edge: DeviceOrientation) {
        guard edge.isEdge, edge != device, !isPaused else { return }
        device = edge
        if isLaptop {
            if isManual { resolve(.tabletMode) }
            return
        }
        isManual = false
        if !isLocked, autorotate != .never, followsDevice { resolve(.sensor) }
    }

    /// Ignores the device from now on.
    public mutating func pause() { isPaused = true }

    /// Ends a pause; any next edge counts as a turn.
    public mutating func resume() {
        isPaused = false
        device = .unknown
    }

    public mutating func setTabletMode(_ mode: TabletMode) {
        let wasLaptop = isLaptop
        tabletMode = mode
        if isLaptop != wasLaptop { resolve(.tabletMode) }
    }

    public mutating func setAutorotate(_ mode: AutorotateMode) {
        guard mode != autorotate else { return }
        autorotate = mode
        resolve(.configuration)
    }

    public mutating func configure(_ configuration: RotationConfiguration) {
        guard configuration != self.configuration else { return }
        let (old, new) = (self.configuration.natural, configuration.natural)
        self.configuration = configuration
        if new != old {
            // The same edge is up, by another name.
            device = device.sensed(natural: old).named(natural: new)
            if startsAfresh, reason == .startup, let natural = InterfaceOrientation(following: new) {
                fallback = natural
            }
        }
        resolve(.configuration)
    }

    // MARK: - The user

    /// Sets or lifts the lock.
    ///
    /// Throws `orientationNotSupported` if the orientation to hold is outside the device configuration.
    public mutating func setLock(_ lock: RotationLock) throws(RotationRefusal) {
        let orientation: InterfaceOrientation
        switch lock {
        case .off:
            guard self.lock != .off else { return }
            self.lock = .off
            return resolve(.lock)
        case .current: orientation = shown
        case .orientation(let edge): orientation = edge
        }
        guard configuration.supported.contains(orientation) else {
            throw .orientationNotSupported("\(orientation): this device supports \(configuration.supported) only")
        }
        self.lock = lock
        held = orientation
        // In laptop mode the lock is remembered, not applied.
        guard isLocked else { return }
        isManual = false
        if effectiveMask.contains(orientation) { show(orientation, .lock) }
    }

    /// Rotates the interface by hand; a lock then holds this orientation.
    ///
    /// Without a lock it holds until the device turns. Throws `orientationNotSupported` outside the effective mask.
    public mutating func rotate(to orientation: InterfaceOrientation) throws(RotationRefusal) {
        guard effectiveMask.contains(orientation) else {
            throw .orientationNotSupported("\(orientation): \(explanation(of: exception == nil ? .mask : .preferred))")
        }
        hold(orientation)
        show(orientation, .manual)
        isManual = !isLocked
    }

    /// Turns the interface once, as if the device had just been turned; a lock then holds this orientation.
    public mutating func alignToDevice() {
        guard followsDevice, let orientation = InterfaceOrientation(following: device) else { return }
        if isLaptop { return resolve(.manual) }
        guard effectiveMask.contains(orientation) else {
            if !isLocked && autorotate != .never { resolve(.manual) }
            return
        }
        hold(orientation)
        isManual = false
        show(orientation, .manual)
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
        if !isLaptop, !isLocked, !followsDevice { return .fixed }
        guard mask.contains(upright) else { return .mask }
        guard shown == upright else { return .kept }
        if isLaptop { return .laptop }
        if isLocked { return .lock }
        if autorotate == .never { return .never }
        if isPaused { return .paused }
        return followed == nil ? .unknown : .device
    }

    /// The rule as a sentence for people, such as `org.example.Player allows portrait only`.
    public var explanation: String { explanation(of: rule) }

    private func explanation(of rule: RotationRule) -> String {
        rule.sentence(deciding: decidingRequest.map { ($0.request.appID, $0.request.supported) }, mask: effectiveMask)
    }
}
