// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import OrientationCore
import POSIX
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationDaemon

@Suite struct TabletSwitchLinkTests {
    private let loop: EventLoop
    private let service: ListeningService
    private let link: TabletSwitchLink

    init() throws {
        loop = try EventLoop()
        service = try ListeningService()
        link = try TabletSwitchLink(path: service.path, loop: loop, log: Log("orientd", isVerbose: false))
    }

    /// A link that waits for a confirmation for so many seconds, and soon connects again.
    private func makeLink(timeout: Double = 15, trial: Double = 60) throws -> TabletSwitchLink {
        let times = TabletSwitchLink.Times(timeout: timeout, firstDelay: 0.001, lastDelay: 0.064, trial: trial)
        let log = Log("orientd", isVerbose: false)
        return try TabletSwitchLink(path: service.path, times: times, loop: loop, log: log)
    }

    /// Runs the loop until the link has connected, and returns that connection.
    private func nextConnection() throws -> Connection {
        var connection: Connection?
        try loop.run {
            connection = service.accept()
            return connection != nil
        }
        return try #require(connection)
    }

    @Test func `it connects for a mode, writes each change and closes for unknown`() throws {
        link.apply(.unknown)
        #expect(service.accept() == nil, "no mode, no connection")
        link.apply(.laptop)
        let connection = try #require(service.accept())
        for mode in [.laptop, .tablet, .tablet, .laptop] as [TabletMode] { link.apply(mode) }
        #expect(connection.read() == "010")
        link.apply(.unknown)
        #expect(connection.hasEnded)
        link.apply(.tablet)
        #expect(try #require(service.accept()).read() == "1")
    }

    @Test func `a service that ends gets the mode anew`() throws {
        link.apply(.laptop)
        var connection = service.accept()
        connection?.write("0")
        link.apply(.tablet)
        connection = nil
        #expect(try nextConnection().read() == "1")
    }

    // A service that hung left the switch as it was, without a word.
    @Test func `a service that does not confirm the mode is left, and connected to again`() throws {
        let link = try makeLink(timeout: 0.01)
        link.apply(.tablet)
        let hanging = try #require(service.accept())
        #expect(hanging.read() == "1")
        let next = try nextConnection()
        #expect(hanging.hasEnded && next.read() == "1")
        withExtendedLifetime(link) {}
    }

    @Test func `the confirmation of an earlier mode is not enough`() throws {
        let link = try makeLink(timeout: 0.01)
        link.apply(.tablet)
        link.apply(.laptop)
        let hanging = try #require(service.accept())
        hanging.write("1")
        let next = try nextConnection()
        #expect(next.read() == "0")
        withExtendedLifetime(link) {}
    }

    // "Confirms and closes" was a connection each second for ever.
    @Test func `a service that confirms and ends is connected to ever more rarely`() throws {
        let link = try makeLink()
        link.apply(.tablet)
        for attempt in 1...8 {
            var connection: Connection? = try nextConnection()
            connection?.write("1")
            connection = nil
            try loop.run { link.delay >= min(0.001 * Double(1 << attempt), 0.064) }
        }
    }

    @Test func `a confirmed state that holds for a while makes the next attempt early`() throws {
        let link = try makeLink(trial: 0.05)
        link.apply(.tablet)
        for _ in 1...3 { _ = try nextConnection() }
        #expect(link.delay > 0.001)
        let connection = try nextConnection()
        connection.write("1")
        try loop.run { link.delay == 0.001 }
        #expect(!connection.hasEnded)
        withExtendedLifetime(connection) {}
    }

    // A flood cost a core for ever, without a line.
    @Test(arguments: [("0", 1), ("x", 1), ("1", 2), ("1", 60_000)])
    func `a service that sends more than its confirmations is let go, with back-off`(
        byte: String,
        count: Int
    ) throws {
        let link = try makeLink()
        link.apply(.tablet)
        for attempt in 1...3 {
            let connection = try nextConnection()
            connection.write(String(repeating: byte, count: count))
            try loop.run { link.delay >= 0.001 * Double(1 << attempt) }
            #expect(connection.read() == "1" && connection.hasEnded)
        }
        // A service that behaves is used again.
        let connection = try nextConnection()
        connection.write("1")
        link.apply(.laptop)
        #expect(connection.read() == "10")
        withExtendedLifetime(connection) {}
    }

    @Test func `a mode that changes while nobody listens is written later`() throws {
        service.stop()
        link.apply(.tablet)
        link.apply(.laptop)
        service.listen()
        #expect(try nextConnection().read() == "0")
    }

    @Test func `unknown ends the attempts`() throws {
        service.stop()
        link.apply(.tablet)
        link.apply(.unknown)
        service.listen()
        var isOver = false
        // After the next attempt would be.
        let timer = try loop.timer { isOver = true }
        timer.arm(after: 1.5)
        try loop.run { isOver }
        #expect(service.accept() == nil)
    }
}

/// A Unix socket in a folder of its own.
private final class ListeningService {
    let path: String
    private let folder: String
    private var descriptor: FileDescriptor?

    init() throws(SystemError) {
        var template = Array("/tmp/orientd-link.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("create a folder", errno: .current) }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/socket"
        listen()
    }

    deinit {
        unlink(path)
        rmdir(folder)
    }

    func stop() {
        descriptor = nil
        unlink(path)
    }

    func listen() {
        let socket = FileDescriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(socket.rawValue, $0, size) }
        }
        Glibc.listen(socket.rawValue, 4)
        descriptor = socket
    }

    /// A connection that waits; nil if there is none.
    func accept() -> Connection? {
        guard let listener = descriptor?.rawValue else { return nil }
        let accepted = Glibc.accept(listener, nil, nil)
        return accepted < 0 ? nil : Connection(descriptor: FileDescriptor(owning: accepted))
    }
}

private struct Connection {
    let descriptor: FileDescriptor

    /// What has arrived.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func write(_ text: String) { _ = Glibc.write(descriptor.rawValue, text, text.utf8.count) }

    var hasEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor.rawValue, &byte, 1, Int32(MSG_DONTWAIT))
        // The other end has left bytes unread.
        return count == 0 || count < 0 && errno == ECONNRESET
    }
}
