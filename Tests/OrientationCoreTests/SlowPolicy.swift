// SPDX-License-Identifier: Apache-2.0

@testable import OrientationCore

/// A slow model of the policy that states the rules of docs/semantics.md as plainly as possible.
///
/// It stores lists of nodes and events, and searches them for everything else.
struct SlowPolicy {
    struct Node {
        let id: RotationRequest.ID
        let client: String
        var request: RotationRequest
    }

    private(set) var configuration: RotationConfiguration
    private(set) var autorotate: AutorotateMode
    private(set) var tabletMode = TabletMode.unknown
    private(set) var lock: RotationLock
    private(set) var held: InterfaceOrientation
    private(set) var edge = DeviceOrientation.unknown
    private(set) var isPaused = false
    private var isManual = false

    private(set) var nodes: [Node] = []
    private var lastID: RotationRequest.ID = 0
    private var masks: [(client: String, appID: String, mask: InterfaceOrientationMask)] = []

    /// The presented nodes in order; activating a node presents it again.
    private var presentations: [RotationRequest.ID] = []

    private let isFirstRun: Bool
    private let start: InterfaceOrientation
    /// Every change of the interface.
    private var changes: [Transition] = []
    /// What was upright or asked for, but not by a request, or shown without one; even if it was shown already.
    private var unrequested: [InterfaceOrientation] = []

    init(configuration: RotationConfiguration, autorotate: AutorotateMode, memory: SavedState? = nil) {
        self.configuration = configuration
        self.autorotate = autorotate
        isFirstRun = memory == nil
        lock = memory?.lock ?? .off
        var locked: InterfaceOrientation?
        switch lock {
        case .off: break
        case .current: locked = memory?.held
        case .orientation(let edge): locked = edge
        }
        let natural = InterfaceOrientation(following: configuration.natural)
        let candidates = [locked, memory?.shown, natural].compactMap(\.self) + InterfaceOrientation.allCases
        start = candidates.first { configuration.supported.contains($0) } ?? .portrait
        held = locked ?? start
    }

    var shown: InterfaceOrientation { changes.last?.to ?? start }
    var reason: InterfaceReason { changes.last?.reason ?? .startup }
    var memory: SavedState { SavedState(lock: lock, held: held, shown: shown) }
    var requests: [RotationRequest.ID] { nodes.map(\.id) }

    var lastUnrequested: InterfaceOrientation { unrequested.last ?? start }
}

// MARK: - Which request decides

extension SlowPolicy {
    func request(_ id: RotationRequest.ID) -> RotationRequest? { node(id)?.request }

    var decidingRequest: (id: RotationRequest.ID, request: RotationRequest)? { deciding.map { ($0.id, $0.request) } }

    var autorotatingRequests: Int { nodes.count { isOnShow($0) && $0.request.shouldAutorotate } }

    func node(_ id: RotationRequest.ID?) -> Node? { nodes.first { $0.id == id } }

    private func children(of parent: RotationRequest.ID?) -> [Node] { nodes.filter { $0.request.parent == parent } }

    /// The node, its parent, that one's parent and so on.
    private func line(of node: Node) -> [Node] { [node] + (self.node(node.request.parent).map(line) ?? []) }

    /// An inactive node hides its descendants.
    func isOnShow(_ node: Node) -> Bool { line(of: node).allSatisfy(\.request.isActive) }

    private func lastPresentation(of node: Node) -> Int { presentations.lastIndex(of: node.id) ?? -1 }

    /// The last presentation on the way down to an active modal node; nil if there is none.
    private func lastModal(in node: Node) -> Int? {
        guard node.request.isActive else { return nil }
        let below = children(of: node.id).compactMap(lastModal)
        guard node.request.presentation == .modal || !below.isEmpty else { return nil }
        return below.reduce(lastPresentation(of: node), max)
    }

    private var window: Node? {
        children(of: nil).filter(\.request.isActive).max { lastPresentation(of: $0) < lastPresentation(of: $1) }
    }

    private var top: Node? {
        guard var top = window else { return nil }
        while true {
            let ways = children(of: top.id).filter { lastModal(in: $0) != nil }
            guard let way = ways.max(by: { lastModal(in: $0) ?? -1 < lastModal(in: $1) ?? -1 }) else { return top }
            top = way
        }
    }

