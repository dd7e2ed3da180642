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

    @Test(arguments: ["", "Portrait", "portrait ", "left", "1"])
    func `an unknown name is wrong usage, and the message lists the known ones`(name: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try value(named: name, "rotate ") as InterfaceOrientation
        }
        #expect(error?.exitCode == .usage)
        let names = "portrait, portrait-upside-down, landscape-right or landscape-left"
        #expect(error?.message == "rotate \(name): takes \(names)")
    }

    @Test func `a value that is not among the choices is unknown`() {
        let error = #expect(throws: CommandError.self) {
            try value(named: "never", "autorotate ", among: [AutorotateMode.always, .tabletMode])
        }
        #expect(error?.message == "autorotate never: takes always or tablet-mode")
    }

    static let answers: [(name: String, exitCode: ExitCode)] = [
        ("org.freedesktop.DBus.Error.ServiceUnknown", .noDaemon),
        ("org.freedesktop.DBus.Error.AccessDenied", .refused),
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

    @Test func `every command and option is in the help, with an explanation`() throws {
        let help = Command.help
        for command in Command.all {
            #expect(help.contains { $0.hasPrefix("  \(command.name)") }, "\(command.name)")
            #expect(!command.summary.isEmpty)
            for option in command.options { #expect(help.contains { $0.contains(option.usage) }, "\(option.usage)") }
        }
        for line in help { #expect(line.count <= 80, "\(line)") }
    }

    @Test func `names in the table are unique`() {
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
        for command in Command.all {
            let names = (Command.globalOptions + command.options).map { "\($0.name)" }
            #expect(Set(names).count == names.count, "\(command.name)")
        }
    }

    @Test(arguments: [
        ("", 0...0), ("EDGE", 1...1), ("[current|EDGE]", 0...1), ("COMMAND...", 1...Int.max),
    ])
    func `the operands of the usage line are the ones that are accepted`(operands: String, count: ClosedRange<Int>) {
        let command = Command(name: "test", operands: operands, summary: "") { _ in .done }
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
