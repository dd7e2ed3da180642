// SPDX-License-Identifier: Apache-2.0

import SplitMix

@testable import OrientationCore

/// The interface that the policy and the slow model share.
protocol Policy {
    var configuration: RotationConfiguration { get }
    var shown: InterfaceOrientation { get }
    var reason: InterfaceReason { get }
    var memory: SavedState { get }
    var effectiveMask: InterfaceOrientationMask { get }
    var rule: RotationRule { get }
    var decidingRequest: (id: RotationRequest.ID, request: RotationRequest)? { get }
    var autorotatingRequests: Int { get }
    var requests: [RotationRequest.ID] { get }
    func request(_ id: RotationRequest.ID) -> RotationRequest?

    mutating func present(
        _ request: RotationRequest,
        of client: String
    ) throws(RotationRefusal) -> RotationRequest.ID
    mutating func update(
        _ id: RotationRequest.ID,
        to request: RotationRequest,
        of client: String
    ) throws(RotationRefusal)
    mutating func setNeedsUpdate(_ id: RotationRequest.ID, of client: String) throws(RotationRefusal)
    mutating func release(
        _ id: RotationRequest.ID,
        of client: String
    ) throws(RotationRefusal) -> [RotationRequest.ID]
    mutating func drop(_ client: String) -> [RotationRequest.ID]
    mutating func setApplicationMask(
        _ mask: InterfaceOrientationMask?,
        of appID: String,
        for client: String
    ) throws(RotationRefusal)
    mutating func deviceTurned(to edge: DeviceOrientation)
    mutating func pause()
    mutating func resume()
    mutating func setTabletMode(_ mode: TabletMode)
    mutating func setAutorotate(_ mode: AutorotateMode)
    mutating func configure(_ configuration: RotationConfiguration)
    mutating func setLock(_ lock: RotationLock) throws(RotationRefusal)
    mutating func rotate(to orientation: InterfaceOrientation) throws(RotationRefusal)
    mutating func alignToDevice()
}

extension RotationPolicy: Policy {}
extension SlowPolicy: Policy {}

/// An event for a policy.
enum PolicyOperation {
    case present(RotationRequest, String)
    case update(RotationRequest.ID, RotationRequest, String)
    case setNeedsUpdate(RotationRequest.ID, String)
    case release(RotationRequest.ID, String)
    case drop(String)
    case setApplicationMask(InterfaceOrientationMask?, String, String)
    case turn(DeviceOrientation)
    case pause
    case resume
    case setTabletMode(TabletMode)
    case setAutorotate(AutorotateMode)
    case configure(RotationConfiguration)
    case setLock(RotationLock)
    case rotate(InterfaceOrientation)
    case align

    /// The request that the operation refers to.
    var subject: RotationRequest.ID? {
        switch self {
        case .update(let id, _, _), .setNeedsUpdate(let id, _), .release(let id, _): id
        default: nil
        }
    }

    func perform(on policy: inout some Policy) throws(RotationRefusal) {
        switch self {
        case .present(let request, let client): _ = try policy.present(request, of: client)
        case .update(let id, let request, let client): try policy.update(id, to: request, of: client)
        case .setNeedsUpdate(let id, let client): try policy.setNeedsUpdate(id, of: client)
        case .release(let id, let client): _ = try policy.release(id, of: client)
        case .drop(let client): _ = policy.drop(client)
        case .setApplicationMask(let mask, let appID, let client):
            try policy.setApplicationMask(mask, of: appID, for: client)
        case .turn(let edge): policy.deviceTurned(to: edge)
        case .pause: policy.pause()
        case .resume: policy.resume()
        case .setTabletMode(let mode): policy.setTabletMode(mode)
        case .setAutorotate(let mode): policy.setAutorotate(mode)
        case .configure(let configuration): policy.configure(configuration)
        case .setLock(let lock): try policy.setLock(lock)
        case .rotate(let orientation): try policy.rotate(to: orientation)
        case .align: policy.alignToDevice()
        }
    }
}

// MARK: - Random values

extension SplitMix {
    static let clients = [":1.1", ":1.2", ":1.3"]
    static let applications = ["org.example.Player", "org.example.Reader"]

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    mutating func orientation() -> InterfaceOrientation { pick(InterfaceOrientation.allCases) }

    /// Mostly common masks, and small ones for conflicts.
    mutating func mask() -> InterfaceOrientationMask {
        switch Int.random(in: 0..<10, using: &self) {
        case 0..<3: .all
        case 3: .allButUpsideDown
        case 4, 5: .landscape
        case 6: .portrait
        case 7: InterfaceOrientationMask(orientation())
        default: InterfaceOrientationMask(rawValue: UInt32.random(in: 1..<16, using: &self) << 1)
        }
    }

