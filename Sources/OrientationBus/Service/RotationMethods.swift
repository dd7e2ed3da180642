// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX
import SystemdBus

/// Where the policy lives.
package protocol RotationHost: AnyObject {
    var policy: RotationPolicy { get }

    /// Carries out `body` on the policy; what it changed is published, and kept where it must be, when this returns.
    func decide(_ body: (inout RotationPolicy) throws(RotationRefusal) -> Decision) throws(RotationRefusal)
}

/// What the manager can be asked about rotation, and the objects of the requests.
final class RotationMethods {
    private typealias Change = (inout RotationPolicy) throws(RotationRefusal) -> Decision

    private let bus: Bus
    private let authority: PolkitAuthority
    private let host: any RotationHost
    private var objects: [RotationRequest.ID: RequestObject] = [:]
    private var requests: Holdings?
    private var masks: Holdings?

    /// Adds the members to `interface`.
    init(of interface: BusInterface, bus: Bus, authority: PolkitAuthority, host: any RotationHost) {
        self.bus = bus
        self.authority = authority
        self.host = host
        requests = Holdings(of: "requests", bus: bus, onDrop: { [self] in drop($0) })
        masks = Holdings(of: "application masks", bus: bus, onDrop: { [self] in drop($0) })

        interface.method("SetRotationLock", "s", names: "lock\0") { [self] message throws(BusError) in
            let lock = try RotationLock(named: try message.readString(), for: "lock")
            carryOut(message, Names.Action.lock) { policy throws(RotationRefusal) in try policy.setLock(lock) }
        }
        interface.method("SetAutorotate", "s", names: "mode\0") { [self] message throws(BusError) in
            let mode = try AutorotateMode(named: try message.readString(), for: "mode")
            carryOut(message, Names.Action.configure) { $0.setAutorotate(mode) }
        }
        interface.method("Rotate", "s", names: "orientation\0") { [self] message throws(BusError) in
            let orientation = try InterfaceOrientation(named: try message.readString(), for: "orientation")
            carryOut(message, Names.Action.rotate) { policy throws(RotationRefusal) in
                try policy.rotate(to: orientation)
            }
        }
        interface.method("AlignToDevice") { [self] message in
            carryOut(message, Names.Action.rotate) { $0.alignToDevice() }
        }
        interface.method("SetApplicationMask", "su", names: "app_id\0mask\0") { [self] message throws(BusError) in
            try setApplicationMask(message)
        }
        interface.method("Request", "sua{sv}", returns: "o", names: "app_id\0supported\0options\0request\0") {
            [self] message throws(BusError) in try present(message)
        }
        interface.method("ListRequests", returns: "a(ososus)", names: "requests\0") { [self] in list($0) }
        interface.signal("WillTransition", "sss", names: "from\0to\0reason\0")
        interface.signal("DidTransition", "sss", names: "from\0to\0reason\0")
    }

    func willMake(_ transition: Transition) { emit("WillTransition", transition) }

    func didMake(_ transition: Transition) { emit("DidTransition", transition) }

    private func emit(_ signal: String, _ transition: Transition) {
        bus.emit(signal, of: Names.manager, at: Names.path) { message in
            message.append(transition.from.name)
            message.append(transition.to.name)
            message.append(transition.reason.name)
        }
    }

    /// Answers `message` with what becomes of a change, once polkit allows it.
    private func carryOut(_ message: BusMessage, _ action: String, _ change: @escaping Change) {
        authority.authorize(message, for: action) { [self] isAllowed in
            guard isAllowed else { return }
            do throws(RotationRefusal) {
                try host.decide(change)
                message.reply()
            } catch {
                message.reply(BusError(error))
            }
        }
    }

    private func decide(_ change: Change) throws(BusError) {
        do throws(RotationRefusal) {
            try host.decide(change)
        } catch {
            throw BusError(error)
        }
    }

    // MARK: - Masks

