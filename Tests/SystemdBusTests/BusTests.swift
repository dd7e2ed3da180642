// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import PrivateBus
import SystemdBus
import Testing

@Suite struct BusAddressTests {
    static let addresses: [(String, BusAddress, String)] = [
        ("system", .system, "the system bus"), ("session", .session, "the session bus"),
        ("unix:path=/x", .address("unix:path=/x"), "the bus at unix:path=/x"),
    ]

    @Test(arguments: addresses)
    func `a bus is named by a word or an address`(text: String, address: BusAddress, description: String) {
        #expect(BusAddress(text) == address)
        #expect("\(address)" == description)
    }

    @Test(arguments: ["System", "sesion", ""]) func `other words name no bus`(text: String) {
        #expect(BusAddress(text) == nil)
    }

    @Test(arguments: ["unix:path=/nonexistent/bus", "nonsense", "", "unix:", "unix:abstract=orientd-nobody-listens"])
    func `a bus that cannot be reached is an error with its address`(address: String) {
        let error = #expect(throws: SystemError.self) { _ = try Bus(.address(address)) }
        #expect(error?.operation == "connect to")
        #expect(error?.subject == "the bus at \(address)")
    }
}

@Suite struct BusNameTests {
    private let peers: Peers

    init() throws {
        peers = try Peers()
    }

    @Test func `the owner of a name is told with its process and user, and nobody is started to be it`() throws {
        let owner = try #require(peers.client.owner(of: Peers.name))
        #expect(owner.uniqueName == peers.service.uniqueName)
        #expect(owner.process == getpid())
        #expect(owner.user == geteuid())
        #expect("\(owner)" == "process \(getpid()) (\(owner.command))")
        #expect(!owner.command.isEmpty)
        #expect(peers.client.owner(of: "org.example.Nobody") == nil)
    }

    @Test func `a name that is taken is an error that tells who has it`() throws {
        let error = #expect(throws: SystemError.self) { try peers.client.own(Peers.name, replacing: false) }
        #expect(error?.operation == "own the name")
        #expect(error?.errno == Errno(EEXIST))
        let owner = try #require(peers.client.owner(of: Peers.name))
        #expect(error.map { "\($0)" } == "cannot own the name \(Peers.name): \(owner) has it")
    }

    @Test(arguments: ["", "noDots", ":1.1", "org.freedesktop.DBus"])
    func `a name that nobody may own is an error with it`(name: String) {
        let error = #expect(throws: SystemError.self) { try peers.client.own(name, replacing: false) }
        #expect(error?.subject == name)
    }

    // Whoever lost the name between owning it and subscribing lived on without it: two `orientd --replace` at a time.
    @Test func `a name can be taken over at once, and the loser is told`() throws {
        var losses: [String] = []
        let names = ["org.example.Other", "org.example.Another"]
        let slots = try names.map { name in
            try peers.service.own(name, replacing: false) { losses.append(name) }
        }
        try peers.client.own(names[0], replacing: true)
        try peers.loop.run { !losses.isEmpty }
        try peers.loop.runWhatIsDue()
        #expect(losses == [names[0]])
        withExtendedLifetime(slots) {}
    }

    @Test func `who takes a name is told of, and when it is free again`() throws {
        var changes: [String?] = []
        let slot = try peers.service.onOwnerChange(of: "org.example.Other") { changes.append($0) }
        var owner: Bus? = try peers.privateBus.connect()
        try owner?.own("org.example.Unrelated", replacing: false)
        try owner?.own("org.example.Other", replacing: false)
        let name = owner?.uniqueName
        owner = nil
        try peers.loop.run { changes.count == 2 }
        try peers.loop.runWhatIsDue()
        #expect(changes == [name, nil])
        withExtendedLifetime(slot) {}
    }
}

@Suite struct BusCallTests {
    private let peers: Peers
    private let nobody = "org.example.Nobody"

    init() throws {
        peers = try Peers()
    }

    /// Calls `handler` with the error of the call.
    private func callLater(_ destination: String, _ handler: @escaping (BusError?) -> Void) {
        peers.service.callLater(destination, "/", "org.freedesktop.DBus.Peer", "GetMachineId") { handler($0.error) }
    }

