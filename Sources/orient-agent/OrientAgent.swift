// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationConfiguration
import OrientationSession
import POSIX

/// The program's entry, as C has it, since Embedded Swift keeps no command line; SwiftPM links `main` to this name.
@_cdecl("orient_agent_main")
func main(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    // write(2) reports EPIPE.
    orientd_ignore_signal(SIGPIPE)
    let arguments = (0..<Int(count)).compactMap { vector[$0].map { String(cString: $0) } }
    var options = Options()
    return OptionParser(Options.accepted).run(
        "orient-agent",
        purpose: "Rotate the display of this session, and what must follow it, as orientd decides.",
        manuals: "orient-agent(1) and orient-agent.conf(5)",
        arguments,
        set: { options.set($0, $1) },
        body: { run(options) }
    )
}

private func run(_ options: Options) -> Int32 {
    let log = Log("orient-agent", isVerbose: options.isVerbose)
    do throws(SystemError) {
        let reader = ConfigurationReader<AgentConfiguration>()
        if let path = options.configuration {
            try reader.read(path, isRequired: true)
        } else {
            for path in AgentConfiguration.standardPaths { try reader.read(path, isRequired: false) }
        }
        var configuration = reader.configuration
        if let outputs = options.outputs { configuration.outputs = outputs }
        if options.task == .check {
            let check = try SessionCheck(configuration, backend: options.backend)
            try OutputFile.print(check.run(warnings: reader.warnings))
            return 0
        }
        for warning in reader.warnings { log.warning(warning) }
        if options.task == .restore {
            return try restoreDisplay(configuration, backend: options.backend, log: log)
        }
        return try Agent(configuration: configuration, backend: options.backend, bus: options.bus, log: log).run()
    } catch {
        log.error("\(error)")
        return 1
    }
}
