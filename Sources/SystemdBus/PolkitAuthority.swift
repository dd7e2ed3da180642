// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Asks polkit whether a caller may do what it asks for.
///
/// Asking never blocks: the answer comes in a later turn of the loop. Without polkit on the bus only uid 0 and the
/// daemon's own uid are allowed.
package final class PolkitAuthority {
    /// Seconds that polkit has for an answer that needs no person, and for one that does.
    ///
    /// It gives a rule 15 s, and polkit 122 (with Duktape) sometimes takes all of them for one that has ended at once:
    /// it misses the signal of that. Callers wait 25 s by the custom of D-Bus libraries.
    package static let patience = (machine: 20.0, person: 120.0)

    /// How many questions may wait for a person at once, for polkit at once, and for either from one connection.
    ///
    /// The bus daemon lets a connection have 128 calls unanswered, and refuses more; further questions wait their turn.
    static let most = (persons: 64, asked: 100, connection: 128)

    /// Somebody's call that polkit is to decide on.
    private struct Question {
        let message: BusMessage
        let actionID: String
        let completion: (Bool) -> Void
    }

    private let bus: Bus
    private let onAbsence: () -> Void
    private var isKnownAbsent = false
    private var persons = 0
    private var asked = 0
    private var queue: [Question] = []

    /// The calls of each connection that have not been decided on.
    private var undecided: [String: Int] = [:]

    /// Creates an authority on `bus`; `onAbsence` is called once, when polkit is first found missing.
    package init(bus: Bus, onAbsence: @escaping () -> Void) {
        self.bus = bus
        self.onAbsence = onAbsence
    }

    /// Calls `completion` with whether polkit's `actionID` is allowed to the caller of `message`.
    ///
    /// One that is refused has been answered by then, with `AccessDenied`, or with `LimitsExceeded` where the connection
    /// waits for too many answers. While too many wait for a person, polkit is asked for what it allows without.
    package func authorize(
        _ message: BusMessage,
        for actionID: String,
        _ completion: @escaping (_ isAllowed: Bool) -> Void
    ) {
        let undecided = undecided[message.sender] ?? 0
        guard undecided < Self.most.connection else {
            message.reply(
                BusError(
                    "org.freedesktop.DBus.Error.LimitsExceeded",
                    "polkit has not decided on \(Self.most.connection) calls of this connection yet"
                )
            )
            return completion(false)
        }
        self.undecided[message.sender] = undecided + 1
        queue.append(Question(message: message, actionID: actionID, completion: completion))
        askNext()
    }

    private func askNext() {
        while asked < Self.most.asked, !queue.isEmpty { ask(queue.removeFirst()) }
    }

    private func ask(_ question: Question) {
        let message = question.message
        let interactive = message.allowsInteractiveAuthorization && persons < Self.most.persons
        asked += 1
        if interactive { persons += 1 }
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
                call.append(question.actionID)
                call.appendArray("{ss}") {}
                call.append(UInt32(interactive ? 1 : 0))
                call.append("")
            } completion: { [self] answer in
                if interactive { persons -= 1 }
                decide(question, refusal: refusal(of: message, for: question.actionID, answer))
                askNext()
            }
        } catch {
            if interactive { persons -= 1 }
            decide(question, refusal: error)
        }
    }

    private func decide(_ question: Question, refusal: BusError?) {
        asked -= 1
        let sender = question.message.sender
        let undecided = (undecided[sender] ?? 1) - 1
        self.undecided[sender] = undecided > 0 ? undecided : nil
        if let refusal { question.message.reply(refusal) }
        question.completion(refusal == nil)
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