    @Test func `a call that waits throws the error that it is answered with`() {
        let error = #expect(throws: BusError.self) { _ = try peers.client.call(nobody, "/", nobody, "Ask") }
        #expect(error?.name == "org.freedesktop.DBus.Error.ServiceUnknown")
        #expect(error?.message.isEmpty == false)
    }

    @Test(arguments: ["no name", "", "org..example"])
    func `a call to what cannot exist is an error at once`(destination: String) {
        let error = #expect(throws: BusError.self) { _ = try peers.client.call(destination, "/", nobody, "Ask") }
        #expect(error?.name == "org.freedesktop.DBus.Error.Failed")
        var later: [BusError?] = []
        callLater(destination) { later.append($0) }
        #expect(later == [error])
    }

    @Test(arguments: [false, true])
    func `a call lets polkit ask a person if it is told so`(isInteractive: Bool) throws {
        let interface = BusInterface("org.example.Question")
        interface.method("Ask", returns: "b") { message in
            message.reply { $0.append(message.allowsInteractiveAuthorization) }
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        #expect(try peers.call(interface.name, "Ask", isInteractive: isInteractive).readBool() == isInteractive)
        withExtendedLifetime(slot) {}
    }

    @Test(arguments: [false, true])
    func `a call that is answered later lets polkit ask a person too`(isInteractive: Bool) throws {
        let interface = BusInterface("org.example.Question")
        var interactive: [Bool] = []
        interface.method("Ask") { message in
            interactive.append(message.allowsInteractiveAuthorization)
            message.reply()
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        var isAnswered = false
        let caller = try peers.privateBus.connect(peers.loop)
        caller.callLater(Peers.name, Peers.path, interface.name, "Ask", isInteractive: isInteractive) {
            isAnswered = $0.error == nil
        }
        try peers.loop.run { isAnswered }
        #expect(interactive == [isInteractive])
        withExtendedLifetime(slot) {}
    }

    @Test func `an answer that comes later is handed over once, and lets the handler go`() throws {
        weak var weakToken: Token?
        var answers: [String] = []
        do {
            let token = Token()
            weakToken = token
            peers.service.callLater(
                "org.freedesktop.DBus",
                "/",
                "org.freedesktop.DBus",
                "GetNameOwner",
                { $0.append(Peers.name) },
                completion: { answer in
                    withExtendedLifetime(token) {}
                    do throws(BusError) {
                        answers.append(try answer.get().readString())
                    } catch {
                        Issue.record(error)
                    }
                }
            )
        }
        #expect(answers == [], "not before the loop turns")
        #expect(weakToken != nil)
        try peers.loop.run { !answers.isEmpty }
        try peers.loop.runWhatIsDue()
        #expect(answers == [peers.service.uniqueName])
        #expect(weakToken == nil)
    }

    @Test func `an error that comes later is handed over as an answer`() throws {
        var errors: [BusError?] = []
        callLater(nobody) { errors.append($0) }
        try peers.loop.run { !errors.isEmpty }
        #expect(errors.map { $0?.name } == ["org.freedesktop.DBus.Error.ServiceUnknown"])
        #expect(errors.map { $0?.isServiceMissing } == [true])
    }

    @Test func `the end of the bus is told, and ends calls that wait for an answer`() throws {
        var isDisconnected = false
        var answers: [BusError?] = []
        let slot = try peers.service.onDisconnect { isDisconnected = true }
        // The client is not in the loop, so it will never answer.
        callLater(peers.client.uniqueName) { answers.append($0) }
        try peers.loop.runWhatIsDue()
        #expect(!isDisconnected && answers.isEmpty)
        peers.privateBus.end()
        try peers.loop.run { isDisconnected && !answers.isEmpty }
        #expect(answers.count == 1)
        #expect(answers.first??.name.isEmpty == false)

        // What is still said has nobody to go to, and does no harm.
        peers.service.announce(["Anything"], of: nobody, at: Peers.path)
        peers.service.emit("Anything", of: nobody, at: Peers.path) { $0.append("text") }
        #expect(throws: BusError.self) { _ = try peers.service.hasOwner(of: Peers.name) }
        withExtendedLifetime(slot) {}
    }

    @Test func `a subscription ends with its slot, and lets its handler go`() throws {
        weak var weakToken: Token?
        var ended: BusSlot?
        var names: [String] = []
        let rule = "member='NameOwnerChanged'"
        do {
            let token = Token()
            weakToken = token
            ended = try peers.service.subscribe(rule, from: .busDaemon) { _ in Issue.record("told of, with \(token)") }
        }
        let kept = try peers.service.subscribe(rule, from: .busDaemon) { message throws(BusError) in
            names.append(try message.readString())
        }
        #expect(ended != nil && weakToken != nil)
        ended = nil
        #expect(weakToken == nil)
        try peers.client.own("org.example.Another", replacing: false)
        try peers.loop.run { names.contains("org.example.Another") }
        withExtendedLifetime(kept) {}
    }

    @Test func `two subscriptions to one message both get it from its start`() throws {
        var first: [String] = []
        var second: [String] = []
        let rule = "member='NameOwnerChanged',arg0='org.example.Another'"
        let slots = [
            try peers.service.subscribe(rule, from: .busDaemon) { signal throws(BusError) in
                first.append(try signal.readString())
            },
            try peers.service.subscribe(rule, from: .busDaemon) { signal throws(BusError) in
                second.append(try signal.readString())
            },
        ]
        try peers.client.own("org.example.Another", replacing: false)
        try peers.loop.run { !first.isEmpty && !second.isEmpty }
        #expect(first == ["org.example.Another"] && second == first)
        withExtendedLifetime(slots) {}
    }

    @Test func `a match that is none is an error, and lets the handler go`() throws {
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let error = #expect(throws: SystemError.self) {
                _ = try peers.service.subscribe("nonsense", from: .busDaemon) { _ in withExtendedLifetime(token) {} }
            }
            #expect(error?.subject == "type='signal',sender='org.freedesktop.DBus',nonsense")
        }
        #expect(weakToken == nil)
    }

