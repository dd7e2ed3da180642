// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationBus
import OrientationCore
import POSIX

/// `orientctl run`: runs a command, and holds a request while it runs.
///
/// This process becomes the command, so that exit status, signals and terminal are the command's. A second process
/// holds the request until this one ends.
enum Run {
    static let command = Command(
        name: "run",
        operands: "COMMAND...",
        forms: "--supported=MASK [--preferred=EDGE] [--app=ID] [--no-autorotate] COMMAND...",
        summary: "allow only certain orientations while a command runs",
        description: "Runs COMMAND, and requests meanwhile that the interface is shown in an orientation of MASK. "
            + "Without orientd, COMMAND is not started.",
        example: "run --supported=landscape mpv film.mkv",
        options: [
            .init("supported", value: "MASK", help: "the orientations that COMMAND supports"),
            .init("preferred", value: "EDGE", help: "start in this orientation"),
            .init("app", value: "ID", help: "use this application id instead of COMMAND's name"),
            .init("no-autorotate", help: "do not follow the device meanwhile"),
        ],
        printsJSON: false
    ) { invocation throws(CommandError) in
        let request = try request(for: invocation) { () throws(CommandError) in
            let bus = try invocation.connect()
            return try busCall(bus.readManager()).status.naturalOrientation
        }
        try RequestHolder.start(holding: request, on: invocation.bus)
        throw execute(invocation)
    }

    /// The request that the options describe; `natural` returns the device's name for the display's own top up.
    static func request(
        for invocation: Invocation,
        natural: () throws(CommandError) -> DeviceOrientation
    ) throws(CommandError) -> RotationRequest {
        guard let text = invocation.value(of: "supported") else {
            let example = "such as --supported=landscape"
            throw CommandError("run: --supported=MASK is required before COMMAND, \(example)", .usage)
        }
        let supported = try InterfaceOrientationMask(operand: text, natural: natural)
        let preferred = try invocation.value(of: "preferred").map { name throws(CommandError) in
            let edge: Edge = try value(named: name, "--preferred=")
            let orientation = try edge.orientation(natural: natural())
            guard supported.contains(orientation) else {
                throw CommandError("--preferred=\(name) is not allowed by --supported=\(text)", .usage)
            }
            return orientation
        }
        let appID = invocation.value(of: "app") ?? baseName(of: invocation.operands[0])
        guard (1...RequestOptions.longest.appID).contains(appID.utf8.count) else {
            throw CommandError("--app=\(appID): use 1 to \(RequestOptions.longest.appID) bytes", .usage)
        }
        return RotationRequest(
            appID: appID,
            supported: supported,
            preferred: preferred,
            shouldAutorotate: !invocation.has("no-autorotate")
        )
    }

    static func baseName(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? path
    }

    /// Replaces this process by the command; returns only when that cannot be executed.
    private static func execute(_ invocation: Invocation) -> CommandError {
        if let arguments = invocation.operandVector, let file = arguments[0] { execvp(file, arguments) }
        let errno = Errno.current
        let name = invocation.operands[0]
        // In the words of shells, as there is no file to name.
        if errno == .notFound, !name.utf8.contains(UInt8(ascii: "/")) {
            return CommandError("\(name): command not found", .notFound)
        }
        let error = SystemError("run", name, errno: errno)
        return CommandError("\(error)", errno == .notFound ? .notFound : .notExecutable)
    }
}
