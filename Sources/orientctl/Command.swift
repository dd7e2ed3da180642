// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationBus
import SystemdBus

/// A subcommand: what it takes, and what it does.
struct Command: Sendable {
    /// The command with its operands, as usage messages show it.
    let usage: String
    let options: [OptionParser.Option]
    let operandCount: Int
    let run: @Sendable (Invocation) throws(CommandError) -> ExitCode

    init(
        _ usage: String,
        options: [OptionParser.Option] = [],
        operandCount: Int = 0,
        run: @escaping @Sendable (Invocation) throws(CommandError) -> ExitCode
    ) {
        self.usage = usage
        self.options = options
        self.operandCount = operandCount
        self.run = run
    }
}

/// What a command was called with.
struct Invocation {
    var bus = BusAddress.system
    var isJSON = false
    var operands: [String] = []
    private var values: [String: String] = [:]

    /// The value of one of the command's own options, the last one given.
    func value(of option: String) -> String? { values[option] }

    /// The command that an option stands for, whatever else was said: help or version.
    private(set) var standIn: String?

    mutating func take(_ options: [OptionParser.Occurrence]) {
        for option in options {
            switch option.name {
            case "bus": bus = BusAddress(option.value)
            case "json": isJSON = true
            case "help", "version": standIn = standIn ?? option.name
            default: values[option.name] = option.value
            }
        }
    }

    /// Connects to the bus.
    func connect() throws(CommandError) -> Bus {
        do throws(SystemError) {
            return try Bus(bus)
        } catch {
            throw CommandError("\(error)", .noDaemon)
        }
    }
}

/// Why a command did not do what it was asked to.
struct CommandError: Error {
    let message: String
    let exitCode: ExitCode

    init(_ message: String, _ exitCode: ExitCode = .failed) {
        self.message = message
        self.exitCode = exitCode
    }

    init(_ error: SystemError) {
        self.init("\(error)")
    }

    /// An answer of the daemon, or the want of one.
    init(_ error: BusError) {
        if error.isServiceMissing {
            self.init("orientd is not running, and the bus cannot start it", .noDaemon)
        } else if error.name == "org.freedesktop.DBus.Error.AccessDenied" {
            self.init(error.message, .refused)
        } else {
            self.init("\(error)")
        }
    }
}

/// Runs `body`, and makes an answer that is an error the command's error.
func asking<Value>(_ body: () throws(BusError) -> Value) throws(CommandError) -> Value {
    do throws(BusError) {
        return try body()
    } catch {
        throw CommandError(error)
    }
}

/// Runs `body`, and makes a failure of the system the command's error.
func calling<Value>(_ body: () throws(SystemError) -> Value) throws(CommandError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw CommandError(error)
    }
}
