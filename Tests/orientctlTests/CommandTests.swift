// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationBus
import OrientationCore
import SystemdBus
import Testing

@testable import orientctl

@Suite struct CommandTests {
    @Test(arguments: InterfaceOrientation.allCases)
    func `a value is found by its name`(orientation: InterfaceOrientation) throws {
        #expect(try value(named: orientation.name, "rotate ") as InterfaceOrientation == orientation)
    }

    @Test(arguments: ["", "left", "1", "sideways"])
    func `an unknown name is wrong usage, and the message lists the known ones`(name: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try value(named: name, "cannot rotate to ") as InterfaceOrientation
        }
        #expect(error?.exitCode == .usage)
        let names = "portrait, portrait-upside-down, landscape-right or landscape-left"
        #expect(error?.message == "cannot rotate to '\(name)': use \(names)")
    }

    @Test(arguments: ["portait", "Portrait", "PORTRAIT", "portrait "])
    func `a misspelt name is unknown, too, but corrected`(name: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try value(named: name, "--preferred=") as InterfaceOrientation
        }
        let names = "portrait, portrait-upside-down, landscape-right or landscape-left"
        #expect(error?.message == "--preferred=\(name); did you mean 'portrait'? Use \(names)")
    }

    @Test(arguments: [
        ("staus", "unknown command 'staus'; did you mean 'status'?"),
        ("dance", "unknown command 'dance'; try: orientctl help"),
        ("Status", "unknown command 'Status'; did you mean 'status'?"),
    ])
    func `an unknown command is wrong usage`(name: String, message: String) {
        let error = #expect(throws: CommandError.self) { _ = try Command.named(name) }
        #expect(error?.message == message)
        #expect(error?.exitCode == .usage)
    }

    @Test(arguments: [40, 80, 200])
    func `the help of a command fits the terminal, and has its usage, its options and what its words mean`(width: Int) {
        for command in Command.all {
            let help = command.help(width: width)
            let start = "Usage: orientctl \(command.usage)  \(command.description.prefix(9))"
            let words = help.map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : $0 }
            #expect(words.joined(separator: " ").hasPrefix(start))
            #expect(command.description.hasSuffix("."))
            for option in command.acceptedOptions { #expect(help.contains { $0.contains(option.usage) }) }
            for line in help where line.contains(" ") { #expect(line.count <= width, "\(line)") }
        }
        #expect(Get.command.help(width: 80).contains("Example: orientctl get InterfaceOrientation"))
        #expect(Monitor.command.help(width: 80).contains("Example: orientctl monitor InterfaceOrientation"))
        #expect(Run.command.help(width: 80).contains("Example: orientctl run --supported=landscape mpv film.mkv"))
        #expect(Rotation.lock.help(width: width).contains { $0.hasPrefix("EDGE is how the interface is shown:") })
        #expect(!Rotation.lock.help(width: width).contains { $0.hasPrefix("MODE is") })
        #expect(Run.command.help(width: width).contains { $0.hasPrefix("MASK is one or more of") })
    }

    @Test(arguments: [Rotation.lock, Rotation.rotate, TabletModeCommand.command])
    func `each word of an operand has a line that says what it does`(command: Command) {
        let usage = command.operands.split { "[|]".contains($0) }.map { String($0) }
        #expect(command.words.map { $0.name } == usage)
        for word in command.words {
            let line = command.help(width: 80).first { $0.hasPrefix("  \(word.name) ") }
            #expect(line?.hasSuffix(" \(word.meaning)") == true)
        }
    }

    static let answers: [(name: String, exitCode: ExitCode)] = [
        ("org.freedesktop.DBus.Error.ServiceUnknown", .noDaemon),
        ("org.freedesktop.DBus.Error.AccessDenied", .refused),
        ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", .refused),
        ("org.orientd1.Error.OrientationNotSupported", .refused),
        ("org.orientd1.Error.InvalidInterfaceOrientation", .refused), ("org.orientd1.Error.LimitExceeded", .refused),
        ("org.freedesktop.DBus.Error.InvalidArgs", .failed), ("org.freedesktop.DBus.Error.NoReply", .failed),
        ("org.orientd1", .failed), ("", .failed),
    ]

    @Test(arguments: answers.indices)
    func `errors that mean a refusal have an exit status of their own`(index: Int) {
        let (name, exitCode) = Self.answers[index]
        let error = CommandError(BusError(name, "why"))
        #expect(error.exitCode == exitCode)
        if exitCode == .refused { #expect(error.message == "why") }
    }

    // MARK: - The table

    @Test func `the list of commands has a line for each, and fits a terminal of 24 lines with the prompt`() {
        for command in Command.all {
            let lines = Command.help.filter { $0.hasPrefix("  \(command.name) ") }
            #expect(lines.count == 1 && lines[0].hasSuffix(" \(command.summary)"), "\(command.name)")
        }
        for option in [Command.json] + Command.globalOptions {
            #expect(Command.help.contains { $0.contains(option.usage) })
        }
        for line in Command.help { #expect(line.count <= 80, "\(line)") }
        #expect(Command.help.count < 24)
    }

    @Test func `names in the table are unique`() {
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
        for command in Command.all {
            let names = command.acceptedOptions.map { "\($0.name)" }
            #expect(Set(names).count == names.count, "\(command.name)")
        }
    }

    @Test(arguments: [
        ("", 0...0), ("EDGE", 1...1), ("[current|EDGE]", 0...1), ("COMMAND...", 1...Int.max),
    ])
    func `the operands of the usage line are the ones that are accepted`(operands: String, count: ClosedRange<Int>) {
        let command = Command(name: "test", operands: operands, summary: "", description: "") { _ in }
        #expect(command.operandCount == count)
        #expect(command.usage == (operands.isEmpty ? "test" : "test \(operands)"))
    }

    @Test func `a usage line has required options first and others in brackets`() {
        #expect(
            Run.command.usage
                == "run --supported=MASK [--preferred=EDGE] [--app=ID] [--no-autorotate] COMMAND..."
        )
    }
}
