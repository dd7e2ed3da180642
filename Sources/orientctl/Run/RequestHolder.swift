// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// A request held by a process of its own, until the process that started it has ended.
enum RequestHolder {
    /// Starts the holder; returns when the request is held, and throws when it cannot be.
    ///
    /// The caller has no more children, open files and connections then than before.
    static func start(holding request: RotationRequest, on address: BusAddress) throws(CommandError) {
        let report = try calling { () throws(SystemError) in
            // Opened by the process itself, whose number is nobody else's meanwhile.
            let starter = try FileDescriptor.process(getpid())
            let ends = try FileDescriptor.pipe()
            let reading = FileDescriptor(owning: ends.reading)
            do {
                let writing = FileDescriptor(owning: ends.writing)
                try leave { hold(request, on: address, while: starter.rawValue, reportingTo: writing.rawValue) }
            }
            return try reading.readToEnd("what the holder reports")
        }
        try HolderReport.check(report)
    }

    /// Runs `body` in a process that is no child of this one and has no terminal.
    private static func leave(_ body: () -> Never) throws(SystemError) {
        let child = try checkSystem("fork", "", fork())
        if child == 0 {
            setsid()
            if fork() == 0 { body() }
            _exit(0)
        }
        while waitpid(child, nil, 0) == -1 && Errno.current == .interrupted {}
    }

    private static func hold(
        _ request: RotationRequest,
        on address: BusAddress,
        while starter: Int32,
        reportingTo writing: Int32
    ) -> Never {
        let starter = orientd_duplicate(starter, STDERR_FILENO + 1)
        let writing = orientd_duplicate(writing, STDERR_FILENO + 1)
        let report = HolderReport(FileDescriptor(owning: writing))
        do throws(CommandError) {
            try calling { () throws(SystemError) in try closeAll(but: [starter, writing].sorted()) }
            try Holding(request, on: address, report).run(while: starter)
        } catch {
            report.send(error)
        }
        _exit(0)
    }

    /// Closes the caller's files: who waits for the end of them, or of a file system, must not wait for this process.
    private static func closeAll(but kept: [Int32]) throws(SystemError) {
        let null = orientd_open_null()
        for standard in STDIN_FILENO...STDERR_FILENO where dup2(null, standard) == -1 { close(standard) }
        var first = STDERR_FILENO + 1
        for descriptor in kept {
            if descriptor > first { try closeRange(first, descriptor - 1) }
            first = descriptor + 1
        }
        try closeRange(first, .max)
        chdir("/")
    }

    private static func closeRange(_ first: Int32, _ last: Int32) throws(SystemError) {
        try checkSystem("close", "the caller's files", orientd_close_range(UInt32(first), UInt32(last)))
    }
}

/// What becomes of the request, told once to the process that waits for it: a byte, 0 for well, and a message.
private final class HolderReport {
    private var descriptor: FileDescriptor?

    init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Tells that all is well, or the error; nothing when that has been told.
    ///
    /// Says whether somebody has been told.
    @discardableResult
    func send(_ error: CommandError?) -> Bool {
        guard let descriptor else { return false }
        let bytes = [UInt8(error?.exitCode.rawValue ?? 0)] + Array((error?.message ?? "").utf8)
        // Who no longer waits has ended, and so will this process.
        _ = write(descriptor.rawValue, bytes, bytes.count)
        self.descriptor = nil
        return true
    }

    /// Throws what a report tells, if that is an error.
    static func check(_ report: [UInt8]) throws(CommandError) {
        guard let code = report.first else { throw CommandError("the process that holds the request has ended") }
        guard code != 0 else { return }
        let message = String(decoding: report.dropFirst(), as: UTF8.self)
        throw CommandError(message, ExitCode(rawValue: Int32(code)) ?? .failed)
    }
}

/// The work of the holder.
private final class Holding {
    private let request: RotationRequest
    private let report: HolderReport
    private let loop: EventLoop
    private let bus: Bus
    private let client: OrientationClient

    /// The daemon that has come since this began; nil when it has gone, or was there before.
    private var newDaemon: String?

    /// Who answered last.
    private var answerer = ""
    private var isAsking = false

    init(_ request: RotationRequest, on address: BusAddress, _ report: HolderReport) throws(CommandError) {
        self.request = request
        self.report = report
        loop = try calling { () throws(SystemError) in try EventLoop() }
        bus = try Bus(reaching: address)
        client = OrientationClient(bus: bus)
    }

    /// Holds the request until the process that `starter` refers to has ended, or the bus has gone.
    func run(while starter: Int32) throws(CommandError) {
        try calling { () throws(SystemError) in
            try bus.attach(to: loop)
            let watches = (
                try loop.watch(starter) { [self] in loop.exit() },
                try client.onPresenceChange { [self] in presenceChanged($0) },
                try bus.onDisconnect { [self] in fail(CommandError("the bus has gone", .noDaemon)) }
            )
            ask(isInteractive: true)
            _ = try loop.run()
            withExtendedLifetime(watches) {}
        }
    }

    private func ask(isInteractive: Bool) {
        isAsking = true
        do throws(BusError) {
            try client.present(request, isInteractive: isInteractive) { [self] in answered(by: $0, $1) }
        } catch {
            fail(CommandError(error))
        }
    }

    private func answered(by answerer: String, _ error: BusError?) {
        isAsking = false
        self.answerer = answerer
        // A daemon that is restarted may refuse what the one before has granted: the command goes on without.
        if report.send(error.map { CommandError($0) }), error != nil { return loop.exit() }
        followDaemon()
    }

    private func presenceChanged(_ owner: String?) {
        newDaemon = owner
        followDaemon()
    }

    /// Asks a daemon that does not know of the request; nobody is there any more to answer polkit.
    private func followDaemon() {
        // The first call may have started it, and is answered later.
        guard !isAsking, let newDaemon, newDaemon != answerer else { return }
        ask(isInteractive: false)
    }

    private func fail(_ error: CommandError) {
        report.send(error)
        loop.exit()
    }
}
