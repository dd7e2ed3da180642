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

    static let accepted: [OptionParser.Option] = [
        .init("config", "c", value: "FILE", help: "read FILE instead of /etc/orientd/orientd.conf"),
        .init(
            "source",
            "s",
            value: "SOURCE",
            help: "take samples from SOURCE: auto, iio, ssc, iio:URI, replay:FILE or simulate"
        ),
        .init("rate", "r", value: "HZ", help: "sample at least HZ times a second, 1 to 1000"),
        .init("bus", "b", value: "BUS", help: "serve on BUS: system, session or an address"),
        .init("replace", help: "take over from an orientd that is running"),
        .init("record", value: "FILE", help: "write every event to FILE, for orientctl replay"),
        .init("verbose", "v", help: "log what is going on"),
        .init("settings", help: "print the settings of orientd.conf, in scdoc(5) format"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    mutating func set(_ name: String, _ value: String) -> OptionEffect {
        switch name {
        case "config": configuration = value
        case "source":
            guard let source = SourceChoice(value) else { return .takes(SourceChoice.choices) }
            self.source = source
        case "rate":
            guard let rate = Configuration.rate(value) else { return .takes("a number of Hz from 1 to 1000") }
            self.rate = rate
        case "bus":
            guard let bus = BusAddress(value) else { return .takes("system, session or a D-Bus address") }
            self.bus = bus
        case "replace": replaces = true
        case "record": recording = value
        case "verbose": isVerbose = true
        case "settings": return .text(ConfigurationReader<Configuration>.manual)
        case "version": return .text("orientd \(Version.current)")
        default: break
        }
        return .stored
    }
}
