// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import JSON
import OrientationConfiguration
import POSIX
import SystemdBus

extension Command {
    /// Every command, in the order of the help text.
    static let all = [
        Status.command, Get.command, Monitor.command, Sensors.command, Requests.command,
        Rotation.lock, Rotation.unlock, Rotation.rotate, Rotation.align, Rotation.autorotate, TabletModeCommand.command,
        Run.command, Record.command, Replay.command, Calibrate.command, Doctor.command,
        Completion.command,
        Command(
            name: "version",
            summary: "print the version",
            description: "Prints the version."
        ) { invocation throws(CommandError) in
            let object = JSONValue(["Version": .text("\(Version.current)")])
            try emit([invocation.isJSON ? object.line : "orientctl \(Version.current)"])
        },
        Command(
            name: "help",
            operands: "[COMMAND]",
            summary: "explain a command",
            description: "Lists the commands, or explains COMMAND and its options.",
            printsJSON: false
        ) { invocation throws(CommandError) in
            try emit(invocation.operands.first.map { name throws(CommandError) in try named(name).help() } ?? help)
        },
    ]

    static let json = OptionParser.Option("json", "j", help: "print JSON")

    static let globalOptions: [OptionParser.Option] = [
        .init("bus", "b", value: "BUS", help: "connect to orientd on BUS: system, session or an address"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    /// Finds a command; the usage error for an unknown one suggests a name.
    static func named(_ name: String) throws(CommandError) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let hint = suggestion(for: name, among: all.map { $0.name }).map { "did you mean '\($0)'?" }
        throw CommandError("unknown command '\(name)'; \(hint ?? "try: orientctl help")", .usage)
    }

    /// What the command is for, in lines that fit the terminal.
    func help(width: Int = Terminal.columns) -> [String] {
        func wrapped(_ text: String) -> [String] { OptionParser.wrapped(text, width: width) }
        func lines(_ options: [OptionParser.Option]) -> [String] { options.flatMap { $0.helpLines(width: width) } }
        let usages = OptionParser.wrapped("Usage: orientctl \(usage)", width: width - 4)
        var help = usages.enumerated().map { ($0 == 0 ? "" : "    ") + $1 } + [""] + wrapped(description)
        if !words.isEmpty { help.append("") }
        help += words.flatMap { OptionParser.helpLines($0.name, $0.meaning, column: 13, width: width) }
        for word in Placeholder.all where !word.meaning.isEmpty && usage.includes(word.name) {
            help += [""] + wrapped(word.meaning)
        }
        if !example.isEmpty { help += [""] + wrapped("Example: orientctl \(example)") }
        let place = hasCommandLine ? ", before \(operands)" : ""
        if !ownOptions.isEmpty { help += ["", "Options\(place):"] + lines(ownOptions) }
        return help + ["", "Options of every command:"] + lines(Self.globalOptions) + ["", "See orientctl(1)."]
    }

    /// The list of commands, which fits a terminal of 24 lines.
    static var help: [String] {
        let options = globalOptions.map { "\($0.short.map { "-\($0), " } ?? "")\($0.usage)" }
        return ["Usage: orientctl [OPTION]... [COMMAND]"]
            + all.flatMap { OptionParser.helpLines($0.name, $0.summary, column: 15) }
            + ["Options: \(options.joined(separator: "; ")); most commands also -j, --json"]
            + ["orientctl help COMMAND explains a command. See orientctl(1)."]
    }
}
