// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

@main
struct Orientctl {
    static func main() {
        // A reader that goes away is an error of the write, told and counted as every other.
        signal(SIGPIPE, SIG_IGN)
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ arguments: [String]) -> ExitCode {
        switch arguments.first {
        case "replay": return Replay.run(Array(arguments.dropFirst()))
        case let command?:
            complain("unknown command \(command)")
            return .usage
        case nil:
            complain("usage: \(Replay.usage)")
            return .usage
        }
    }
}