    mutating func configuration() -> RotationConfiguration {
        var masks: [String: InterfaceOrientationMask] = [:]
        if chance(30) { masks[pick(Self.applications)] = mask() }
        return RotationConfiguration(
            supported: chance(50) ? .all : mask(),
            natural: pick([.portrait, .portrait, .landscapeLeft]),
            laptop: chance(50) ? nil : orientation(),
            applicationMasks: masks
        )
    }

    mutating func memory() -> SavedState {
        let held = orientation()
        return SavedState(
            lock: pick([.off, .current, .orientation(held)]),
            held: held,
            shown: orientation()
        )
    }

    mutating func operation(on policy: RotationPolicy) -> PolicyOperation {
        let id = chance(2) || policy.requests.isEmpty ? 9999 : pick(policy.requests)
        let owner = policy.request(id)?.reason ?? Self.clients[0]
        let client = chance(2) ? pick(Self.clients) : owner
        switch Int.random(in: 0..<100, using: &self) {
        case 0..<20:
            let client = chance(30) ? pick(Self.clients) : owner
            return .present(request(on: policy, client), client)
        case 20..<44: return .update(id, update(of: policy.request(id), on: policy, owner), client)
        case 44..<48: return .setNeedsUpdate(id, client)
        case 48..<57: return .release(id, client)
        case 57: return .drop(client)
        case 58..<63:
            return .setApplicationMask(chance(40) ? nil : mask(nonsense: 5), pick(Self.applications), client)
        case 63..<80: return .turn(DeviceOrientation(rawValue: UInt8.random(in: 0...6, using: &self)) ?? .unknown)
        case 80: return chance(50) ? .pause : .resume
        case 81: return .resume
        case 82..<85: return .setTabletMode(pick(TabletMode.allCases))
        case 85: return .setAutorotate(pick([.always, .always, .tabletMode, .tabletMode, .never]))
        case 86: return .configure(chance(20) ? policy.configuration : configuration())
        case 87..<92: return .setLock(pick([.off, .off, .off, .current, .orientation(orientation())]))
        case 92..<97: return .rotate(orientation())
        default: return .align
        }
    }

    private mutating func mask(nonsense percent: Int) -> InterfaceOrientationMask {
        chance(percent) ? InterfaceOrientationMask(rawValue: pick([0, 1, 3, 32, 62, .max])) : mask()
    }

    /// One of the client's requests or nil, sometimes another client's.
    private mutating func id(of client: String, on policy: RotationPolicy) -> RotationRequest.ID? {
        if chance(1) { return 9999 }
        let own = chance(2) ? policy.requests : policy.requests.filter { policy.request($0)?.reason == client }
        return own.isEmpty ? nil : pick(own)
    }

    /// A request whose reason is its client.
    private mutating func request(on policy: RotationPolicy, _ client: String) -> RotationRequest {
        let supported = mask(nonsense: 3)
        return RotationRequest(
            appID: pick(Self.applications),
            supported: supported,
            preferred: preferred(among: supported),
            shouldAutorotate: chance(75),
            presentation: pick([nil, .modal, .push]),
            parent: chance(30) ? nil : id(of: client, on: policy),
            forwardsTo: chance(60) ? nil : id(of: client, on: policy),
            isActive: chance(80),
            reason: client
        )
    }

    private mutating func preferred(among supported: InterfaceOrientationMask) -> InterfaceOrientation? {
        if chance(50) { return nil }
        return chance(5)
            ? orientation() : pick(InterfaceOrientation.allCases.filter(supported.contains) + [orientation()])
    }

    /// The request with one or several changes.
    private mutating func update(
        of request: RotationRequest?,
        on policy: RotationPolicy,
        _ client: String
    ) -> RotationRequest {
        let other = self.request(on: policy, client)
        guard var request else { return other }
        repeat {
            switch Int.random(in: 0..<7, using: &self) {
            case 0:
                request.supported = other.supported
                request.preferred = other.preferred
            case 1: request.preferred = preferred(among: request.supported)
            case 2: request.shouldAutorotate.toggle()
            case 3: request.presentation = request.presentation == .modal ? .push : .modal
            case 4: request.isActive.toggle()
            case 5: request.forwardsTo = other.forwardsTo
            default: request.parent = other.parent
            }
        } while chance(25)
        return request
    }
}
