// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
package import POSIX

/// Asks polkit whether the sender of a call may do what it asks for.
///
/// Never waits: the answer comes in a later turn of the loop. Users take turns, and root, this process's own user and
/// those of an active session come first, so that nobody waits for what polkit refuses to another user. Without polkit
/// on the bus, only root and the user of this process are allowed.
package final class PolkitAuthority {
    /// Seconds that polkit has for an answer without a person, and with one.
    ///
    /// polkit's limit for a rule is 15 s, and polkit 122 (with Duktape) sometimes takes all of it, because it misses
    /// the signal that the rule has ended. D-Bus callers wait 25 s by default.
    package static let timeouts = (machine: 20.0, person: 120.0)

    /// How many questions may wait for a person, and how many of one connection may be undecided.
    static let limits = (persons: 64, connection: 64)

    /// How many questions polkit has at a time: the bus daemon allows 128 unanswered calls of a connection.
    ///
    /// polkit takes up to 10 ms to refuse one, which the questions of others wait for.
    private static let shares = FairQueue<Question>.Limits(
        all: 100,
        others: 32,
        other: 2,
        preferredWaiting: 2048,
        waiting: 256
    )

    /// A call that polkit must decide on.
    private struct Question {
        let message: BusMessage
        let actionID: String
        let completion: (Bool) -> Void
        /// Whether polkit may ask a person.
        var isInteractive = false
        /// When polkit must have decided, by the loop's clock.
        var deadline = 0.0
        /// False once polkit has ended before it decided, so that a question that ends polkit is not asked for ever.
        var mayBeRepeated = true
    }

    /// The undecided calls of a connection.
    private struct Connection {
        var undecided = 0
        /// Nil until the bus daemon has answered.
        var user: UInt32?
        /// Those that wait for ``user``.
        var questions: [Question] = []
    }

    private let bus: Bus
    private let loop: EventLoop
    private let limitError: String
    private let isActive: (UInt32) -> Bool
    /// Nil once polkit was found missing.
    private var onAbsence: (() -> Void)?
    private var connections: [String: Connection] = [:]
    private var queue = FairQueue<Question>(PolkitAuthority.shares)
    private var persons = 0
    /// The questions that polkit had when it ended, with their users, until it is back or has no time left.
    private var interrupted: [(question: Question, user: UInt32)] = []
    private var timer: Timer?
    private var slot: BusSlot?

    /// `limitError` is the name of the error for too many undecided calls of a connection or user.
    ///
    /// `isActive` says whether a user has a session in the foreground. `onAbsence` is called once, when polkit is found
    /// missing for the first time.
    package init(
        bus: Bus,
        loop: EventLoop,
        limitError: String,
        isActive: @escaping (UInt32) -> Bool = hasActiveSession,
        onAbsence: @escaping () -> Void
    ) throws(SystemError) {
        self.bus = bus
        self.loop = loop
        self.limitError = limitError
        self.isActive = isActive
        self.onAbsence = onAbsence
        timer = try loop.timer(owned(by: self) { $0.giveUp() })
        let onChange: (String?) -> Void = owned(by: self) { if $1 != nil { $0.askAgain() } }
        slot = try bus.onOwnerChange(of: Polkit.service, waits: false, onChange)
    }

    /// Calls `completion` with whether polkit allows `actionID` to the sender of `message`.
    ///
    /// A refused message is answered before that: with `AccessDenied`, with `InteractiveAuthorizationRequired` if
    /// polkit would ask a person but the call does not allow that, with `Failed` if polkit did not decide, or with the
    /// limit's error if the connection or its user has too many undecided calls. While too many questions wait for a
    /// person, polkit may not ask one.
    package func authorize(
        _ message: BusMessage,
        for actionID: String,
        _ completion: @escaping (_ isAllowed: Bool) -> Void
    ) {
        let sender = message.sender
        var connection = connections[sender] ?? Connection()
        guard connection.undecided < Self.limits.connection else {
            let text = "polkit has not decided on \(Self.limits.connection) calls of this connection yet"
            message.reply(BusError(limitError, text))
            return completion(false)
        }
        connection.undecided += 1
        let question = Question(message: message, actionID: actionID, completion: completion)
        if connection.user == nil { connection.questions.append(question) }
        connections[sender] = connection
        if let user = connection.user {
            enqueue(question, of: user)
        } else if connection.undecided == 1 {
            bus.callDaemon("GetConnectionUnixUser", sender) { [self] in userFound($0, sender) }
        }
    }

    /// Goes on with the first calls of a connection, whose user the bus daemon tells.
    private func userFound(_ answer: Result<BusMessage, BusError>, _ sender: String) {
        let questions = connections[sender]?.questions ?? []
        connections[sender]?.questions = []
        do throws(BusError) {
            let user = try answer.get().readUInt32()
            connections[sender]?.user = user
            for question in questions { enqueue(question, of: user) }
        } catch {
            for question in questions { decide(question, refusal: .accessDenied("not authorized: \(error)")) }
        }
    }

    private func enqueue(_ question: Question, of user: UInt32) {
        let isPreferred = user == 0 || user == geteuid() || isActive(user)
        guard queue.add(question, of: user, isPreferred: isPreferred) else {
            return decide(question, refusal: BusError(limitError, "too many calls of user \(user) wait for polkit"))
        }
        askNext()
    }

    private func askNext() {
        while let next = queue.next() {
            var question = next.element
            question.isInteractive =
                question.message.allowsInteractiveAuthorization && persons < Self.limits.persons
            question.deadline = loop.now + (question.isInteractive ? Self.timeouts.person : Self.timeouts.machine)
            ask(question, of: next.user)
        }
    }

    private func ask(_ question: Question, of user: UInt32) {
        let isInteractive = question.isInteractive
        if isInteractive { persons += 1 }
        bus.callLater(
            Polkit.service,
            Polkit.path,
            Polkit.interface,
            "CheckAuthorization",
            timeout: max(0.001, question.deadline - loop.now)
        ) { call in
            Polkit.append(question.actionID, of: question.message.sender, isInteractive: isInteractive, to: call)
        } completion: { [self] answer in
            if isInteractive { persons -= 1 }
            answered(question, of: user, answer)
        }
    }

    private func answered(_ question: Question, of user: UInt32, _ answer: Result<BusMessage, BusError>) {
        let error = answer.error
        if let error, error.isNoReply, question.mayBeRepeated, loop.now < question.deadline {
            // polkit has ended: the call has D-Bus start it again, where it can.
            var question = question
            question.mayBeRepeated = false
            return ask(question, of: user)
        }
        let isAbsent = error?.isServiceMissing == true
        if isAbsent, !question.mayBeRepeated {
            interrupted.append((question, user))
            return waitForPolkit()
        }
        if isAbsent { onAbsence.take()?() }
        let refusal = isAbsent ? refusal(of: user, for: question.actionID) : refusal(of: question, answer)
        queue.end(of: user)
        decide(question, refusal: refusal)
        askNext()
    }

    private func decide(_ question: Question, refusal: BusError?) {
        let sender = question.message.sender
        connections[sender]?.undecided -= 1
        if connections[sender]?.undecided == 0 { connections[sender] = nil }
        if let refusal { question.message.reply(refusal) }
        question.completion(refusal == nil)
    }

    /// Returns the error for polkit's answer; nil if the caller is allowed.
    private func refusal(of question: Question, _ answer: Result<BusMessage, BusError>) -> BusError? {
        let (message, actionID) = (question.message, question.actionID)
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
            let reason = error.isNoReply ? "nobody has answered" : "\(error)"
            return .failed("polkit did not decide on \(actionID): \(reason)")
        }
    }

    /// Returns the error for a user where there is no polkit; nil if it is allowed.
    private func refusal(of user: UInt32, for actionID: String) -> BusError? {
        if user == 0 || user == geteuid() { return nil }
        return .accessDenied("not authorized: without polkit, only root and the user of the service may do \(actionID)")
    }

    // MARK: - A polkit that has ended

    private func waitForPolkit() {
        if let deadline = interrupted.map({ $0.question.deadline }).min() {
            timer?.arm(after: deadline - loop.now)
        } else {
            timer?.disarm()
        }
    }

    private func askAgain() {
        let questions = interrupted
        interrupted = []
        waitForPolkit()
        for (question, user) in questions { ask(question, of: user) }
    }

    /// Answers the questions whose time has passed.
    private func giveUp() {
        let (questions, now) = (interrupted, loop.now)
        interrupted = questions.filter { $0.question.deadline > now }
        waitForPolkit()
        for (question, user) in questions where question.deadline <= now {
            queue.end(of: user)
            let text = "polkit ended before it decided on \(question.actionID), and is not back"
            decide(question, refusal: .failed(text))
        }
        askNext()
    }
}

/// Whether a user has a session in the foreground of a seat, as systemd-logind says; false without it.
///
/// The only ones that polkit calls active: a session over ssh, which logind calls active too, has no seat.
package func hasActiveSession(_ user: UInt32) -> Bool { sd_uid_get_seats(user, 1, nil) > 0 }
