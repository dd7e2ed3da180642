// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationBus
import OrientationCore
import POSIX

/// `orientctl run`: a command, with a request held while it runs.
///
/// This process becomes the command, whose exit status, signals and terminal are its own that way; another holds the
/// request, and ends with this one.
enum Run {
    static let command = Command(
        "run --supported=MASK [--preferred=EDGE] [--app=ID] [--no-autorotate] COMMAND...",
        options: [
            .init("supported", takesValue: true), .init("preferred", takesValue: true),
            .init("app", takesValue: true), .init("no-autorotate"),
        ],
        operandCount: 1...Int.max,
        stopsAtOperand: true
    ) { invocation throws(CommandError) in
        try RequestHolder.start(holding: try request(for: invocation), on: invocation.bus)
        throw execute(invocation.operands)
    }

    /// What the options ask for.
    static func request(for invocation: Invocation) throws(CommandError) -> RotationRequest {
        guard let text = invocation.value(of: "supported") else {
            throw CommandError("run: --supported=MASK is needed", .usage)
        }
        guard let supported = InterfaceOrientationMask(text) else {
            let edges = InterfaceOrientation.allCases.map(\.name).joined(separator: ",")
            throw CommandError("--supported=\(text): takes all, all-but-upside-down, landscape, or of \(edges)", .usage)
        }
        let preferred: InterfaceOrientation? = try invocation.value(of: "preferred").map { name throws(CommandError) in
            try value(named: name, "--preferred=")
        }
        let appID = invocation.value(of: "app") ?? baseName(of: invocation.operands[0])
        guard (1...RequestOptions.longest.appID).contains(appID.utf8.count) else {
            throw CommandError("--app=\(appID): takes 1 to \(RequestOptions.longest.appID) bytes", .usage)
        }
        return RotationRequest(
            appID: appID,
            supported: supported,
            preferred: preferred,
            shouldAutorotate: invocation.value(of: "no-autorotate") == nil
        )
    }

    /// The last part of a path.
    static func baseName(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? path
    }

    /// Becomes the command; returns only when that cannot be executed.
    private static func execute(_ operands: [String]) -> CommandError {
        // As they came: what a file is called need not be text.
        let arguments = CommandLine.unsafeArgv + (Int(CommandLine.argc) - operands.count)
        if let file = arguments[0] { execvp(file, arguments) }
        let errno = Errno.current
        let error = SystemError("run", operands[0], errno: errno)
        return CommandError("\(error)", errno == .notFound ? .notFound : .notExecutable)
    }
}
