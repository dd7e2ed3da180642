// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import Synchronization
import SystemdBus

@testable import OrientationBus

/// What the daemons of a test were asked, and how they answer; the lines outlast a daemon.
final class Script: Sendable {
    private let calls = Mutex<[String]>([])
    private let refusals = Mutex<[String: BusError]>([:])

    /// The calls so far, such as `Request org.example.Player landscape`.
    var lines: [String] { calls.withLock { $0 } }

    func add(_ line: String) { calls.withLock { $0.append(line) } }

    /// Makes the calls fail whose lines begin so, such as those of a method; nil lets them succeed again.
    func refuse(_ call: String, with error: BusError?) { refusals.withLock { $0[call] = error } }

    func check(_ line: String) throws(BusError) {
        if let error = refusals.withLock({ $0.first { line.hasPrefix($0.key) }?.value }) { throw error }
    }
}

/// A daemon on a thread of its own, which only answers and logs.
final class FakeDaemon: Sendable {
    private let mailbox: Mailbox<@Sendable (Worker) -> Void>
    private let thread: Mutex<pthread_t>
    private let address: BusAddress

    /// Returns when it owns the name.
    init(_ address: String, _ script: Script) throws(SystemError) {
        let mailbox = try Mailbox<@Sendable (Worker) -> Void>()
        let worker = try Worker(.address(address), script, mailbox)
        self.mailbox = mailbox
        self.address = .address(address)
        thread = Mutex(try startThread("start the fake daemon") { withExtendedLifetime(worker) { $0.run() } })
    }

    /// Publishes how the device is held.
    func turn(_ orientation: DeviceOrientation) {
        mailbox.send { worker in
            worker.change { status in
                status.deviceOrientation = orientation
                if let upright = InterfaceOrientation(following: orientation) { status.interfaceOrientation = upright }
            }
        }
    }

    /// Publishes the number of claims, which is no news for clients.
    func countClaims(_ count: UInt32) { mailbox.send { $0.change { $0.claims = count } } }

    /// Replies to the calls that were met with silence.
    func breakSilence() { mailbox.send { $0.breakSilence() } }

    /// Leaves the bus; returns when the name is free.
    func stop() {
        mailbox.send { $0.stop() }
        thread.withLock { _ = pthread_join($0, nil) }
        // The bus daemon may read a new connection before the end of the old one.
        while let bus = try? Bus(address), bus.owner(of: Names.service) != nil { usleep(1000) }
    }
}

/// What the thread runs.
final class Worker {
    private let loop: EventLoop
    private let bus: Bus
    private let script: Script
    private let properties: PublishedProperties<ManagerSnapshot>
    private var slots: [BusSlot] = []
    private var watch: EventSource?
    private var lastRequest: RotationRequest.ID = 0
    private var unanswered: [() -> Void] = []

    init(
        _ address: BusAddress,
        _ script: Script,
        _ mailbox: Mailbox<@Sendable (Worker) -> Void>
    ) throws(SystemError) {
        loop = try EventLoop()
        bus = try Bus(address)
        self.script = script
        let manager = BusInterface(Names.manager)
        properties = PublishedProperties(
            ManagerSnapshot(),
            ManagerSnapshot.properties,
            of: manager,
            at: Names.path,
            on: bus
        )
        watch = try loop.watch(mailbox, owned(by: self) { worker, job in job(worker) })
        try bus.attach(to: loop)
        for member in ["Claim", "Release", "AlignToDevice"] as [StaticString] {
            manager.method(member) { [unowned self] message throws(BusError) in try answer("\(member)", message) }
        }
        for member in ["SetRotationLock", "Rotate"] as [StaticString] {
            manager.method(member, "s") { [unowned self] message throws(BusError) in
                try answer("\(member)", message, try message.readString())
            }
        }
        manager.method("Request", "sua{sv}", returns: "o") { [unowned self] message throws(BusError) in
            try add(message)
        }
        slots = [try bus.export(manager, at: Names.path)]
        try bus.own(Names.service, replacing: false)
    }

    func run() { _ = try? loop.run() }

    func stop() { loop.exit() }

    func breakSilence() {
        for answer in unanswered { answer() }
        unanswered = []
    }

    func change(_ body: (inout ManagerStatus) -> Void) {
        var snapshot = properties.status
        body(&snapshot.status)
        properties.publish(snapshot)
    }

    /// Logs a call and replies; a method that is refused with `silence` never does.
    private func answer(
        _ member: String,
        _ message: BusMessage,
        _ arguments: String = "",
        _ reply: @escaping (BusMessage) -> Void = { _ in }
    ) throws(BusError) {
        let isInteractive = message.allowsInteractiveAuthorization ? "interactive" : ""
        let line = [member, arguments, isInteractive].filter { !$0.isEmpty }.joined(separator: " ")
        script.add(line)
        do throws(BusError) {
            try script.check(line)
        } catch {
            guard error == .silence else { throw error }
            return unanswered.append { message.reply(reply) }
        }
        message.reply(reply)
    }

    private func add(_ message: BusMessage) throws(BusError) {
        var request = try RequestOptions.read(from: message)
        try answer("Request", message, request.line) { [unowned self] reply in
            lastRequest += 1
            let name = "\(lastRequest)"
            let interface = BusInterface(Names.request)
            interface.method("Update", "a{sv}") { [unowned self] message throws(BusError) in
                try RequestOptions.readChanges(of: &request, from: message)
                try answer("Update", message, "\(name) \(request.line)")
            }
            interface.method("SetNeedsUpdate") { [unowned self] message throws(BusError) in
                try answer("SetNeedsUpdate", message, name)
            }
            interface.method("Release") { [unowned self] message throws(BusError) in
                try answer("Release", message, name)
            }
            if let slot = try? bus.export(interface, at: Names.requestPath + name) { slots.append(slot) }
            reply.append(objectPath: Names.requestPath + name)
        }
    }
}

extension BusError {
    /// Stands for no reply at all.
    static let silence = BusError("silence", "")
}

extension RotationRequest {
    fileprivate var line: String {
        var words = [appID, "\(supported)"]
        if let preferred { words.append("starts-in-\(preferred)") }
        if !shouldAutorotate { words.append("fixed") }
        if !isActive { words.append("inactive") }
        if let parent { words.append("\(presentation)-in-\(parent)") }
        if let forwardsTo { words.append("forwards-to-\(forwardsTo)") }
        if !reason.isEmpty { words.append("'\(reason)'") }
        return words.joined(separator: " ")
    }
}
