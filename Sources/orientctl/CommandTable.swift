// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationConfiguration

extension Command {
    /// Every command, in the order of the help text.
    static let all = [
        Status.command, Monitor.command, Sensors.command, Requests.command,
        Rotation.lock, Rotation.unlock, Rotation.rotate, Rotation.align, Rotation.autorotate,
        Run.command, Record.command, Replay.command, Calibrate.command, Doctor.command,
        Command(name: "version", summary: "print the version") { _ in
            try emit(["orientctl \(Version.current)"])
            return .done
        },
        Command(name: "help", summary: "print this help") { _ in
            try emit(help)
            return .done
        },
    ]

    /// The options of every command.
    static let globalOptions: [OptionParser.Option] = [
        .init("bus", "b", value: "BUS", help: "connect to orientd on BUS: system, session or an address"),
        .init("json", "j", help: "print JSON"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    static var help: [String] {
        var lines = [
            "Usage: orientctl [OPTION]... [COMMAND]", "Show and control the orientation of this device.", "",
            "Commands:",
        ]
        for command in all {
            let required = command.options.filter(\.isRequired).map(\.usage)
            let words = ([command.name] + required + [command.operands]).filter { !$0.isEmpty }
            lines += OptionParser.helpLines(words.joined(separator: " "), command.summary)
        }
        lines += [
            "", "EDGE is portrait, portrait-upside-down, landscape-right or landscape-left.",
            "MASK is edges separated by commas, or landscape, all-but-upside-down or all.",
            "MODE is always, tablet-mode or never.", "", "Options, before or after the command:",
        ]
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