    /// The topmost node and those that forwards-to leads to; the last is the deciding one.
    private var chain: [Node] {
        var chain: [Node] = []
        var next = top
        while let node = next, isOnShow(node) {
            chain.append(node)
            next = self.node(node.request.forwardsTo)
        }
        return chain
    }

    private var deciding: Node? { chain.last }
}

// MARK: - What is allowed

extension SlowPolicy {
    private func granted(to node: Node) -> InterfaceOrientationMask {
        let dynamic = masks.last { $0.client == node.client && $0.appID == node.request.appID }?.mask
        let application = dynamic ?? configuration.applicationMasks[node.request.appID] ?? .all
        return configuration.supported.intersection(application)
    }

    /// Row 2 of the conflicts: what is shown although device and application forbid it.
    private var exception: InterfaceOrientation? {
        guard let deciding, granted(to: deciding).isDisjoint(with: deciding.request.supported) else { return nil }
        return deciding.request.shouldAutorotate ? nil : deciding.request.preferred
    }

    var effectiveMask: InterfaceOrientationMask {
        guard let deciding else { return configuration.supported }
        if let exception { return InterfaceOrientationMask(exception) }
        let granted = granted(to: deciding)
        if granted.isEmpty { return configuration.supported }
        let all = granted.intersection(deciding.request.supported)
        return all.isEmpty ? granted : all
    }

    private var isLaptop: Bool { autorotate == .tabletMode && tabletMode == .laptop }
    private var isLocked: Bool { lock != .off && !isLaptop }
    private var autorotates: Bool { deciding?.request.shouldAutorotate ?? true }
    private var device: InterfaceOrientation? { InterfaceOrientation(following: edge) }
    private var preferred: InterfaceOrientation? {
        top?.request.presentation == .modal ? deciding?.request.preferred : nil
    }
}

// MARK: - Why

extension SlowPolicy {
    var rule: RotationRule {
        let mask = effectiveMask
        func explained(by rule: RotationRule, _ orientation: InterfaceOrientation) -> RotationRule {
            shown == orientation ? rule : mask.contains(orientation) ? .kept : .mask
        }
        if !mask.contains(shown) { return .waiting }
        if exception != nil { return .preferred }
        if isManual { return .manual }
        if isLaptop { return explained(by: .laptop, configuration.laptop) }
        if isLocked { return explained(by: .lock, held) }
        if !autorotates { return .fixed }
        // Where nothing demands an orientation, it is what was shown without a request.
        if autorotate == .never { return explained(by: .never, lastUnrequested) }
        if isPaused { return explained(by: .paused, device ?? lastUnrequested) }
        return device.map { explained(by: .device, $0) } ?? explained(by: .unknown, lastUnrequested)
    }
}

// MARK: - Deciding

extension SlowPolicy {
    /// Turns to an orientation that is allowed, and that somebody or something asked for.
    private mutating func turn(to next: InterfaceOrientation, _ reason: InterfaceReason) {
        if reason != .request { unrequested.append(next) }
        change(to: next, reason)
    }

    private mutating func change(to next: InterfaceOrientation, _ reason: InterfaceReason) {
        if next == shown { return }
        changes.append(Transition(from: shown, to: next, reason: reason))
        if reason == .request { isManual = false }
    }

    private func firstAllowed(_ candidates: [InterfaceOrientation?]) -> InterfaceOrientation {
        let mask = effectiveMask
        return (candidates.compactMap(\.self) + InterfaceOrientation.allCases).first { mask.contains($0) } ?? shown
    }

    private mutating func resolveAsIfTurned(_ reason: InterfaceReason) {
        isManual = false
        let upright = isLaptop ? configuration.laptop : standingForDevice
        let next = firstAllowed([upright, shown, preferred])
        // What is kept or forced because upright is not allowed was not asked for.
        if next == upright { turn(to: next, reason) } else { change(to: next, reason) }
        if deciding == nil { unrequested.append(shown) }
    }

    /// The held one under a lock, else the device's if it counts, else what was last shown without a request.
    private var standingForDevice: InterfaceOrientation {
        if isLocked { return held }
        if autorotate == .never || !autorotates { return lastUnrequested }
        return device ?? lastUnrequested
    }

