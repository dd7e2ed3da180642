// SPDX-License-Identifier: Apache-2.0

import PrivateBus
import SystemdBus
import Testing

@testable import OrientationBus

@Suite struct HoldingsTests {
    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let bus: Bus

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        bus = try privateBus.connect(loop)
    }

    @Test(arguments: ["claims", "application masks"])
    func `a connection may hold 64, with what polkit has not decided on`(kind: String) throws {
        let holdings = Holdings(of: kind, bus: bus)
        let peer = try privateBus.connect()
        try holdings.take(peer.uniqueName)
        for _ in 0..<63 { try holdings.reserve(peer.uniqueName) }
        let error = #expect(throws: BusError.self) { try holdings.reserve(peer.uniqueName) }
        #expect(error?.name == "org.orientd1.Error.LimitExceeded")
        #expect(error?.message == "this connection holds 64 \(kind), the most it may")
        #expect(try !holdings.settle(peer.uniqueName, isAllowed: false))
        try holdings.reserve(peer.uniqueName)
        #expect(holdings.total == 1)
    }

    @Test(arguments: ["claims", "application masks"])
    func `all together may hold 1024`(kind: String) throws {
        let holdings = Holdings(of: kind, bus: bus)
        let peers = try (0..<17).map { _ in try privateBus.connect() }
        for peer in peers.dropLast() {
            for _ in 0..<64 { try holdings.take(peer.uniqueName) }
        }
        #expect(holdings.total == 1024)
        let last = try #require(peers.last).uniqueName
        let error = #expect(throws: BusError.self) { try holdings.reserve(last) }
        #expect(error?.name == "org.orientd1.Error.LimitExceeded")
        #expect(error?.message == "all 1024 \(kind) are taken")
        holdings.removeHeld(by: last)
        #expect(holdings.total == 1024)
        holdings.removeHeld(by: peers[0].uniqueName)
        try holdings.reserve(last)
        #expect(throws: BusError.self) { try holdings.reserve(last) }
        #expect(try holdings.settle(last, isAllowed: true))
        #expect(holdings.total == 1024)
    }

    @Test func `the latest is taken back before polkit has decided on it, and then one that is held`() throws {
        var totals: [Int] = []
        let holdings = Holdings(of: "claims", bus: bus, onChange: { totals.append($0.total) })
        let peer = try privateBus.connect()
        try holdings.take(peer.uniqueName)
        try holdings.reserve(peer.uniqueName)
        holdings.removeLatest(of: peer.uniqueName)
        #expect(try !holdings.settle(peer.uniqueName, isAllowed: true))
        #expect(totals == [1])
        holdings.removeLatest(of: peer.uniqueName)
        holdings.removeLatest(of: peer.uniqueName)
        #expect(totals == [1, 0])
    }

    @Test func `one that is held is taken back, whatever polkit has to decide on`() throws {
        var totals: [Int] = []
        let holdings = Holdings(of: "requests", bus: bus, onChange: { totals.append($0.total) })
        let peer = try privateBus.connect()
        try holdings.reserve(peer.uniqueName)
        holdings.removeHeld(by: peer.uniqueName)
        #expect(try holdings.settle(peer.uniqueName, isAllowed: true))
        try holdings.reserve(peer.uniqueName)
        holdings.removeHeld(by: peer.uniqueName)
        #expect(try holdings.settle(peer.uniqueName, isAllowed: true))
        #expect(totals == [1, 0, 1])
    }

    @Test func `a connection that ends is told of once, when nothing of it is counted any more`() throws {
        var events: [String] = []
        var holdings: Holdings?
        holdings = Holdings(
            of: "requests",
            bus: bus,
            onChange: { events.append("\($0.total)") },
            onDrop: { connection in
                events.append("without \(connection) \(holdings?.total ?? -1)")
                // What the connection held may be taken back one by one now, and is not counted twice.
                holdings?.removeHeld(by: connection)
            }
        )
        let kept = try privateBus.connect()
        var ending: Bus? = try privateBus.connect()
        var bystander: Bus? = try privateBus.connect()
        let name = try #require(ending).uniqueName
        let other = try #require(bystander).uniqueName
        try holdings?.take(kept.uniqueName)
        for _ in 0..<2 { try holdings?.take(name) }
        try holdings?.take(other)
        holdings?.removeHeld(by: other)
        try holdings?.reserve(name)
        #expect(events == ["1", "2", "3", "4", "3"])
        events = []

        bystander = nil
        ending = nil
        try loop.run { events.contains("1") }
        try loop.runWhatIsDue()
        #expect(events == ["without \(name) 1", "1"])
        let error = #expect(throws: BusError.self) { try holdings?.settle(name, isAllowed: true) }
        #expect(error?.name == "org.freedesktop.DBus.Error.Disconnected")
        #expect(holdings?.total == 1)
        #expect(ending == nil && bystander == nil)
        holdings = nil
    }

    @Test func `connections are listed in the order of their first item, as long as they hold one`() throws {
        var lists: [[String]] = []
        let holdings = Holdings(of: "claims", bus: bus, onChange: { lists.append($0.connections) })
        let kept = try privateBus.connect()
        let first = kept.uniqueName
        var second: Bus? = try privateBus.connect()
        let other = try #require(second).uniqueName
        try holdings.take(first)
        try holdings.take(other)
        try holdings.take(first)
        #expect(holdings.connections == [first, other])
        holdings.removeHeld(by: first)
        holdings.removeHeld(by: first)
        #expect(holdings.connections == [other])
        try holdings.take(first)
        second = nil
        try loop.run { lists.last == [first] }
        let both = [first, other]
        #expect(lists == [[first], both, both, both, [other], [other, first], [first]])
        #expect(second == nil)
    }

    @Test func `nothing is counted for a connection that has gone before polkit has decided`() throws {
        let holdings = Holdings(of: "claims", bus: bus, onChange: { _ in Issue.record("counted") })
        try holdings.reserve(":1.99999")
        let error = #expect(throws: BusError.self) { try holdings.settle(":1.99999", isAllowed: true) }
        #expect(error?.name == "org.freedesktop.DBus.Error.Disconnected")
        #expect(holdings.total == 0)
    }
}

extension Holdings {
    /// Holds one more, which is allowed at once.
    fileprivate func take(_ connection: String) throws {
        try reserve(connection)
        #expect(try settle(connection, isAllowed: true))
    }
}
