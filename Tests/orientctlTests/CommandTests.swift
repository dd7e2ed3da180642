// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus
import Testing

@testable import orientctl

@Suite struct CommandTests {
    @Test(arguments: InterfaceOrientation.allCases)
    func `a name is the value that has it`(orientation: InterfaceOrientation) throws {
        #expect(try value(named: orientation.name, "rotate ") as InterfaceOrientation == orientation)
    }

    @Test(arguments: ["", "Portrait", "portrait ", "left", "1"])
    func `a name that nothing has is wrong usage, and the names that there are are told`(name: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try value(named: name, "rotate ") as InterfaceOrientation
        }
        #expect(error?.exitCode == .usage)
        let names = "portrait, portrait-upside-down, landscape-right or landscape-left"
        #expect(error?.message == "rotate \(name): takes \(names)")
    }

    @Test func `a value that is no choice is told as if it did not exist`() {
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
    func `what the daemon does not allow is a refusal, and any other error a failure`(index: Int) {
        let (name, exitCode) = Self.answers[index]
        let error = CommandError(BusError(name, "why"))
        #expect(error.exitCode == exitCode)
        if exitCode == .refused { #expect(error.message == "why") }
    }
}
