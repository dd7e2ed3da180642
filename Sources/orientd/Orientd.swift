// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationDaemon
import SystemdBus

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

@main
struct Orientd {
    static func main() {
        switch Options.parse(CommandLine.arguments) {
        case .run(let options):
            exit(run(options))
        case .help:
            print(Options.help)
        case .version:
            print("orientd \(Daemon.version)")
        case .settings:
            print(ConfigurationReader.manual)
        case .misuse(let problem):
            if !problem.isEmpty { StandardError.print("orientd: \(problem)") }
            StandardError.print("Try 'orientd --help'.")
            exit(2)
        }
    }

    /// Runs the daemon; returns the exit status.
    private static func run(_ options: Options) -> Int32 {
        let log = Log(isVerbose: options.isVerbose)
        do throws(SystemError) {
            let path = options.configuration ?? ConfigurationReader.standardPath
            let reader = ConfigurationReader()
            try reader.read(path, isRequired: options.configuration != nil)
            for warning in reader.warnings { log.warning(warning) }
            var configuration = reader.configuration
            if let source = options.source { configuration.source = source }
            if let rate = options.rate { configuration.rate = rate }
            let daemon = try Daemon(
                configuration: configuration,
                bus: options.bus,
                replacing: options.replaces,
                log: log
            )
            return try daemon.run()
        } catch {
            log.error("\(error)")
            return 1
        }
    }
}
