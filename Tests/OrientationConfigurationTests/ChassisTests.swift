// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationConfiguration

@Suite struct ChassisTests {
    private static let service = "org.freedesktop.hostname1"

    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let bus: Bus

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        bus = try privateBus.connect(loop)
    }

    private func ask(_ completion: @escaping (Result<Idiom?, BusError>) -> Void) {
        Chassis.ask(over: bus) { idiom, error in completion(error.map { .failure($0) } ?? .success(idiom)) }
    }

    /// Asks, and waits for the answer.
    private func ask() throws -> Result<Idiom?, BusError> {
        var answers: [Result<Idiom?, BusError>] = []
        ask { answers.append($0) }
        #expect(answers.isEmpty)
        try loop.run { !answers.isEmpty }
        try loop.runWhatIsDue()
        return try #require(answers.count == 1 ? answers.first : nil)
    }

    /// Asks a hostnamed with one property.
    private func ask(
        _ property: StaticString,
        _ type: StaticString = "s",
        _ getter: @escaping (BusMessage) -> Void
    ) throws -> Result<Idiom?, BusError> {
        let hostnamed = try privateBus.connect(loop)
        let interface = BusInterface(Self.service)
        interface.property(property, type, .announced, getter)
        let slot = try hostnamed.export(interface, at: "/org/freedesktop/hostname1")
        try hostnamed.own(Self.service, replacing: false)
        defer { withExtendedLifetime(slot) {} }
        return try ask()
    }

    static let names: [(String, Idiom?)] = [
        ("handset", .handset), ("tablet", .tablet), ("convertible", .convertible), ("laptop", .laptop),
        ("desktop", nil), ("server", nil), ("vm", nil), ("", nil), ("Tablet", nil),
    ]

    @Test(arguments: names)
    func `what hostnamed calls the chassis is the idiom, if there is one of that name`(
        chassis: String,
        idiom: Idiom?
    ) throws {
        #expect(try ask("Chassis") { $0.append(chassis) } == .success(idiom))
    }

    @Test func `without hostnamed there is no idiom, and no failure`() throws {
        #expect(try ask() == .success(nil))
    }

    @Test func `an answer that is no text is a failure`() throws {
        let answer = try ask("Chassis", "u") { $0.append(UInt32(30)) }
        #expect(answer == .failure(.invalidArguments("the value is of type u, not s")))
    }

    @Test func `a hostnamed that knows of no chassis is a failure`() throws {
        let answer = try ask("Hostname") { $0.append("tablet") }
        #expect(throws: BusError.self) { try answer.get() }
        if case .failure(let error) = answer { #expect(!error.isServiceMissing) }
    }

    @Test func `a hostnamed that goes without an answer is a failure`() throws {
        // In no loop, it never answers.
        var hostnamed: Bus? = try privateBus.connect()
        try hostnamed?.own(Self.service, replacing: false)
        var answer: Result<Idiom?, BusError>?
        ask { answer = $0 }
        // Once the bus daemon answers a later call, it has passed the question on.
        #expect(try bus.hasOwner(of: Self.service))
        #expect(answer == nil && hostnamed != nil)
        hostnamed = nil
        try loop.run { answer != nil }
        let error = #expect(throws: BusError.self) { try answer?.get() }
        #expect(error?.name == "org.freedesktop.DBus.Error.NoReply")
    }

    @Test func `with the connection closed the failure comes at once`() throws {
        var isClosed = false
        let slot = try bus.onDisconnect { isClosed = true }
        privateBus.end()
        try loop.run { isClosed }
        var answer: Result<Idiom?, BusError>?
        ask { answer = $0 }
        let error = #expect(throws: BusError.self) { try answer?.get() }
        #expect(error?.message.hasPrefix("cannot call \(Self.service): ") == true)
        withExtendedLifetime(slot) {}
    }
}
