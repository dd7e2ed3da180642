// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// What the manager can be asked about rotation, and the objects of the requests.
final class RotationMethods {
    /// More requests than desktops have.
    private static let manyRequests = 64

    private let bus: Bus
    private let authority: PolkitAuthority
    private let host: any MachineHost
    private var objects: [RotationRequest.ID: RequestObject] = [:]
    /// The most requests since there was none.
    private var peak = 0
    private let requests: Holdings
    private let masks: Holdings

    /// Adds the members to `interface`.
    init(of interface: BusInterface, bus: Bus, authority: PolkitAuthority, host: any MachineHost) {
        self.bus = bus
        self.authority = authority
        self.host = host
        requests = Holdings(of: "requests", bus: bus, onDrop: { host.deliver(.vanished(client: $0)) })
        masks = Holdings(of: "application masks", bus: bus, onDrop: { host.deliver(.vanished(client: $0)) })

        interface.method("SetRotationLock", "s", names: "lock\0") { [self] message throws(BusError) in
            let lock = try RotationLock(named: try message.readString(), for: "lock")
            carryOut(message, Names.Action.lock, .setRotationLock(lock))
        }
        interface.method("SetAutorotate", "s", names: "mode\0") { [self] message throws(BusError) in
            let mode = try AutorotateMode(named: try message.readString(), for: "mode")
            carryOut(message, Names.Action.configure, .setAutorotate(mode))
        }
        interface.method("Rotate", "s", names: "orientation\0") { [self] message throws(BusError) in
            let orientation = try InterfaceOrientation(named: try message.readString(), for: "orientation")
            carryOut(message, Names.Action.rotate, .rotate(orientation))
        }
        interface.method("AlignToDevice") { [self] message in
            carryOut(message, Names.Action.rotate, .alignToDevice)
        }
        interface.method("SetApplicationMask", "su", names: "app_id\0mask\0") { [self] message throws(BusError) in
            let appID = try RequestOptions.readAppID(from: message)
            let mask = InterfaceOrientationMask(rawValue: try message.readUInt32())
            guard mask.isEmpty || mask.isValid else {
                throw .invalidArguments("mask: \(mask.rawValue) is not a valid set of orientations")
            }
            setApplicationMask(mask, of: appID, message)
        }
        interface.method("SetApplicationOrientations", "sas", names: "app_id\0orientations\0") {
            [self] message throws(BusError) in
            let appID = try RequestOptions.readAppID(from: message)
            var mask: InterfaceOrientationMask = []
            var count = 0
            try message.readArray("s") { () throws(BusError) in
                let name = try message.readString()
                // There are four orientations; reading a million names would keep everybody else waiting.
                count += 1
                guard count <= InterfaceOrientation.allCases.count else {
                    throw .invalidArguments("orientations: takes at most four names")
                }
                guard let part = InterfaceOrientationMask(names: [name]) else {
                    throw .invalidArguments("orientations: \(InterfaceOrientationMask.refusal(of: name))")
                }
                mask.formUnion(part)
            }
            setApplicationMask(mask, of: appID, message)
        }
        interface.method("Request", "sua{sv}", returns: "o", names: "app_id\0supported\0options\0request\0") {
            [self] message throws(BusError) in try present(message)
        }
        interface.method("ListRequests", returns: "a(ososus)", names: "requests\0") { [self] in list($0) }
        interface.signal("WillTransition", "sss", names: "from\0to\0reason\0")
        interface.signal("DidTransition", "sss", names: "from\0to\0reason\0")
    }

    var hasManyRequests: Bool { objects.count > Self.manyRequests }

    /// Brings the objects of the requests up to date.
    func update(_ effects: Effects) {
        for id in effects.released { objects[id] = nil }
        if objects.isEmpty { trim() }
        guard let id = effects.presented, let request = host.policy.request(id), let client = host.policy.client(of: id)
        else { return }
        // A request without an object is released by the call that presented it.
        objects[id] = try? RequestObject(id, request, of: client, bus: bus, methods: self)
        peak = max(peak, objects.count)
    }

    /// Gives back what many requests took, of which each has some kilobytes.
    private func trim() {
        guard peak > Self.manyRequests else { return }
        peak = 0
        objects = [:]
        Heap.trim()
    }

    /// Answers `message` with what becomes of a change, once polkit allows it.
    private func carryOut(_ message: BusMessage, _ action: String, _ event: Event) {
        authority.authorize(message, for: action) { [self] isAllowed in
            guard isAllowed else { return }
            do throws(BusError) {
                try call(event)
                message.reply()
            } catch {
                message.reply(error)
            }
        }
    }

    @discardableResult
    private func call(_ event: Event) throws(BusError) -> Effects {
        do throws(RotationRefusal) {
            return try host.call(event)
        } catch {
            throw BusError(error)
        }
    }

    // MARK: - Masks

    /// Answers `message` with what becomes of a mask; an empty one restores the configuration's.
    private func setApplicationMask(_ given: InterfaceOrientationMask, of appID: String, _ message: BusMessage) {
        let client = message.sender
        let mask = given.isEmpty ? nil : given
        authority.authorize(message, for: Names.Action.request) { [self] isAllowed in
            guard isAllowed else { return }
            let had = host.policy.hasApplicationMask(of: appID, for: client)
            do throws(BusError) {
                if !had && mask != nil { try masks.hold(client) }
                do throws(BusError) {
                    try call(.setApplicationMask(mask, appID: appID, client: client))
                } catch {
                    if !had && mask != nil { masks.removeHeld(by: client) }
                    throw error
                }
                if had && mask == nil { masks.removeHeld(by: client) }
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
        try requests.reserve(client)
        authority.authorize(message, for: Names.Action.request) { [self] isAllowed in
            do throws(BusError) {
                guard try requests.settle(client, isAllowed: isAllowed) == true else { return }
                let id = try present(request, of: client)
                message.reply { $0.append(objectPath: Names.path(of: id)) }
            } catch {
                message.reply(error)
            }
        }
    }

    /// Presents a request that is counted already.
    private func present(_ request: RotationRequest, of client: String) throws(BusError) -> RotationRequest.ID {
        do throws(BusError) {
            guard let id = try call(.present(request, client: client)).presented else {
                preconditionFailure("a request was neither presented nor refused")
            }
            guard objects[id] != nil else {
                try call(.release(id, client: client))
                throw BusError("org.freedesktop.DBus.Error.Failed", "cannot export the request's object")
            }
            return id
        } catch {
            requests.removeHeld(by: client)
            throw error
        }
    }

    /// The request as the policy has it now.
    func current(_ id: RotationRequest.ID) -> RotationRequest? { host.policy.request(id) }

    func update(_ id: RotationRequest.ID, to request: RotationRequest, of client: String) throws(BusError) {
        try call(.update(id, to: request, client: client))
    }

    func setNeedsUpdate(_ id: RotationRequest.ID, of client: String) throws(BusError) {
        try call(.setNeedsUpdate(id, client: client))
    }

    func release(_ id: RotationRequest.ID, of client: String) throws(BusError) {
        for _ in try call(.release(id, client: client)).released { requests.removeHeld(by: client) }
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
