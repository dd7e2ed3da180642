// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Asks polkit whether the sender of a call may do what it asks for.
///
/// Never waits: the answer comes in a later turn of the loop. Without polkit on the bus, only root and the user of this
/// process are allowed.
package final class PolkitAuthority {
    /// Seconds that polkit has for an answer without a person, and with one.
    ///
    /// polkit's limit for a rule is 15 s, and polkit 122 (with Duktape) sometimes takes all of it, because it misses
    /// the signal that the rule has ended. D-Bus callers wait 25 s by default.
    package static let timeouts = (machine: 20.0, person: 120.0)

    /// How many questions may wait for a person, for polkit, and for either from one connection.
    ///
    /// The bus daemon allows 128 unanswered calls per connection; further questions are queued here.
    static let limits = (persons: 64, pending: 100, connection: 64)

    /// A call that polkit must decide on.
    private struct Question {
        let message: BusMessage
        let actionID: String
        let completion: (Bool) -> Void
    }

    private let bus: Bus
    private let limitError: String
    /// Nil once polkit was found missing.
    private var onAbsence: (() -> Void)?
    private var persons = 0
    private var pending = 0
    private var queue: [Question] = []
    /// The number of undecided calls of each connection that has some.
    private var undecided: [String: Int] = [:]

    /// `limitError` is the name of the error for too many undecided calls of a connection.
    ///
    /// `onAbsence` is called once, when polkit is found missing for the first time.
    package init(bus: Bus, limitError: String, onAbsence: @escaping () -> Void) {
        self.bus = bus
        self.limitError = limitError
        self.onAbsence = onAbsence
    }

    /// Calls `completion` with whether polkit allows `actionID` to the sender of `message`.
    ///
    /// A refused message is answered before that: with `AccessDenied`, with `InteractiveAuthorizationRequired` if
    /// polkit would ask a person but the call does not allow that, or with the limit's error if the connection has too
    /// many undecided calls. While too many questions wait for a person, polkit may not ask one.
    package func authorize(
        _ message: BusMessage,
        for actionID: String,
        _ completion: @escaping (_ isAllowed: Bool) -> Void
    ) {
        guard undecided[message.sender] ?? 0 < Self.limits.connection else {
            let text = "polkit has not decided on \(Self.limits.connection) calls of this connection yet"
            message.reply(BusError(limitError, text))
            return completion(false)
        }
        undecided[message.sender, default: 0] += 1
        queue.append(Question(message: message, actionID: actionID, completion: completion))
        askNext()
    }

    private func askNext() {
        while pending < Self.limits.pending, !queue.isEmpty { ask(queue.removeFirst()) }
    }

    private func ask(_ question: Question) {
        let message = question.message
        let interactive = message.allowsInteractiveAuthorization && persons < Self.limits.persons
        pending += 1
        if interactive { persons += 1 }
        bus.callLater(
            Polkit.service,
            Polkit.path,
            Polkit.interface,
            "CheckAuthorization",
            timeout: interactive ? Self.timeouts.person : Self.timeouts.machine
        ) { call in
            Polkit.append(question.actionID, of: message.sender, isInteractive: interactive, to: call)
        } completion: { [self] answer in
            if interactive { persons -= 1 }
            if answer.error?.isServiceMissing == true {
                askForUser(question)
            } else {
                decide(question, refusal: refusal(of: message, for: question.actionID, answer))
            }
        }
    }

    private func decide(_ question: Question, refusal: BusError?) {
        pending -= 1
        let sender = question.message.sender
        undecided[sender, default: 1] -= 1
        if undecided[sender] == 0 { undecided[sender] = nil }
        if let refusal { question.message.reply(refusal) }
        question.completion(refusal == nil)
        askNext()
    }

    /// Returns the error for polkit's answer; nil if the caller is allowed.
    private func refusal(
        of message: BusMessage,
        for actionID: String,
        _ answer: Result<BusMessage, BusError>
    ) -> BusError? {
        do throws(BusError) {
            let decision = try Polkit.readDecision(from: try answer.get())
            if decision.isAuthorized { return nil }
            guard decision.isChallenge, !message.allowsInteractiveAuthorization else {
                return .accessDenied("not authorized: polkit refuses \(actionID)")
            }
            return BusError(
                BusError.interactiveAuthorizationRequired,
                "polkit would ask a person, which the call does not allow: \(actionID)"
            )
        } catch {
            return .accessDenied("not authorized: polkit did not decide on \(actionID): \(error)")
        }
    }

    // MARK: - Without polkit

    /// Asks the bus daemon for the caller's user, which decides where there is no polkit.
    private func askForUser(_ question: Question) {
        onAbsence.take()?()
        let daemon = "org.freedesktop.DBus"
        bus.callLater(daemon, "/org/freedesktop/DBus", daemon, "GetConnectionUnixUser") { call in
            call.append(question.message.sender)
        } completion: { [self] answer in
            decide(question, refusal: refusal(for: question.actionID, user: answer))
        }
    }

    private func refusal(for actionID: String, user answer: Result<BusMessage, BusError>) -> BusError? {
        do throws(BusError) {
            let user = try answer.get().readUInt32()
            if user == 0 || user == geteuid() { return nil }
            return .accessDenied(
                "not authorized: without polkit, only root and the user of the service may do \(actionID)"
            )
        } catch {
            return .accessDenied("not authorized: \(error)")
        }
    }
}