    @Test func `an object manager lists the objects below it and tells of those that come and go`() throws {
        let child = "org.example.Child"
        let manager = try peers.service.addObjectManager(at: Peers.path)
        let listener = try peers.privateBus.connect(peers.loop)
        var signals: [String] = []
        let slots = [
            try listener.subscribe("member='InterfacesAdded'", from: .owner(of: Peers.name)) {
                signals.append("added " + ((try? $0.readObjectPath()) ?? "unreadable"))
            },
            try listener.subscribe("member='InterfacesRemoved'", from: .owner(of: Peers.name)) { message in
                do throws(BusError) {
                    let path = try message.readObjectPath()
                    var interfaces: [String] = []
                    try message.readArray("s") { () throws(BusError) in interfaces.append(try message.readString()) }
                    #expect(interfaces.contains(child))
                    signals.append("removed " + path)
                } catch {
                    Issue.record(error)
                }
            },
        ]
        for number in 0..<3 {
            let path = "\(Peers.path)/\(number)"
            let slot = try peers.service.export(BusInterface(child), at: path)
            peers.service.announceObject(at: path)
            #expect(try managedObjects() == [path])
            peers.service.announceObjectRemoved(at: path)
            withExtendedLifetime(slot) {}
        }
        #expect(try managedObjects() == [])
        try peers.loop.run { signals.count >= 6 }
        #expect(
            signals == (0..<3).flatMap { ["added \(Peers.path)/\($0)", "removed \(Peers.path)/\($0)"] }
        )
        withExtendedLifetime((manager, slots)) {}
    }

    /// The paths that the object manager lists.
    private func managedObjects() throws -> [String] {
        let reply = try peers.call("org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        var paths: [String] = []
        try reply.readArray("{oa{sa{sv}}}") { () throws(BusError) in
            try reply.readDictionaryEntry("oa{sa{sv}}") { () throws(BusError) in
                paths.append(try reply.readObjectPath())
                try reply.skip()
            }
        }
        return paths
    }
}
