// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import PrivateBus
import SystemdBus
import Testing

private let interfaceName = "org.example.Guarded"
private let actionID = "org.example.act"
private let limitError = "org.example.Error.LimitExceeded"
private let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
private let failed = "org.freedesktop.DBus.Error.Failed"

/// What polkit was asked.
private struct Question: Hashable {
    var kind = ""
    var details: [String: String] = [:]
    var actionID = ""
    var flags: UInt32 = 0
}

/// A guarded service and a polkit whose answers a test gives.
private final class Guarded {
    let peers: Peers
    private(set) var questions: [Question] = []
    private(set) var actions = 0
    private(set) var absences = 0
    private let polkit: Bus
    private var slots: [BusSlot] = []

    /// Without an `answer` there is no polkit; libsystemd sends none that is not as the signature says.
    init(
        answering signature: StaticString = "(bba{ss})",
        answer: ((BusMessage) throws(BusError) -> Void)?
    ) throws {
        peers = try Peers()
        polkit = try peers.privateBus.connect(peers.loop)
        if let answer {
            let authority = BusInterface("org.freedesktop.PolicyKit1.Authority")
            authority.method("CheckAuthorization", "(sa{sv})sa{ss}us", returns: signature) {
                [unowned self] message throws(BusError) in
                questions.append(try Self.question(message))
                try answer(message)
            }
            slots.append(try polkit.export(authority, at: "/org/freedesktop/PolicyKit1/Authority"))
            try polkit.own("org.freedesktop.PolicyKit1", replacing: false)
        }
        let authority = try PolkitAuthority(bus: peers.service, loop: peers.loop, limitError: limitError) {
            [unowned self] in absences += 1
        }
        let guarded = BusInterface(interfaceName)
        guarded.method("Act") { [unowned self] message in
            authority.authorize(message, for: actionID) { [unowned self] isAllowed in
                guard isAllowed else { return }
                actions += 1
                message.reply()
            }
        }
        slots.append(try peers.service.export(guarded, at: Peers.path))
    }

    func act(isInteractive: Bool = false) throws {
        _ = try peers.call(interfaceName, "Act", isInteractive: isInteractive)
    }

    private static func question(_ message: BusMessage) throws(BusError) -> Question {
        var question = Question()
        try message.readStruct("sa{sv}") { () throws(BusError) in
            question.kind = try message.readString()
            try message.readNamedVariants { name throws(BusError) in
                question.details[name] = try message.readTextVariant()
            }
        }
        question.actionID = try message.readString()
        try message.skip()
        question.flags = try message.readUInt32()
        return question
    }
}

@Suite struct PolkitAuthorityTests {
    /// An answer as polkit gives it.
    private static func answer(
        isAuthorized: Bool,
        isChallenge: Bool = false
    ) -> (BusMessage) throws(BusError) -> Void {
        { message in
            message.reply { reply in
                reply.appendStruct("bba{ss}") {
                    reply.append(isAuthorized)
                    reply.append(isChallenge)
                    reply.appendArray("{ss}") {
                        reply.appendDictionaryEntry("ss") {
                            reply.append("polkit.temporary_authorization_id")
                            reply.append("tmpauthz1")
                        }
                    }
                }
            }
        }
    }