    private var laptop: InterfaceOrientation? { isLaptop ? configuration.laptop : nil }

    private mutating func resolveAsUpdated() {
        turn(to: firstAllowed([shown, laptop, standingForDevice, preferred]), .request)
    }

    private mutating func resolveAsPresented() {
        turn(to: firstAllowed([preferred, shown, laptop, standingForDevice]), .request)
    }

    /// Rows 1, 3 and 4 of the conflicts.
    private func judge() throws(RotationRefusal) {
        guard let deciding, granted(to: deciding).isDisjoint(with: deciding.request.supported) else { return }
        if deciding.request.shouldAutorotate || deciding.request.preferred == nil {
            throw .invalidInterfaceOrientation("")
        }
    }
}

// MARK: - Requests

extension SlowPolicy {
    mutating func present(
        _ request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) -> RotationRequest.ID {
        try check(request, of: client, id: nil)
        var next = self
        // Refused requests use up no ids.
        next.lastID += 1
        next.nodes.append(Node(id: next.lastID, client: client, request: request))
        next.presentations.append(next.lastID)
        if next.top?.id == next.lastID { try next.judge() }
        self = next
        if top?.id == lastID, request.presentation == .modal { resolveAsPresented() }
        return lastID
    }

    mutating func update(
        _ id: RotationRequest.ID,
        to request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) {
        let old = try own(id, of: client).request
        try check(request, of: client, id: id)
        var next = self
        for index in nodes.indices where nodes[index].id == id {
            next.nodes[index].request = request
            next.nodes[index].request.appID = old.appID
        }
        let becomesModal = old.presentation == .push && request.presentation == .modal && request.isActive
        if !old.isActive && request.isActive || old.parent != request.parent || becomesModal && request.parent != nil {
            next.presentations.append(id)
        }
        let (before, after) = (chain.map(\.id), next.chain.map(\.id))
        let isOnTopNow = next.top.map { next.line(of: $0).contains { $0.id == id } } == true

        if before.first == after.first && before.last == after.last {
            if after.last == id { try next.judge() }
            self = next
            if before.contains(id) { resolveUnlessPushed() }
            return
        }
        if !request.isActive || before.first != after.first && !isOnTopNow {
            // The change uncovers another node.
            self = next
            return resolveAsIfTurned(.request)
        }
        try next.judge()
        self = next
        if before.first != after.first {
            if top?.request.presentation == .modal { resolveAsPresented() }
            return
        }
        resolveUnlessPushed()
    }

    /// An Update never turns the interface for a pushed node, whichever node is updated.
    private mutating func resolveUnlessPushed() {
        if deciding?.request.presentation == .modal { resolveAsUpdated() }
    }

    mutating func setNeedsUpdate(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal) {
        _ = try own(id, of: client)
        if chain.contains(where: { $0.id == id }) { resolveAsUpdated() }
    }

    mutating func release(
        _ id: RotationRequest.ID,
        of client: String
    ) throws(RotationRefusal) -> [RotationRequest.ID] {
        _ = try own(id, of: client)
        return remove(nodes.filter { line(of: $0).contains { $0.id == id } })
    }

    mutating func drop(_ client: String) -> [RotationRequest.ID] {
        masks.removeAll { $0.client == client }
        return remove(nodes.filter { $0.client == client })
    }

    private mutating func remove(_ gone: [Node]) -> [RotationRequest.ID] {
        let (top, deciding) = (top?.id, deciding?.id)
        let gone = gone.map(\.id)
        nodes.removeAll { gone.contains($0.id) }
        let isUncovered = top != self.top?.id || deciding != self.deciding?.id
        if isUncovered { resolveAsIfTurned(.request) }
        return gone
    }

    mutating func setApplicationMask(
        _ mask: InterfaceOrientationMask?,
        of appID: String,
        for client: String
    ) throws(RotationRefusal) {
        if let mask, !mask.isValid { throw .invalidArgument("mask") }
        var next = self
        next.masks.removeAll { $0.client == client && $0.appID == appID }
        if let mask { next.masks.append((client, appID, mask)) }
        let isAbout = deciding?.client == client && deciding?.request.appID == appID
        if isAbout && autorotates { try next.judge() }
        self = next
        if isAbout { resolveAsUpdated() }
    }

