// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationConfiguration
import OrientationDaemon
import OrientationSensors
import POSIX

/// The program's entry, as C has it, since Embedded Swift keeps no command line; SwiftPM links `main` to this name.
@_cdecl("orientd_main")
func main(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    orientd_share_heap()
    // write(2) reports EPIPE: libiio's connections have no MSG_NOSIGNAL, and a log's reader may go.
    orientd_ignore_signal(SIGPIPE)
    let arguments = (0..<Int(count)).compactMap { vector[$0].map { String(cString: $0) } }
    var options = Options()
    return OptionParser(Options.accepted).run(
        "orientd",
        purpose: "Tell the desktop over D-Bus which way up this device is.",
        manuals: "orientd(8) and orientd.conf(5)",
        arguments,
        set: { options.set($0, $1) },
        body: { run(options) }
    )
}

private func run(_ options: Options) -> Int32 {
    let log = Log("orientd", isVerbose: options.isVerbose)
    if !options.isVerbose { IIOContext.silenceLibrary() }
    do throws(SystemError) {
        let path = options.configuration ?? Configuration.standardPath
        let reader = ConfigurationReader<Configuration>()
        try reader.read(path, isRequired: options.configuration != nil)
        for warning in reader.warnings { log.warning(warning) }
        var configuration = reader.configuration
        if let source = options.source { configuration.source = source }
        if let rate = options.rate { configuration.rate = rate }
        let daemon = try Daemon(
            configuration: configuration,
            bus: options.bus,
            replacing: options.replaces,
            recording: options.recording,
            log: log
        )
        return try daemon.run()
    } catch {
        log.error("\(error)")
        return 1
    }
}
