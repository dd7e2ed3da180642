// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationSensors
import POSIX
import SystemdBus

/// The program's entry, as C has it, since Embedded Swift keeps no command line; SwiftPM links `main` to this name.
@_cdecl("orientctl_main")
func main(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    // A write to a closed pipe fails with EPIPE, and ends the command. A caught signal, unlike an ignored
    // one, is reset in the command that `run` executes.
    orientd_catch_signal(SIGPIPE)
    reserveStandardFiles()
    let arguments = (0..<Int(count)).compactMap { vector[$0].map { String(cString: $0) } }
    // Without --bus, orientctl in advice looks where this command did.
    var bus = BusAddress.system
    var mayRunAsRoot = true
    do throws(CommandError) {
        if arguments.dropFirst().first == "__complete" {
            try emit(Completion.candidates(for: Array(arguments.dropFirst(2))))
            return 0
        }
        var (command, invocation) = try parse(arguments)
        invocation.operandVector = vector + (arguments.count - invocation.operands.count)
        IIOContext.silenceLibrary()
        bus = invocation.value(of: "bus").flatMap { BusAddress($0) } ?? bus
        // The COMMAND of `run` is not for root.
        mayRunAsRoot = !command.hasCommandLine
        try command.run(invocation)
        return 0
    } catch {
        // Other buses have no polkit.
        let isForRoot = error.remedy == .showSession && mayRunAsRoot && bus == .system
        let remedy = isForRoot ? .administrator(arguments.dropFirst().joined(separator: " ")) : error.remedy
        if !error.message.isEmpty { complain(remedy.added(to: error.message, on: bus)) }
        return error.exitCode.rawValue
    }
}

/// Opens /dev/null for reading in place of closed standard files.
///
/// Otherwise the bus or a sensor would get their numbers, and what is printed would go there.
private func reserveStandardFiles() {
    var descriptor: Int32 = -1
    repeat {
        descriptor = orientd_open_for_reading("/dev/null")
    } while (STDIN_FILENO...STDERR_FILENO).contains(descriptor)
    close(descriptor)
}

/// Finds the command and what it was called with.
private func parse(_ arguments: [String]) throws(CommandError) -> (Command, Invocation) {
    var invocation = Invocation()
    // Without a command the options are those of `status`.
    let leading = Status.command.acceptedOptions
    let first = try parse(Array(arguments.dropFirst()), leading, stopsAtOperand: true, "orientctl")
    invocation.add(first.options)
    if let command = try informationCommand(invocation) {
        // `orientctl --help lock` is about that command, too.
        invocation.operands = Array(first.operands.prefix(1))
        return (command, invocation)
    }

    let command = try Command.named(first.operands.first ?? Status.command.name)
    let accepted = command.acceptedOptions
    let name = "orientctl \(command.name)"
    if let stray = first.options.first(where: { option in !accepted.contains { "\($0.name)" == option.name } }) {
        throw refusal(OptionError("--\(stray.name)"), accepted, of: name)
    }
    let rest = try parse(Array(first.operands.dropFirst()), accepted, stopsAtOperand: command.hasCommandLine, name)
    invocation.add(rest.options)
    if let information = try informationCommand(invocation) {
        invocation.operands = [command.name]
        return (information, invocation)
    }

    invocation.operands = rest.operands
    let count = rest.operands.count
    guard count <= command.operandCount.upperBound else {
        let extra = rest.operands[command.operandCount.upperBound]
        throw CommandError("unexpected argument '\(extra)'; usage: orientctl \(command.usage)", .usage)
    }
    guard count >= command.operandCount.lowerBound else {
        throw CommandError("\(command.name) lacks an argument; usage: orientctl \(command.usage)", .usage)
    }
    return (command, invocation)
}

private func parse(
    _ arguments: [String],
    _ options: [OptionParser.Option],
    stopsAtOperand: Bool,
    _ name: String
) throws(CommandError) -> OptionParser.Result {
    do throws(OptionError) {
        return try OptionParser(options, stopsAtOperand: stopsAtOperand).parse([name] + arguments)
    } catch {
        throw refusal(error, options, of: name)
    }
}

/// `options` are those that the command accepts.
private func refusal(_ error: OptionError, _ options: [OptionParser.Option], of command: String) -> CommandError {
    let isJSON = error.argument == "-j" || error.argument == "--json"
    return CommandError(isJSON ? "this command prints no JSON" : error.message(among: options, of: command), .usage)
}

/// The command that `--help` or `--version` asks for instead of any other.
private func informationCommand(_ invocation: Invocation) throws(CommandError) -> Command? {
    guard let name = ["help", "version"].first(where: invocation.has) else { return nil }
    return try Command.named(name)
}