    private func own(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal) -> Node {
        guard let node = node(id) else { throw .unknownRequest }
        guard node.client == client else { throw .notYourRequest }
        return node
    }

    private func check(
        _ request: RotationRequest,
        of client: String,
        id: RotationRequest.ID?
    ) throws(RotationRefusal) {
        guard request.supported.isValid else { throw .invalidArgument("supported") }
        if let preferred = request.preferred, !request.supported.contains(preferred) {
            throw .invalidInterfaceOrientation("preferred")
        }
        if let parent = request.parent {
            guard let node = node(parent), node.client == client else { throw .invalidArgument("parent") }
            if line(of: node).contains(where: { $0.id == id }) { throw .invalidArgument("parent") }
        }
        // The current target may have been released since.
        if let target = request.forwardsTo, id == nil || target != self.request(id ?? 0)?.forwardsTo {
            guard node(target)?.client == client else { throw .invalidArgument("forwards-to") }
            var next = node(target)
            while let node = next {
                if node.id == id { throw .invalidArgument("forwards-to") }
                next = self.node(node.request.forwardsTo)
            }
        }
    }
}

// MARK: - The device, the machine and the user

extension SlowPolicy {
    mutating func deviceTurned(to edge: DeviceOrientation) {
        guard !isPaused, edge.isEdge, edge != self.edge else { return }
        self.edge = edge
        let wasManual = isManual
        isManual = false
        if isLaptop {
            if wasManual { resolveAsIfTurned(.tabletMode) }
        } else if !isLocked && autorotate != .never && autorotates {
            resolveAsIfTurned(.sensor)
        }
    }

    mutating func pause() {
        isPaused = true
    }

    mutating func resume() {
        isPaused = false
        edge = .unknown
    }

    mutating func setTabletMode(_ mode: TabletMode) {
        let wasLaptop = isLaptop
        tabletMode = mode
        if isLaptop != wasLaptop { resolveAsIfTurned(.tabletMode) }
    }

    mutating func setAutorotate(_ mode: AutorotateMode) {
        if mode == autorotate { return }
        autorotate = mode
        resolveAsIfTurned(.configuration)
    }

    mutating func configure(_ configuration: RotationConfiguration) {
        if configuration == self.configuration { return }
        let (old, new) = (self.configuration.natural, configuration.natural)
        self.configuration = configuration
        if old != new {
            edge = edge.sensed(natural: old).named(natural: new)
            if isFirstRun, changes.isEmpty { unrequested += [InterfaceOrientation(following: new)].compactMap(\.self) }
        }
        resolveAsIfTurned(.configuration)
    }

    mutating func setLock(_ lock: RotationLock) throws(RotationRefusal) {
        if lock == .off {
            if self.lock == .off { return }
            self.lock = .off
            return resolveAsIfTurned(.lock)
        }
        var orientation = shown
        if case .orientation(let edge) = lock { orientation = edge }
        guard configuration.supported.contains(orientation) else { throw .orientationNotSupported("") }
        self.lock = lock
        held = orientation
        // In laptop mode the lock is remembered, not applied.
        if isLaptop { return }
        isManual = false
        if effectiveMask.contains(orientation) { turn(to: orientation, .lock) }
    }

    mutating func rotate(to orientation: InterfaceOrientation) throws(RotationRefusal) {
        guard effectiveMask.contains(orientation) else { throw .orientationNotSupported("") }
        turn(to: orientation, .manual)
        hold(orientation)
        isManual = !isLocked
    }

    mutating func alignToDevice() {
        guard autorotates, let device else { return }
        if isLaptop { return resolveAsIfTurned(.manual) }
        if effectiveMask.contains(device) {
            turn(to: device, .manual)
            hold(device)
            isManual = false
        } else if !isLocked && autorotate != .never {
            resolveAsIfTurned(.manual)
        }
    }

    /// A lock holds what was chosen by hand, unless it is outside the device configuration.
    private mutating func hold(_ orientation: InterfaceOrientation) {
        guard lock != .off, configuration.supported.contains(orientation) else { return }
        held = orientation
        if lock != .current { lock = .orientation(orientation) }
    }
}