    @Test func `the action runs when polkit allows it to the caller`() throws {
        let guarded = try Guarded(answer: Self.answer(isAuthorized: true))
        try guarded.act()
        #expect(guarded.actions == 1)
        let caller = guarded.peers.client.uniqueName
        #expect(
            guarded.questions == [Question(kind: "system-bus-name", details: ["name": caller], actionID: actionID)]
        )
    }

    @Test func `polkit may ask a person if the caller does not mind`() throws {
        let guarded = try Guarded(answer: Self.answer(isAuthorized: true))
        try guarded.act(isInteractive: true)
        #expect(guarded.questions.map(\.flags) == [1])
    }

    @Test func `64 questions wait for a person, and polkit decides on others without one`() throws {
        // Twice as many made the bus daemon refuse every other question, whoever asked.
        var waiting: [BusMessage] = []
        let guarded = try Guarded { question throws(BusError) in
            if waiting.count < 64 { waiting.append(question) } else { try Self.answer(isAuthorized: true)(question) }
        }
        let caller = try guarded.peers.privateBus.connect(guarded.peers.loop)
        for _ in 0..<64 {
            caller.callLater(Peers.name, Peers.path, interfaceName, "Act", isInteractive: true) { _ in }
        }
        try guarded.peers.loop.run { waiting.count == 64 }
        try guarded.act(isInteractive: true)
        #expect(guarded.actions == 1)
        for question in waiting { try Self.answer(isAuthorized: true)(question) }
        try guarded.peers.loop.run { guarded.actions == 65 }
        try guarded.act(isInteractive: true)
        #expect(guarded.questions.map(\.flags) == Array(repeating: 1, count: 64) + [0, 1])
    }

    @Test func `calls beyond what polkit is asked at once wait their turn, up to 64 of a connection`() throws {
        // The bus daemon refused every call after the 128th that polkit had not decided on, whoever made it.
        var waiting: [BusMessage] = []
        let guarded = try Guarded { waiting.append($0) }
        let callers = try (0..<2).map { _ in try guarded.peers.privateBus.connect(guarded.peers.loop) }
        var errors: [String] = []
        for caller in callers {
            for _ in 0..<65 {
                caller.callLater(Peers.name, Peers.path, interfaceName, "Act") { answer in
                    if let error = answer.error { errors.append(error.name) }
                }
            }
        }
        try guarded.peers.loop.run { errors.count == 2 && waiting.count == 100 }
        #expect(errors == [limitError, limitError])
        while guarded.actions < 128 {
            let asked = waiting
            waiting = []
            for question in asked { try Self.answer(isAuthorized: true)(question) }
            try guarded.peers.loop.run { guarded.actions == 128 || !waiting.isEmpty }
        }
        #expect(guarded.questions.count == 128)
        #expect(errors.count == 2)
    }

    @Test func `polkit has longer than it gives its own rules, and less than the caller waits`() throws {
        let caller = try Peers().client
        #expect(PolkitAuthority.timeouts.machine > 15)
        #expect(PolkitAuthority.timeouts.machine < caller.timeout)
    }

    @Test func `a call that does not allow polkit to ask a person learns that polkit would`() throws {
        let guarded = try Guarded(answer: Self.answer(isAuthorized: false, isChallenge: true))
        let error = #expect(throws: BusError.self) { try guarded.act() }
        #expect(error?.name == "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
        #expect(error?.message.hasSuffix(": \(actionID)") == true)
        #expect(guarded.actions == 0)
    }

    @Test(arguments: [false, true])
    func `the action does not run when polkit refuses it`(isChallenge: Bool) throws {
        let guarded = try Guarded(answer: Self.answer(isAuthorized: false, isChallenge: isChallenge))
        // A person that polkit has asked declined.
        let error = #expect(throws: BusError.self) { try guarded.act(isInteractive: isChallenge) }
        #expect(error?.name == accessDenied)
        #expect(error?.message == "not authorized: polkit refuses \(actionID)")
        #expect(guarded.actions == 0)
        #expect(guarded.absences == 0)
    }

    @Test func `the action does not run when polkit's answer is malformed`() throws {
        let guarded = try Guarded(answering: "s") { message in message.reply { $0.append("yes, of course") } }
        let error = #expect(throws: BusError.self) { try guarded.act() }
        #expect(error?.name == failed)
        #expect(error?.message.contains("did not decide on \(actionID): the arguments are not") == true)
        #expect(guarded.actions == 0)
    }

    @Test func `the action does not run when polkit's answer breaks off`() throws {
        let guarded = try Guarded(answering: "(b)") { message in
            message.reply { reply in reply.appendStruct("b") { reply.append(true) } }
        }
        let error = #expect(throws: BusError.self) { try guarded.act() }
        #expect(error?.name == failed)
        #expect(error?.message.contains("did not decide on \(actionID): the arguments are not") == true)
        #expect(guarded.actions == 0)
    }

    @Test(arguments: [
        ("org.freedesktop.PolicyKit1.Error.Failed", "no such action (org.freedesktop.PolicyKit1.Error.Failed)"),
        ("org.freedesktop.DBus.Error.NoReply", "nobody has answered"),
    ])
    func `the action does not run when polkit fails, and polkit is not taken for absent`(
        name: String,
        reason: String
    ) throws {
        let guarded = try Guarded { _ throws(BusError) in throw BusError(name, "no such action") }
        let error = #expect(throws: BusError.self) { try guarded.act() }
        #expect(error?.name == failed)
        #expect(error?.message == "polkit did not decide on \(actionID): \(reason)")
        #expect(guarded.actions == 0)
        #expect(guarded.absences == 0)
    }

    @Test func `polkit that ends before it decides is asked once more`() throws {
        // A question that ends polkit would end it for ever.
        let guarded = try Guarded { _ throws(BusError) in
            throw BusError("org.freedesktop.DBus.Error.NoReply", "polkit has ended")
        }
        let error = #expect(throws: BusError.self) { try guarded.act() }
        #expect(error?.name == failed)
        #expect(guarded.questions.count == 2)
    }

    @Test func `without polkit the daemon's own user is allowed, and the absence told once`() throws {
        let guarded = try Guarded(answer: nil)
        try guarded.act()
        try guarded.act()
        #expect(guarded.actions == 2)
        #expect(guarded.absences == 1)
    }

    @Test func `a caller who has gone before its user is known is refused`() throws {
        let guarded = try Guarded(answer: Self.answer(isAuthorized: true))
        var caller: Bus? = try guarded.peers.privateBus.connect()
        let name = try #require(caller).uniqueName
        var isGone = false
        let slot = try guarded.peers.service.onOwnerChange(of: name) { isGone = $0 == nil }
        caller?.callLater(Peers.name, Peers.path, interfaceName, "Act") { _ in }
        caller = nil
        try guarded.peers.loop.run { isGone }
        try guarded.act()
        #expect(guarded.actions == 1)
        #expect(guarded.questions.count == 1)
        #expect(caller == nil)
        withExtendedLifetime(slot) {}
    }
}
