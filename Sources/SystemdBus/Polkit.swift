// SPDX-License-Identifier: Apache-2.0

/// polkit's D-Bus interface.
package enum Polkit {
    package static let service = "org.freedesktop.PolicyKit1"
    package static let path = "/org/freedesktop/PolicyKit1/Authority"
    package static let interface = "org.freedesktop.PolicyKit1.Authority"

    /// Appends the arguments of CheckAuthorization, about the connection `sender`.
    static func append(_ actionID: String, of sender: String, isInteractive: Bool, to call: BusMessage) {
        call.appendStruct("sa{sv}") {
            call.append("system-bus-name")
            call.appendArray("{sv}") { call.appendNamedVariant("name", .text(sender)) }
        }
        call.append(actionID)
        call.appendArray("{ss}") {}
        call.append(UInt32(isInteractive ? 1 : 0))
        call.append("")
    }

    /// Reads whether the reply of CheckAuthorization allows the action, or would if it could ask a person.
    static func readDecision(from reply: BusMessage) throws(BusError) -> (isAuthorized: Bool, isChallenge: Bool) {
        var decision = (isAuthorized: false, isChallenge: false)
        try reply.readStruct("bba{ss}") { () throws(BusError) in
            decision.isAuthorized = try reply.readBool()
            decision.isChallenge = try reply.readBool()
            try reply.skip()
        }
        return decision
    }

    /// Asks whether this connection may do `actionID` without a dialogue, and waits for the answer.
    package static func isAllowed(_ actionID: String, over bus: Bus) throws(BusError) -> Bool {
        let reply = try bus.call(service, path, interface, "CheckAuthorization") { call in
            append(actionID, of: bus.uniqueName, isInteractive: false, to: call)
        }
        return try readDecision(from: reply).isAuthorized
    }
}
