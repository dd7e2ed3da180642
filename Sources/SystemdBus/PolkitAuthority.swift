// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Asks polkit whether the sender of a call may do what it asks for.
///
/// Never blocks: the answer comes in a later turn of the loop. Without polkit on the bus, only root and the user of this
/// process are allowed.
package final class PolkitAuthority {
    /// Seconds that polkit has for an answer without a person, and with one.
    ///
    /// polkit's limit for a rule is 15 s, and polkit 122 (with Duktape) sometimes takes all of it, because it misses the
    /// signal that the rule has ended. D-Bus callers wait 25 s by default.
    package static let timeouts = (machine: 20.0, person: 120.0)

    /// How many questions may wait for a person, for polkit, and for either from one connection.
    ///
    /// The bus daemon allows 128 unanswered calls per connection; further questions are queued here.
    static let limits = (persons: 64, asked: 100, connection: 128)

    /// A call that polkit must decide on.
    private struct Question {
        let message: BusMessage
        let actionID: String
        let completion: (Bool) -> Void
    }

    private let bus: Bus
    private let limitError: String
    private let onAbsence: () -> Void
    private var isKnownAbsent = false
    private var persons = 0
    private var asked = 0
    private var queue: [Question] = []

    /// The number of undecided calls, by connection.
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
    /// polkit would ask a person but the call does not allow that, or with the limit's error if the connection has too many
    /// undecided calls. While too many questions wait for a person, polkit may not ask one.
    package func authorize(
        _ message: BusMessage,
        for actionID: String,
        _ completion: @escaping (_ isAllowed: Bool) -> Void
    ) {
        let undecided = undecided[message.sender] ?? 0
        guard undecided < Self.limits.connection else {
            message.reply(
                BusError(
                    limitError,
                    "polkit has not decided on \(Self.limits.connection) calls of this connection yet"
                )
            )
            return completion(false)
        }
        self.undecided[message.sender] = undecided + 1
        queue.append(Question(message: message, actionID: actionID, completion: completion))
        askNext()
    }

    private func askNext() {
        while asked < Self.limits.asked, !queue.isEmpty { ask(queue.removeFirst()) }
    }

    private func ask(_ question: Question) {
        let message = question.message
        let interactive = message.allowsInteractiveAuthorization && persons < Self.limits.persons
        asked += 1
        if interactive { persons += 1 }
        do throws(BusError) {
            try bus.callLater(
                Polkit.service,
                Polkit.path,
                Polkit.interface,
                "CheckAuthorization",
                timeout: interactive ? Self.timeouts.person : Self.timeouts.machine
            ) { call in
                Polkit.append(question.actionID, of: message.sender, isInteractive: interactive, to: call)
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

    /// Returns the error for polkit's answer; nil if the caller is allowed.
    private func refusal(of message: BusMessage, for actionID: String, _ answer: BusMessage) -> BusError? {
        if let error = answer.error {
            return error.isServiceMissing ? refusalWithoutPolkit(of: message, for: actionID) : denied(actionID, error)
        }
        do throws(BusError) {
            let decision = try Polkit.readDecision(from: answer)
            if decision.isAuthorized { return nil }
            guard decision.isChallenge, !message.allowsInteractiveAuthorization else {
                return .accessDenied("not authorized: polkit refuses \(actionID)")
            }
            return BusError(
                BusError.interactiveAuthorizationRequired,
                "polkit would ask a person, which the call does not allow: \(actionID)"
            )
        } catch {
            return denied(actionID, error)
        }
    }

    private func refusalWithoutPolkit(of message: BusMessage, for actionID: String) -> BusError? {
        if !isKnownAbsent {
            isKnownAbsent = true
            onAbsence()
        }
        do throws(SystemError) {
            let user = try message.senderUserID()
            if user == 0 || user == geteuid() { return nil }
            return .accessDenied(
                "not authorized: without polkit, only root and the user of the service may do \(actionID)"
            )
        } catch {
            return .accessDenied("not authorized: \(error)")
        }
    }

    private func denied(_ actionID: String, _ error: BusError) -> BusError {
        .accessDenied("not authorized: polkit did not decide on \(actionID): \(error)")
    }
}
