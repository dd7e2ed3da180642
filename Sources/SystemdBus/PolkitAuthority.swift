// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Asks polkit whether a caller may do what it asks for.
///
/// Asking never blocks: the answer comes in a later turn of the loop. Without polkit on the bus only uid 0 and the
/// daemon's own uid are allowed.
package final class PolkitAuthority {
    /// Seconds that polkit has for an answer that needs no person, and for one that does.
    static let patience = (machine: 5.0, person: 120.0)

    /// How many questions may wait for a person at once.
    ///
    /// The bus daemon lets a connection have 128 calls unanswered: those that nobody needs to answer must find room.
    static let mostPersons = 64

    private let bus: Bus
    private let onAbsence: () -> Void
    private var isKnownAbsent = false
    private var persons = 0

    /// Creates an authority on `bus`; `onAbsence` is called once, when polkit is first found missing.
    package init(bus: Bus, onAbsence: @escaping () -> Void) {
        self.bus = bus
        self.onAbsence = onAbsence
    }

    /// Calls `completion` with whether polkit's `actionID` is allowed to the caller of `message`.
    ///
    /// One that is refused has been answered with `AccessDenied` by then. While too many wait for a person, polkit is
    /// asked for what it allows without.
    package func authorize(
        _ message: BusMessage,
        for actionID: String,
        _ completion: @escaping (_ isAllowed: Bool) -> Void
    ) {
        let interactive = message.allowsInteractiveAuthorization && persons < Self.mostPersons
        do throws(BusError) {
            try bus.callLater(
                "org.freedesktop.PolicyKit1",
                "/org/freedesktop/PolicyKit1/Authority",
                "org.freedesktop.PolicyKit1.Authority",
                "CheckAuthorization",
                timeout: interactive ? Self.patience.person : Self.patience.machine
            ) { call in
                call.appendStruct("sa{sv}") {
                    call.append("system-bus-name")
                    call.appendArray("{sv}") {
                        call.appendDictionaryEntry("sv") {
                            call.append("name")
                            call.appendVariant("s") { call.append(message.sender) }
                        }
                    }
                }
                call.append(actionID)
                call.appendArray("{ss}") {}
                call.append(UInt32(interactive ? 1 : 0))
                call.append("")
            } completion: { [self] answer in
                if interactive { persons -= 1 }
                let refusal = refusal(of: message, for: actionID, answer)
                if let refusal { message.reply(refusal) }
                completion(refusal == nil)
            }
            if interactive { persons += 1 }
        } catch {
            message.reply(error)
            completion(false)
        }
    }

    /// Reads polkit's answer; nil means that the caller may go on.
    private func refusal(of message: BusMessage, for actionID: String, _ answer: BusMessage) -> BusError? {
        if let error = answer.error {
            return error.isServiceMissing ? refusalWithoutPolkit(of: message, for: actionID) : denied(actionID, error)
        }
        var isAuthorized = false
        do throws(BusError) {
            try answer.readStruct("bba{ss}") { () throws(BusError) in
                isAuthorized = try answer.readBool()
                _ = try answer.readBool()
                try answer.skip()
            }
        } catch {
            return denied(actionID, error)
        }
        return isAuthorized ? nil : .accessDenied("not authorized: polkit refuses \(actionID)")
    }

    private func refusalWithoutPolkit(of message: BusMessage, for actionID: String) -> BusError? {
        if !isKnownAbsent {
            isKnownAbsent = true
            onAbsence()
        }
        do throws(SystemError) {
            let user = try message.senderUserID()
            if user == 0 || user == geteuid() { return nil }
            return .accessDenied("not authorized: without polkit, \(actionID) is for root and orientd's own user alone")
        } catch {
            return .accessDenied("not authorized: \(error)")
        }
    }

    private func denied(_ actionID: String, _ error: BusError) -> BusError {
        .accessDenied("not authorized: polkit did not decide on \(actionID): \(error)")
    }
}
