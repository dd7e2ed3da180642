// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationSensors
import POSIX

@main
struct Orientctl {
    static func main() {
        // A write to a closed pipe fails with EPIPE, reported as any other error. A caught signal, unlike an ignored
        // one, is reset in the command that `run` executes.
        orientd_catch_signal(SIGPIPE)
        reserveStandardFiles()
        do {
            guard let (command, invocation) = try parse(CommandLine.arguments) else { exit(ExitCode.usage.rawValue) }
            // After getopt_long(3), which prints to the same C stream.
            IIOContext.silenceLibrary()
            exit(try command.run(invocation).rawValue)
        } catch {
            let error = CommandError(error)
            complain(error.message)
            exit(error.exitCode.rawValue)
        }
    }

    /// Opens /dev/null for reading in place of closed standard files.
    ///
    /// Otherwise the bus or a sensor would get their numbers, and what is printed would go there.
    private static func reserveStandardFiles() {
        var descriptor: Int32 = -1
        repeat {
            descriptor = orientd_open_for_reading("/dev/null")
        } while (STDIN_FILENO...STDERR_FILENO).contains(descriptor)
        close(descriptor)
    }

    /// Finds the command and what it was called with; nil for a wrong option, which getopt_long(3) has reported.
    private static func parse(_ arguments: [String]) throws -> (Command, Invocation)? {
        var invocation = Invocation()
        let global = OptionParser(Command.globalOptions, stopsAtOperand: true)
        guard let first = global.parse(["orientctl"] + arguments.dropFirst()) else { return nil }
        invocation.add(first.options)
        if let command = informationCommand(invocation) { return (command, invocation) }

        let name = first.operands.first ?? "status"
        guard let command = command(named: name) else {
            throw CommandError("unknown command '\(name)'; try 'orientctl help'", .usage)
        }
        let local = OptionParser(Command.globalOptions + command.options, stopsAtOperand: command.hasCommandLine)
        guard let rest = local.parse(["orientctl \(name)"] + first.operands.dropFirst()) else { return nil }
        invocation.add(rest.options)
        if let command = informationCommand(invocation) { return (command, invocation) }

        invocation.operands = rest.operands
        guard command.operandCount.contains(rest.operands.count) else {
            throw CommandError("usage: orientctl \(command.usage)", .usage)
        }
        return (command, invocation)
    }

    /// The command that `--help` or `--version` asks for instead of any other.
    private static func informationCommand(_ invocation: Invocation) -> Command? {
        ["help", "version"].first(where: invocation.has).flatMap(command)
    }

    private static func command(named name: String) -> Command? { Command.all.first { $0.name == name } }
}
