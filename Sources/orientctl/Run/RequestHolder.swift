// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// A process that holds a request until the process that started it has ended.
enum RequestHolder {
    /// The numbers of the holder's files after the standard ones.
    private static let numbers = (starter: STDERR_FILENO + 1, report: STDERR_FILENO + 2, end: STDERR_FILENO + 3)

    /// Starts the holder; returns when the request is held, and throws when it cannot be.
    ///
    /// Leaves the caller no children, open files or connections.
    static func start(holding request: RotationRequest, on address: BusAddress) throws(CommandError) {
        // Opened by this process itself, so that its number cannot have been reused.
        let starter = try systemCall(FileDescriptor.process(getpid()))
        let ends = try systemCall(FileDescriptor.pipe())
        let reading = FileDescriptor(owning: ends.reading)
        do throws(SystemError) {
            let writing = FileDescriptor(owning: ends.writing)
            try detach {
                var reporting: FileDescriptor? = FileDescriptor(owning: numbers.report)
                // Reports success or an error to the caller, once: exit status and remedy in bytes, and a message.
                let report = { (error: CommandError?) in
                    let remedy = error.flatMap { remedies.firstIndex(of: $0.remedy) } ?? 0
                    let numbers = [UInt8(error?.exitCode.rawValue ?? 0), UInt8(remedy)]
                    let bytes = numbers + Array((error?.message ?? "").utf8)
                    // If the reader has ended, so will this process.
                    if let reporting { _ = write(reporting.rawValue, bytes, bytes.count) }
                    reporting = nil
                }
                do throws(CommandError) {
                    try systemCall(keepOnly(starter.rawValue, writing.rawValue))
                    try hold(request, on: address, report)
                } catch {
                    report(error)
                }
            }
        } catch {
            throw CommandError(error)
        }
        let report = try systemCall(reading.readToEnd("the holder's report", limit: 65536))
        guard let code = report.first else { throw CommandError("the process that holds the request has ended") }
        guard code != 0 else { return }
        let message = String(decoding: report.dropFirst(2), as: UTF8.self)
        throw CommandError(message, ExitCode(rawValue: Int32(code)) ?? .failed, remedy: remedies[Int(report[1])])
    }

    /// The remedies of errors of the bus.
    private static let remedies: [Remedy] = [.none, .doctor, .showSession, .providePolkit]

    /// Runs `body` in a process that is not a child of this one and has no terminal.
    private static func detach(_ body: () -> Void) throws(SystemError) {
        let child = try checkSystem("fork", "", fork())
        if child == 0 {
            setsid()
            if fork() == 0 { body() }
            _exit(0)
        }
        _ = retryingInterrupted { waitpid(child, nil, 0) }
    }

    /// Holds a request until the process that started this one has ended, or the bus has gone.
    private static func hold(
        _ request: RotationRequest,
        on address: BusAddress,
        _ report: @escaping (CommandError?) -> Void
    ) throws(CommandError) {
        let loop = try systemCall(EventLoop())
        func end(_ error: CommandError) {
            report(error)
            loop.exit()
        }
        let watch = try systemCall(loop.watch(numbers.starter) { loop.exit() })
        let daemon = DaemonConnection(bus: try systemCall(Bus(address), .noDaemon))
        daemon.onState = { _ in
            switch daemon.state {
            case .absent(let error?): end(CommandError(error))
            case .disconnected: end(.disconnected)
            case .absent(nil), .starting, .failed, .running: break
            }
        }
        // The command goes on without a request if a restarted daemon refuses what its predecessor granted.
        let held = daemon.hold(request, isInteractive: true) { error in
            guard let error else { return report(nil) }
            // The message begins with the field of the request.
            let isUnshown = error.name == Names.errorPrefix + "InvalidInterfaceOrientation"
            end(isUnshown ? CommandError("--\(error.message)", .refused) : CommandError(error))
        }
        try systemCall(daemon.begin(on: loop))
        _ = try systemCall(loop.run(keeping: watch, held))
    }

    /// Closes the caller's files but these two, which get ``numbers``: no pipe and no file system is kept busy.
    private static func keepOnly(_ starter: Int32, _ writing: Int32) throws(SystemError) {
        let (starter, writing) = (orientd_duplicate(starter, numbers.end), orientd_duplicate(writing, numbers.end))
        let null = orientd_open_null()
        for standard in STDIN_FILENO...STDERR_FILENO where dup2(null, standard) == -1 { close(standard) }
        dup2(starter, numbers.starter)
        dup2(writing, numbers.report)
        try checkSystem("close", "the caller's files", orientd_close_range(UInt32(numbers.end), .max))
        chdir("/")
    }
}
