// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import POSIX
import SystemdBus

/// The exit status of a command that failed.
enum ExitCode: Int32 {
    case failed = 1, usage = 2, noDaemon = 3, refused = 4
    /// The command to run cannot be executed; these two are the shells' numbers.
    case notExecutable = 126, notFound = 127
}

/// Why a command failed: one line for the user, which is empty if the output says it, and the exit status.
struct CommandError: Error {
    let message: String
    let exitCode: ExitCode
    let remedy: Remedy

    init(_ message: String, _ exitCode: ExitCode = .failed, remedy: Remedy = .none) {
        self.message = message
        self.exitCode = exitCode
        self.remedy = remedy
    }

    /// The output of the command says what failed.
    static let reported = CommandError("")
    static let disconnected = CommandError("the bus closed the connection", .noDaemon)
    static let notRunning = "orientd is not running"

    init(_ error: SystemError, _ exitCode: ExitCode = .failed) { self.init("\(error)", exitCode) }

    /// Describes an error of writing; nil for a closed pipe, which as with any other program is no failure.
    init?(ofWriting error: SystemError) {
        guard error.errno != .brokenPipe else { return nil }
        self.init(error)
    }

    /// Describes an error of the bus: the daemon is missing, polkit or the daemon has refused, or anything else.
    init(_ error: BusError) {
        if error.isServiceMissing {
            self.init("\(Self.notRunning), or not installed", .noDaemon, remedy: .doctor)
        } else if error.isFailedStart {
            self.init("orientd cannot be started: \(error.message)", .noDaemon, remedy: .doctor)
        } else if error.isNoReply {
            self.init("orientd does not answer", remedy: .doctor)
        } else if error.isRefusal {
            let hasPolkit = !error.message.includes("without polkit")
            let isDecided = hasPolkit && error.message.begins(with: "not authorized")
            let rule = isDecided ? "; by default only active local sessions and root may" : ""
            self.init(error.message + rule, .refused, remedy: hasPolkit ? .showSession : .providePolkit)
        } else if error.name.begins(with: Names.errorPrefix) {
            self.init(error.message, .refused)
        } else {
            self.init("\(error)")
        }
    }
}

// Errors have one type in Embedded Swift: these turn those of the libraries into a command's.

/// Makes a call that fails with the system's error.
func systemCall<Value: ~Copyable>(
    _ call: @autoclosure () throws(SystemError) -> Value,
    _ exitCode: ExitCode = .failed
) throws(CommandError) -> Value {
    do throws(SystemError) {
        return try call()
    } catch {
        throw CommandError(error, exitCode)
    }
}

/// Makes a call that fails with the bus's error, which may be the daemon's answer.
@discardableResult
func busCall<Value>(_ call: @autoclosure () throws(BusError) -> Value) throws(CommandError) -> Value {
    do throws(BusError) {
        return try call()
    } catch {
        throw CommandError(error)
    }
}
