// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationConfiguration
import SystemdBus

/// What the command line asks for.
struct Options {
    var configuration: String?
    var source: SourceChoice?
    var bus = BusAddress.system
    var rate: Double?
    var replaces = false
    var recording: String?
    var isVerbose = false

    enum Outcome {
        case run(Options)
        case help, version, settings
        /// With what is wrong.
        case misuse(String)
    }

    private static let accepted: [OptionParser.Option] = [
        .init("config", "c", value: "FILE", help: "read FILE instead of /etc/orientd/orientd.conf"),
        .init(
            "source",
            "s",
            value: "SOURCE",
            help: "take samples from SOURCE: auto, iio, iio:URI,\nreplay:FILE or simulate"
        ),
        .init("rate", "r", value: "HZ", help: "sample HZ times a second, 1 to 1000"),
        .init("bus", "b", value: "BUS", help: "serve on BUS: system, session or an address"),
        .init("replace", help: "take over from an orientd that is running"),
        .init("record", value: "FILE", help: "write every event to FILE, for orientctl replay"),
        .init("verbose", "v", help: "log what is going on"),
        .init("settings", help: "print the settings of orientd.conf, in scdoc(5) format"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    static var help: String {
        let lines = accepted.flatMap { $0.helpLines(column: 24, isAligned: true) }
        return
            (["Usage: orientd [OPTION]...", "Tell the desktop over D-Bus which way up this device is.", ""] + lines
            + ["", "See orientd(8) and orientd.conf(5)."]).joined(separator: "\n")
    }

    /// Reads the arguments, the program's name being the first.
    static func parse(_ arguments: [String]) -> Outcome {
        let parsed: OptionParser.Result
        do throws(OptionError) {
            parsed = try OptionParser(accepted).parse(["orientd"] + arguments.dropFirst())
        } catch {
            return .misuse(error.message)
        }
        if let operand = parsed.operands.first { return .misuse("unexpected argument '\(operand)'") }
        var options = Options()
        for (name, value) in parsed.options {
            switch name {
            case "config": options.configuration = value
            case "source":
                guard let source = SourceChoice(value) else {
                    return .misuse("--source=\(value): takes \(SourceChoice.choices)")
                }
                options.source = source
            case "rate":
                guard let rate = Configuration.rate(value) else {
                    return .misuse("--rate=\(value): takes a number of Hz from 1 to 1000")
                }
                options.rate = rate
            case "bus":
                guard let bus = BusAddress(value) else {
                    return .misuse("--bus=\(value): takes system, session or a D-Bus address")
                }
                options.bus = bus
            case "replace": options.replaces = true
            case "record": options.recording = value
            case "verbose": options.isVerbose = true
            case "settings": return .settings
            case "version": return .version
            default: return .help
            }
        }
        return .run(options)
    }
}
