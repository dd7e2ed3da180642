// SPDX-License-Identifier: Apache-2.0

import PrivateBus
import SystemdBus
import Testing

@Suite struct BusSignalTests {
    private static let interface = "org.example.Signals"
    private static let daemon = "org.freedesktop.DBus"

    private let peers: Peers
    private let stranger: Bus

    init() throws {
        peers = try Peers()
        stranger = try peers.privateBus.connect(peers.loop)
    }

    private func emit(_ text: String?, from bus: Bus, to destination: String? = nil) {
        bus.emit("Told", of: Self.interface, at: Peers.path, to: destination) { if let text { $0.append(text) } }
    }

    // libsystemd calls whoever has subscribed, whoever has sent it.
    @Test func `a signal counts only if the owner of the name sends it, also when that is another one`() throws {
        let listener = try peers.privateBus.connect(peers.loop)
        var received: [String] = []
        let slot = try listener.subscribe("member='Told'", from: .owner(of: Peers.name)) { signal throws(BusError) in
            received.append(try signal.readString())
        }
        emit("forged", from: stranger, to: listener.uniqueName)
        emit("first", from: peers.service)
        try peers.loop.run { !received.isEmpty }
        let next = try peers.privateBus.connect(peers.loop)
        try next.own(Peers.name, replacing: true)
        emit("forged", from: stranger, to: listener.uniqueName)
        emit("former", from: peers.service, to: listener.uniqueName)
        emit("second", from: next)
        try peers.loop.run { received.count > 1 }
        #expect(received == ["first", "second"])
        withExtendedLifetime(slot) {}
    }

    @Test func `a name that nobody owns yet is followed`() throws {
        var received: [String] = []
        let slot = try stranger.subscribe("member='Told'", from: .owner(of: "org.example.Later")) {
            signal throws(BusError) in received.append(try signal.readString())
        }
        emit("early", from: peers.service, to: stranger.uniqueName)
        try peers.loop.runWhatIsDue()
        try peers.service.own("org.example.Later", replacing: false)
        emit("told", from: peers.service)
        try peers.loop.run { !received.isEmpty }
        #expect(received == ["told"])
        withExtendedLifetime(slot) {}
    }

    @Test func `what only the bus daemon may say is ignored from others`() throws {
        var events: [String] = []
        let slots = [
            try peers.service.own("org.example.Owned", replacing: false) { events.append("lost") },
            try peers.service.onOwnerChange(of: "org.example.Other") { events.append($0 ?? "none") },
            try peers.service.onEnd(of: peers.client.uniqueName) { events.append("ended") },
        ]
        func forge(_ member: String, _ values: String...) {
            let path = "/org/freedesktop/DBus"
            stranger.emit(member, of: Self.daemon, at: path, to: peers.service.uniqueName) { signal in
                for value in values { signal.append(value) }
            }
        }
        forge("NameLost", "org.example.Owned")
        forge("NameOwnerChanged", "org.example.Other", "", ":1.99")
        forge("NameOwnerChanged", peers.client.uniqueName, peers.client.uniqueName, "")
        forge("NameOwnerChanged", "org.example.Other")
        try stranger.own("org.example.Other", replacing: false)
        try peers.loop.run { !events.isEmpty }
        #expect(events == [stranger.uniqueName])
        withExtendedLifetime(slots) {}
    }

    @Test func `a malformed signal of the right sender is reported once, and ignored`() throws {
        let listener = try peers.privateBus.connect(peers.loop)
        var (received, reports): ([String], [String]) = ([], [])
        listener.onInvalidSignal = { reports.append($0) }
        let slot = try listener.subscribe("member='Told'", from: .owner(of: Peers.name)) { signal throws(BusError) in
            received.append(try signal.readString())
        }
        for text in [nil, nil, "told"] { emit(text, from: peers.service) }
        try peers.loop.run { !received.isEmpty }
        #expect(reports.count == 1)
        #expect(reports.first?.hasPrefix("invalid Told of \(Peers.name), ignored: the arguments are not") == true)
        withExtendedLifetime(slot) {}
    }

    @Test(arguments: [(0, false), (1000, false), (70_000, true)])
    func `the size of what a call brings is known without reading it`(count: Int, isLarge: Bool) throws {
        let interface = BusInterface(Self.interface)
        var found: [Bool] = []
        interface.method("Take", "sa{sv}au") { message throws(BusError) in
            found.append(message.isLarger(than: 65536))
            // Reading begins at the start.
            #expect(try message.readString() == "text")
            message.reply()
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        for place in 0..<3 {
            _ = try peers.call(Self.interface, "Take") { call in
                call.append("text")
                call.appendArray("{sv}") {
                    let text = String(repeating: "x", count: place == 0 ? count : 1)
                    call.appendNamedVariant("name", .text(text))
                    for _ in 0..<(place == 1 ? count / 8 : 0) { call.appendNamedVariant("name", .flag(true)) }
                }
                call.appendArray("u") { for _ in 0..<(place == 2 ? count / 4 : 0) { call.append(UInt32(1)) } }
            }
        }
        #expect(found == [isLarge, isLarge, isLarge])
        withExtendedLifetime(slot) {}
    }
}