    private func setApplicationMask(_ message: BusMessage) throws(BusError) {
        let client = message.sender
        let appID = try RequestOptions.readAppID(from: message)
        let bits = try message.readUInt32()
        let mask = bits == 0 ? nil : InterfaceOrientationMask(rawValue: bits)
        if let mask, !mask.isValid { throw .invalidArguments("mask: \(bits) is no set of orientations") }
        authority.authorize(message, for: Names.Action.request) { [self] isAllowed in
            guard isAllowed else { return }
            let had = host.policy.hasApplicationMask(of: appID, for: client)
            do throws(BusError) {
                if !had && mask != nil { try masks?.hold(client) }
                do throws(BusError) {
                    try decide { policy throws(RotationRefusal) in
                        try policy.setApplicationMask(mask, of: appID, for: client)
                    }
                } catch {
                    if !had && mask != nil { masks?.removeHeld(by: client) }
                    throw error
                }
                if had && mask == nil { masks?.removeHeld(by: client) }
                message.reply()
            } catch {
                message.reply(error)
            }
        }
    }

    // MARK: - Requests

    private func present(_ message: BusMessage) throws(BusError) {
        let client = message.sender
        let request = try RequestOptions.read(from: message)
        try requests?.reserve(client)
        authority.authorize(message, for: Names.Action.request) { [self] isAllowed in
            do throws(BusError) {
                guard try requests?.settle(client, isAllowed: isAllowed) == true else { return }
                let id = try present(request, of: client)
                message.reply { $0.append(objectPath: Names.path(of: id)) }
            } catch {
                message.reply(error)
            }
        }
    }

    /// Presents a request that is counted already; its object is announced before what the interface makes of it.
    private func present(_ request: RotationRequest, of client: String) throws(BusError) -> RotationRequest.ID {
        var presented: RotationRequest.ID = 0
        var failure: SystemError?
        do throws(BusError) {
            try decide { policy throws(RotationRefusal) in
                let (id, decision) = try policy.present(request, of: client)
                presented = id
                do throws(SystemError) {
                    objects[id] = try RequestObject(id, request, of: client, bus: bus, methods: self)
                } catch {
                    failure = error
                }
                return decision
            }
        } catch {
            requests?.removeHeld(by: client)
            throw error
        }
        if let failure {
            try release(presented, of: client)
            throw BusError("org.freedesktop.DBus.Error.Failed", "\(failure)")
        }
        return presented
    }

    /// The request as the policy has it now.
    func current(_ id: RotationRequest.ID) -> RotationRequest? { host.policy.request(id) }

    func update(_ id: RotationRequest.ID, to request: RotationRequest, of client: String) throws(BusError) {
        try decide { policy throws(RotationRefusal) in try policy.update(id, to: request, of: client) }
    }

    func setNeedsUpdate(_ id: RotationRequest.ID, of client: String) throws(BusError) {
        try decide { policy throws(RotationRefusal) in try policy.setNeedsUpdate(id, of: client) }
    }

    func release(_ id: RotationRequest.ID, of client: String) throws(BusError) {
        try decide { policy throws(RotationRefusal) in
            let (released, decision) = try policy.release(id, of: client)
            for id in released {
                remove(id)
                requests?.removeHeld(by: client)
            }
            return decision
        }
    }

    /// Drops what a connection held that has gone.
    private func drop(_ client: String) {
        do throws(RotationRefusal) {
            try host.decide { policy in
                let (released, decision) = policy.drop(client)
                for id in released { remove(id) }
                return decision
            }
        } catch {
            preconditionFailure("a client that has gone cannot be refused: \(error)")
        }
    }

    private func remove(_ id: RotationRequest.ID) {
        objects[id] = nil
    }

    private func list(_ message: BusMessage) {
        message.reply { [self] reply in
            reply.appendArray("(ososus)") {
                for id in host.policy.requests {
                    guard let request = host.policy.request(id) else { continue }
                    reply.appendStruct("ososus") {
                        reply.append(objectPath: Names.path(of: id))
                        reply.append(request.appID)
                        reply.append(objectPath: Names.path(of: request.parent))
                        reply.append(request.presentation.name)
                        reply.append(request.supported.rawValue)
                        reply.append(request.reason)
                    }
                }
            }
        }
    }
}
