// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import SystemdBus

/// What a client may set the tablet mode to.
private enum TabletModeChoice: String, NamedValue {
    /// What tablet switch and hinge say.
    case auto
    case laptop, tablet
}

extension AutorotateMode {
    /// What a client may set the mode to: one of them, or `auto` for the end of the choice.
    package static let words = allCases.map { $0.name } + ["auto"]
}

extension ManagerObject {
    func addRotationMembers() {
        interface.method("SetRotationLock", "s", names: "lock") { [self] message throws(BusError) in
            let lock = try RotationLock(named: try message.readString(), for: "lock")
            authorize(message, Names.Action.lock, .setRotationLock(lock))
        }
        interface.method("SetAutorotate", "s", names: "mode") { [self] message throws(BusError) in
            let name = try message.readString()
            let mode = AutorotateMode(name: name)
            guard mode != nil || name == "auto" else {
                throw .invalidArguments("mode: '\(name)' is none of \(AutorotateMode.words.joined(separator: ", "))")
            }
            authorize(message, Names.Action.configure, .setAutorotate(mode))
        }
        interface.method("SetTabletMode", "s", names: "mode") { [self] message throws(BusError) in
            let choice = try TabletModeChoice(named: try message.readString(), for: "mode")
            authorize(message, Names.Action.tabletMode, .setTabletMode(TabletMode(name: choice.name) ?? .unknown))
        }
        interface.method("Rotate", "s", names: "orientation") { [self] message throws(BusError) in
            let orientation = try InterfaceOrientation(named: try message.readString(), for: "orientation")
            authorize(message, Names.Action.rotate, .rotate(orientation))
        }
        interface.method("AlignToDevice") { [self] message in
            authorize(message, Names.Action.rotate, .alignToDevice)
        }
        interface.method("SetApplicationMask", "su", names: "app_id mask") { [self] message throws(BusError) in
            let appID = try RequestOptions.readAppID(from: message)
            let mask = InterfaceOrientationMask(rawValue: try message.readUInt32())
            setApplicationMask(mask, of: appID, message)
        }
        interface.method("SetApplicationOrientations", "sas", names: "app_id orientations") {
            [self] message throws(BusError) in
            let appID = try RequestOptions.readAppID(from: message)
            var names: [String] = []
            try message.readArray("s") { () throws(BusError) in
                // There are four orientations; reading a million names would keep everybody else waiting.
                guard names.count < InterfaceOrientation.allCases.count else {
                    throw .invalidArguments("orientations: takes at most four names")
                }
                names.append(try message.readString())
            }
            guard let mask = InterfaceOrientationMask(names: names) else {
                throw .invalidArguments("orientations: \(InterfaceOrientationMask.refusal(of: names))")
            }
            setApplicationMask(mask, of: appID, message)
        }
        interface.method("Request", "sua{sv}", returns: "o", names: "app_id supported options request") {
            [self] message throws(BusError) in try present(message)
        }
        interface.method("ListRequests", returns: "a(ososus)", names: "requests") { [self] in list($0) }
        interface.signal("WillTransition", "sss", names: "from to reason")
        interface.signal("DidTransition", "sss", names: "from to reason")
        interface.signal("Confirmed", "ss", names: "orientation reason")
    }

    /// Delivers a call once polkit allows it.
    private func authorize(_ message: BusMessage, _ action: String, _ event: Event) {
        clients.authority.authorize(message, for: action) { [host] isAllowed in
            if isAllowed { host.deliver(event, answering: message) }
        }
    }

    /// An empty mask restores the configuration's.
    private func setApplicationMask(_ mask: InterfaceOrientationMask, of appID: String, _ message: BusMessage) {
        let event = Event.setApplicationMask(mask.isEmpty ? nil : mask, appID: appID, client: message.sender)
        clients.authorizeUntilEnd(message, for: Names.Action.request) { [host] isAllowed in
            if isAllowed { host.deliver(event, answering: message) }
        }
    }

    private func present(_ message: BusMessage) throws(BusError) {
        let client = message.sender
        let request = try RequestOptions.read(from: message)
        clients.authorizeUntilEnd(message, for: Names.Action.request) { [self] isAllowed in
            guard isAllowed else { return }
            host.deliver(.present(request, client: client)) { [self] effects in
                if let refusal = effects.refusal { return message.reply(BusError(refusal)) }
                guard let id = effects.request?.id, requests[id] != nil else {
                    if let id = effects.request?.id { host.deliver(.release(id, client: client)) }
                    return message.reply(.failed("cannot export the request's object"))
                }
                message.reply { $0.append(objectPath: Names.path(of: id)) }
            }
        }
    }

    private func list(_ message: BusMessage) {
        message.reply { [self] reply in
            reply.appendArray("(ososus)") {
                for (id, object) in requests.sorted(by: { $0.key < $1.key }) {
                    let request = object.request
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
