// SPDX-License-Identifier: Apache-2.0

import POSIX
import PrivateBus
import SystemdBus
import Testing

private let name = "org.example.Interface"

@Suite struct BusInterfaceTests {
    private let peers: Peers

    init() throws {
        peers = try Peers()
    }

    @Test func `a method gets its arguments and its answer gets back`() throws {
        let interface = BusInterface(name)
        interface.method("Swap", "sbudo", returns: "odubs") { message throws(BusError) in
            let (string, bool) = (try message.readString(), try message.readBool())
            let (number, double) = (try message.readUInt32(), try message.readDouble())
            let path = try message.readObjectPath()
            message.reply {
                $0.append(objectPath: path)
                $0.append(double)
                $0.append(number)
                $0.append(bool)
                $0.append(string)
            }
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        let reply = try peers.call(name, "Swap") {
            $0.append("Größe ▲")
            $0.append(true)
            $0.append(UInt32.max)
            $0.append(-0.1)
            $0.append(objectPath: "/a/b")
        }
        #expect(try reply.readObjectPath() == "/a/b")
        #expect(try reply.readDouble() == -0.1)
        #expect(try reply.readUInt32() == .max)
        #expect(try reply.readBool())
        #expect(try reply.readString() == "Größe ▲")
        withExtendedLifetime(slot) {}
    }

    @Test func `containers come as they were sent`() throws {
        let interface = BusInterface(name)
        interface.method("List", returns: "a{sv}(du)as") { message in
            message.reply { reply in
                reply.appendArray("{sv}") {
                    reply.appendDictionaryEntry("sv") {
                        reply.append("unread")
                        reply.appendVariant("as") { reply.appendArray("s") {} }
                    }
                    reply.appendDictionaryEntry("sv") {
                        reply.append("number")
                        reply.appendVariant("u") { reply.append(UInt32(7)) }
                    }
                }
                reply.appendStruct("du") {
                    reply.append(1.5)
                    reply.append(UInt32(2))
                }
                reply.appendArray("s") {}
            }
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        let reply = try peers.call(name, "List")
        var keys: [String] = []
        var number: UInt32 = 0
        #expect(reply.peekVariantContents() == "", "an array is no variant")
        try reply.readArray("{sv}") { () throws(BusError) in
            try reply.readDictionaryEntry("sv") { () throws(BusError) in
                keys.append(try reply.readString())
                guard reply.peekVariantContents() == "u" else { return try reply.skip() }
                number = try reply.readVariant("u") { () throws(BusError) in try reply.readUInt32() }
            }
        }
        #expect(keys == ["unread", "number"])
        #expect(number == 7)
        var pair = (0.0, UInt32(0))
        try reply.readStruct("du") { () throws(BusError) in pair = (try reply.readDouble(), try reply.readUInt32()) }
        #expect(pair == (1.5, 2))
        try reply.readArray("s") { Issue.record("an empty array has no elements") }
        withExtendedLifetime(slot) {}
    }

    @Test func `a thrown error is the answer`() throws {
        let refusal = BusError("org.example.Error.TooLate", "it is past midnight")
        let interface = BusInterface(name)
        interface.method("Refuse") { _ throws(BusError) in throw refusal }
        let slot = try peers.service.export(interface, at: Peers.path)
        #expect(throws: refusal) { _ = try peers.call(name, "Refuse") }
        withExtendedLifetime(slot) {}
    }

    @Test func `a call with other arguments than the signature's never reaches the method`() throws {
        let interface = BusInterface(name)
        interface.method("Take", "u") { message in
            Issue.record("the method was called")
            message.reply()
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        let error = #expect(throws: BusError.self) { _ = try peers.call(name, "Take") { $0.append("text") } }
        #expect(error?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        withExtendedLifetime(slot) {}
    }

    @Test func `an answer may come in a later turn of the loop`() throws {
        var waiting: [BusMessage] = []
        let interface = BusInterface(name)
        let later = try peers.loop.timer {
            for message in waiting { message.reply { $0.append(message.sender) } }
        }
        interface.method("Wait", returns: "s") { message in
            waiting.append(message)
            later.arm(after: 0)
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        #expect(try peers.call(name, "Wait").readString() == peers.client.uniqueName)
        #expect(waiting.count == 1)
        withExtendedLifetime(slot) {}
    }

    @Test func `introspection shows members, signatures, argument names and how each property changes`() throws {
        let interface = BusInterface(name)
        interface.method("Add", "ud", returns: "s", names: "count weight text") { $0.reply() }
        interface.method("Nothing") { $0.reply() }
        interface.property("Constant", "s", .constant) { $0.append("") }
        interface.property("Announced", "b") { $0.append(true) }
        interface.property("Silent", "(ddd)", .silent) { _ in }
        interface.signal("Turned", "su", names: "to degrees")
        let slot = try peers.service.export(interface, at: Peers.path)
        let text = try peers.call("org.freedesktop.DBus.Introspectable", "Introspect").readString()
        let start = try #require(text.firstRange(of: "<interface name=\"\(name)\">")).lowerBound
        let end = try #require(text[start...].firstRange(of: "</interface>")).upperBound
        #expect(
            text[start..<end].split(separator: "\n").map { $0.drop { $0 == " " } } == [
                "<interface name=\"org.example.Interface\">",
                "<method name=\"Add\">",
                "<arg type=\"u\" name=\"count\" direction=\"in\"/>",
                "<arg type=\"d\" name=\"weight\" direction=\"in\"/>",
                "<arg type=\"s\" name=\"text\" direction=\"out\"/>",
                "</method>",
                "<method name=\"Nothing\">",
                "</method>",
                "<property name=\"Constant\" type=\"s\" access=\"read\">",
                "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"const\"/>",
                "</property>",
                "<property name=\"Announced\" type=\"b\" access=\"read\">",
                "</property>",
                "<property name=\"Silent\" type=\"(ddd)\" access=\"read\">",
                "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"false\"/>",
                "</property>",
                "<signal name=\"Turned\">",
                "<arg type=\"s\" name=\"to\"/>",
                "<arg type=\"u\" name=\"degrees\"/>",
                "</signal>",
                "</interface>",
            ]
        )
        withExtendedLifetime(slot) {}
    }

    @Test func `a property is read through its getter each time, and cannot be set`() throws {
        var reads: UInt32 = 0
        let interface = BusInterface(name)
        interface.property("Reads", "u", .silent) {
            reads += 1
            $0.append(reads)
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        for expected in UInt32(1)...3 {
            #expect(try peers.property("Reads", of: name).readAnyVariant() == .number(expected))
        }
        let error = #expect(throws: BusError.self) {
            _ = try peers.call("org.freedesktop.DBus.Properties", "Set") { message in
                message.append(name)
                message.append("Reads")
                message.appendVariant("u") { message.append(UInt32(9)) }
            }
        }
        #expect(error?.name == "org.freedesktop.DBus.Error.PropertyReadOnly")
        withExtendedLifetime(slot) {}
    }

    @Test func `a getter that gives another type than promised is an error, not silence`() throws {
        let interface = BusInterface(name)
        interface.property("Broken", "u") { $0.append("text") }
        let slot = try peers.service.export(interface, at: Peers.path)
        #expect(throws: BusError.self) { _ = try peers.property("Broken", of: name) }
        withExtendedLifetime(slot) {}
    }

    @Test func `an announcement carries the named properties and no others`() throws {
        let interface = BusInterface(name)
        interface.property("First", "u") { $0.append(UInt32(1)) }
        interface.property("Second", "u") { $0.append(UInt32(2)) }
        interface.property("Third", "u") { $0.append(UInt32(3)) }
        let slot = try peers.service.export(interface, at: Peers.path)

        let listener = try peers.privateBus.connect(peers.loop)
        let sender = SignalSender.owner(of: Peers.name)
        var announced: [[String]] = []
        let subscription = try listener.subscribe("member='PropertiesChanged'", from: sender) {
            message throws(BusError) in
            #expect(try message.readString() == name)
            var properties: [String] = []
            try message.readNamedVariants { property throws(BusError) in
                properties.append("\(property)=\(try message.readAnyVariant().text)")
            }
            try message.readArray("s") { Issue.record("a property was invalidated") }
            announced.append(properties)
        }
        peers.service.announce([], of: name, at: Peers.path)
        peers.service.announce(["Third", "First"], of: name, at: Peers.path)
        peers.service.announce(["Second"], of: name, at: Peers.path)
        try peers.loop.run { announced.count >= 2 }
        #expect(announced.map { $0.sorted() } == [["First=1", "Third=3"], ["Second=2"]])
        withExtendedLifetime((slot, subscription)) {}
    }

    @Test func `signals and announcements arrive as they were sent, and in that order`() throws {
        let interface = BusInterface(name)
        interface.property("Side", "s") { $0.append("left") }
        interface.signal("Turned", "su", names: "to degrees")
        let slot = try peers.service.export(interface, at: Peers.path)

        let listener = try peers.privateBus.connect(peers.loop)
        let sender = SignalSender.owner(of: Peers.name)
        var received: [String] = []
        let slots = [
            try listener.subscribe("path='\(Peers.path)',interface='\(name)',member='Turned'", from: sender) {
                signal throws(BusError) in
                received.append("turned \(try signal.readString()) by \(try signal.readUInt32())")
            },
            try listener.subscribe("path='\(Peers.path)',member='PropertiesChanged'", from: sender) { _ in
                received.append("changed")
            },
        ]
        for degrees in [UInt32(90), 180] {
            peers.service.emit("Turned", of: name, at: Peers.path) {
                $0.append("left")
                $0.append(degrees)
            }
            peers.service.announce(["Side"], of: name, at: Peers.path)
        }
        try peers.loop.run { received.count >= 4 }
        try peers.loop.runWhatIsDue()
        #expect(received == ["turned left by 90", "changed", "turned left by 180", "changed"])
        withExtendedLifetime((slot, slots)) {}
    }

    @Test func `the object is gone with its slot, and with it what its members hold`() throws {
        weak var method: Token?
        weak var getter: Token?
        var slot: BusSlot?
        do {
            let (first, second) = (Token(), Token())
            (method, getter) = (first, second)
            let interface = BusInterface(name)
            interface.method("Call") { message in
                withExtendedLifetime(first) {}
                message.reply()
            }
            interface.property("Value", "s") { reply in
                withExtendedLifetime(second) {}
                reply.append("")
            }
            slot = try peers.service.export(interface, at: Peers.path)
        }
        _ = try peers.call(name, "Call")
        #expect(method != nil && getter != nil)
        slot = nil
        #expect(slot == nil && method == nil && getter == nil)
        let error = #expect(throws: BusError.self) { _ = try peers.call(name, "Call") }
        #expect(error?.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func `an object may go in its own method, whose members live until that has returned`() throws {
        weak var getter: Token?
        var slot: BusSlot?
        do {
            let token = Token()
            getter = token
            let interface = BusInterface(name)
            interface.method("Release") { message in
                slot = nil
                #expect(getter != nil)
                message.reply()
            }
            interface.property("Value", "s") { reply in
                withExtendedLifetime(token) {}
                reply.append("")
            }
            slot = try peers.service.export(interface, at: Peers.path)
        }
        _ = try peers.call(name, "Release")
        #expect(slot == nil && getter == nil)
        let error = #expect(throws: BusError.self) { _ = try peers.call(name, "Release") }
        #expect(error?.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func `the same interface cannot be exported twice at one path`() throws {
        func interface() -> BusInterface {
            let interface = BusInterface(name)
            interface.method("Call") { $0.reply() }
            return interface
        }
        let slot = try peers.service.export(interface(), at: Peers.path)
        let error = #expect(throws: SystemError.self) {
            _ = try peers.service.export(interface(), at: Peers.path)
        }
        #expect(error?.operation == "export \(name) at")
        #expect(error?.subject == Peers.path)
        withExtendedLifetime(slot) {}
    }
}

// MARK: - Messages

@Suite struct BusMessageTests {
    private let privateBus: PrivateBus
    private let bus: Bus

    init() throws {
        privateBus = try PrivateBus()
        bus = try privateBus.connect()
    }

    /// A message that holds one string.
    private func message() throws -> BusMessage {
        try bus.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    }

    static let mistakes: [(String, @Sendable (BusMessage) throws(BusError) -> Void)] = [
        ("a path", { message throws(BusError) in _ = try message.readObjectPath() }),
        ("a Boolean", { message throws(BusError) in _ = try message.readBool() }),
        ("a number", { message throws(BusError) in _ = try message.readUInt32() }),
        ("a double", { message throws(BusError) in _ = try message.readDouble() }),
        ("a file descriptor", { message throws(BusError) in _ = try message.readFileDescriptor() }),
        ("an array", { message throws(BusError) in try message.readArray("s") {} }),
        ("a structure", { message throws(BusError) in try message.readStruct("s") {} }),
        ("an entry", { message throws(BusError) in try message.readDictionaryEntry("sv") {} }),
        ("a variant", { message throws(BusError) in try message.readVariant("s") {} }),
    ]

    @Test(arguments: mistakes.indices)
    func `reading another type than is there is InvalidArgs, and reads nothing`(index: Int) throws {
        let message = try message()
        let (_, read) = Self.mistakes[index]
        let error = #expect(throws: BusError.self) { try read(message) }
        #expect(error?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(try message.readString().utf8.count == 32)
    }

    @Test func `reading past the end is InvalidArgs`() throws {
        let message = try message()
        _ = try message.readString()
        let error = #expect(throws: BusError.self) { _ = try message.readString() }
        #expect(error?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(throws: BusError.self) { try message.skip() }
        #expect(message.peekVariantContents() == "")
    }

    @Test func `an array left half read is InvalidArgs`() throws {
        let message = try bus.call(
            "org.freedesktop.DBus",
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "ListNames"
        )
        let error = #expect(throws: BusError.self) {
            try message.readArray("s") { () throws(BusError) in throw .invalidArguments("enough") }
        }
        #expect(error == .invalidArguments("enough"))
        #expect(throws: BusError.self) { try message.readStruct("s") {} }
    }

    @Test func `an answer that is no error carries none`() throws {
        let message = try message()
        #expect(message.error == nil)
        #expect(message.sender == "org.freedesktop.DBus")
        #expect(!message.allowsInteractiveAuthorization)
    }

    static let missing: [(String, Bool)] = [
        ("org.freedesktop.DBus.Error.ServiceUnknown", true), ("org.freedesktop.DBus.Error.NameHasNoOwner", true),
        ("org.freedesktop.systemd1.NoSuchUnit", true), ("org.freedesktop.systemd1.UnitMasked", true),
        ("org.freedesktop.DBus.Error.NoReply", false), ("org.freedesktop.DBus.Error.AccessDenied", false), ("", false),
    ]

    @Test(arguments: missing)
    func `only some errors mean that nobody is there`(name: String, isMissing: Bool) {
        #expect(BusError(name, "").isServiceMissing == isMissing)
    }

    @Test func `an error reads as its message and its name`() {
        #expect("\(BusError("org.example.No", "not now"))" == "not now (org.example.No)")
        #expect("\(BusError("org.example.No", ""))" == "org.example.No")
        #expect(BusError.accessDenied("no").name == "org.freedesktop.DBus.Error.AccessDenied")
    }
}
