// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// A subcommand: what it takes, and what it does.
struct Command: Sendable {
    /// The command with its operands, as usage messages show it.
    let usage: String
    let options: [OptionParser.Option]
    let operandCount: ClosedRange<Int>
    /// Whether all from the first operand on is left as it is: a command line that is not ours.
    let stopsAtOperand: Bool
    let run: @Sendable (Invocation) throws(CommandError) -> ExitCode

    init(
        _ usage: String,
        options: [OptionParser.Option] = [],
        operandCount: ClosedRange<Int> = 0...0,
        stopsAtOperand: Bool = false,
        run: @escaping @Sendable (Invocation) throws(CommandError) -> ExitCode
    ) {
        self.usage = usage
        self.options = options
        self.operandCount = operandCount
        self.stopsAtOperand = stopsAtOperand
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
    func connect() throws(CommandError) -> Bus { try Bus(reaching: bus) }
}

extension Bus {
    /// Connects; without a bus there is no daemon.
    convenience init(reaching address: BusAddress) throws(CommandError) {
        do throws(SystemError) {
            try self.init(address)
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
        } else if error.name == "org.freedesktop.DBus.Error.AccessDenied"
            || error.name.utf8.starts(with: Names.errorPrefix.utf8)
        {
            self.init(error.message, .refused)
        } else {
            self.init("\(error)")
        }
    }
}

/// Finds the value that has a name given on the command line; `place` is where, such as `--preferred=` or `rotate `.
///
/// The usage error names all of `choices`.
func value<Value: NamedValue>(
    named name: String,
    _ place: String,
    among choices: [Value] = Array(Value.allCases)
) throws(CommandError) -> Value {
    guard let value = choices.first(where: { $0.name == name }) else {
        let names = choices.map(\.name)
        let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        throw CommandError("\(place)\(name): takes \(list)", .usage)
    }
    return value
}

/// Has the device looked at, which nobody may have done for long, until this process ends.
func sense(_ client: OrientationClient) {
    do throws(BusError) {
        try client.claim()
    } catch {
        // Who may not run the sensor goes by what was last seen.
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
func calling<Value: ~Copyable>(_ body: () throws(SystemError) -> Value) throws(CommandError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw CommandError(error)
    }
}
