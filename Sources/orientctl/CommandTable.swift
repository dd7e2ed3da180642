// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import JSON
import OrientationConfiguration
import SystemdBus

extension Command {
    /// Every command, in the order of the help text.
    static let all = [
        Status.command, Get.command, Monitor.command, Sensors.command, Requests.command,
        Rotation.lock, Rotation.unlock, Rotation.rotate, Rotation.align, Rotation.autorotate, TabletModeCommand.command,
        Run.command, Record.command, Replay.command, Calibrate.command, Doctor.command,
        Completion.command,
        Command(name: "version", summary: "print the version") { invocation throws(CommandError) in
            let object = JSONValue(["Version": .text("\(Version.current)")])
            try emit([invocation.isJSON ? object.line : "orientctl \(Version.current)"])
        },
        Command(
            name: "help",
            operands: "[COMMAND]",
            summary: "print this help, or that of a command"
        ) { invocation throws(CommandError) in
            try emit(invocation.operands.first.map { name throws(CommandError) in try named(name).help } ?? help)
        },
    ]

    static let globalOptions: [OptionParser.Option] = [
        .init("bus", "b", value: "BUS", help: "connect to orientd on BUS: system, session or an address"),
        .init("json", "j", help: "print JSON"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    /// Finds a command; the usage error for an unknown one suggests a name.
    static func named(_ name: String) throws(CommandError) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let hint = suggestion(for: name, among: all.map { $0.name }).map { "did you mean '\($0)'?" }
        throw CommandError("unknown command '\(name)'; \(hint ?? "try: orientctl help")", .usage)
    }

    var help: [String] {
        var lines = ["Usage: orientctl \(usage)"]
        lines += (capitalized(summary) + ".").utf8.split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        let meanings = Placeholder.all.filter { Self.mentions($0.name, in: usage) }.flatMap { $0.meaning }
        if !meanings.isEmpty { lines += [""] + meanings }
        if !options.isEmpty {
            let place = hasCommandLine ? ", before \(operands)" : ""
            lines += ["", "Options\(place):"] + options.flatMap { $0.helpLines() }
        }
        return lines + ["", "Options of every command:"] + Self.globalOptions.flatMap { $0.helpLines() }
            + ["", "See orientctl(1)."]
    }

    /// Whether a usage line contains a word in capitals.
    private static func mentions(_ word: String, in usage: String) -> Bool {
        usage.utf8.split { !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            .contains { $0.elementsEqual(word.utf8) }
    }

    static var help: [String] {
        var lines = [
            "Usage: orientctl [OPTION]... [COMMAND]", "Show and control the orientation of this device.", "",
            "Commands:",
        ]
        for command in all {
            let required = command.options.filter { $0.isRequired }.map { $0.usage }
            let words = ([command.name] + required + [command.operands]).filter { !$0.isEmpty }
            lines += OptionParser.helpLines(words.joined(separator: " "), command.summary)
        }
        lines += [""] + Placeholder.all.flatMap { $0.meaning } + ["", "Options, before or after the command:"]
        lines += globalOptions.flatMap { $0.helpLines() }
        for command in all where !command.options.isEmpty {
            let place = command.hasCommandLine ? ", before \(command.operands)" : ""
            lines += ["", "Options of \(command.name)\(place):"] + command.options.flatMap { $0.helpLines() }
        }
        return lines + [
            "", "Exit status: 0 success, 1 failure, 2 wrong usage, 3 no orientd, 4 refused.",
            "run exits with the status of COMMAND, or 126 or 127 if it cannot be executed.", "See orientctl(1).",
        ]
    }
}

/// The text with its first letter in upper case, if that is one of ASCII.
private func capitalized(_ text: String) -> String {
    var bytes = Array(text.utf8)
    if let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) { bytes[0] = first - 32 }
    return String(decoding: bytes, as: UTF8.self)
}
