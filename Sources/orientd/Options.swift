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
        case help
        case version
        case settings
        /// With what is wrong; empty where that was said already.
        case misuse(String)
    }

    static let help = """
        Usage: orientd [OPTION]...
        Tell the desktop over D-Bus which way up this device is.

          -c, --config=FILE     read FILE instead of /etc/orientd/orientd.conf
          -s, --source=SOURCE   take samples from SOURCE: auto, iio, iio:URI,
                                replay:FILE or simulate
          -r, --rate=HZ         sample HZ times a second, 1 to 1000
          -b, --bus=BUS         serve on BUS: system, session or an address
              --replace         take over from an orientd that is running
              --record=FILE     write every event to FILE, for orientctl replay
          -v, --verbose         log what is going on
              --settings        print what orientd.conf may say, in scdoc(5) format
          -h, --help            print this help
          -V, --version         print the version

        See orientd(8) and orientd.conf(5).
        """

    private static let parser = OptionParser([
        .init("config", "c", takesValue: true),
        .init("source", "s", takesValue: true),
        .init("rate", "r", takesValue: true),
        .init("bus", "b", takesValue: true),
        .init("replace"),
        .init("record", takesValue: true),
        .init("verbose", "v"),
        .init("settings"),
        .init("help", "h"),
        .init("version", "V"),
    ])

    /// Reads the arguments, the program's name being the first.
    static func parse(_ arguments: [String]) -> Outcome {
        guard let result = parser.parse(["orientd"] + arguments.dropFirst()) else { return .misuse("") }
        if let operand = result.operands.first { return .misuse("unexpected argument '\(operand)'") }
        var options = Options()
        for option in result.options {
            switch option.name {
            case "config": options.configuration = option.value
            case "source":
                guard let source = SourceChoice(option.value) else {
                    return .misuse("--source=\(option.value): takes auto, iio, iio:URI, replay:FILE or simulate")
                }
                options.source = source
            case "rate":
                guard let rate = Configuration.rate(option.value) else {
                    return .misuse("--rate=\(option.value): takes a number of Hz from 1 to 1000")
                }
                options.rate = rate
            case "bus": options.bus = BusAddress(option.value)
            case "replace": options.replaces = true
            case "record": options.recording = option.value
            case "verbose": options.isVerbose = true
            case "settings": return .settings
            case "version": return .version
            default: return .help
            }
        }
        return .run(options)
    }
}
