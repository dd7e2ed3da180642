// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationConfiguration
import OrientationCore
import OrientationSession
import SystemdBus

/// What the command line asks for.
struct Options {
    var configuration: String?
    var bus = BusAddress.system
    var backend = BackendChoice.auto
    var outputs: [String]?
    var task = Task.follow
    var isVerbose = false

    enum Task {
        /// Follow orientd until a termination signal.
        case follow
        /// Restore the display after an agent that crashed.
        case restore
        /// Print what is wrong with the session.
        case check
    }

    static let accepted: [OptionParser.Option] = [
        .init("config", "c", value: "FILE", help: "read FILE instead of the agent.conf of user and system"),
        .init("bus", "b", value: "BUS", help: "follow orientd on BUS: system, session or an address"),
        .init("backend", value: "BACKEND", help: "rotate through BACKEND: auto, wlr, niri or x11"),
        .init("output", "o", value: "NAMES", help: "rotate the outputs NAMES, as in DSI-1 or eDP-1,eDP-2"),
        .init("restore", help: "put back what a crashed agent left, and end"),
        .init("check", help: "print what orientctl doctor reports about this session, as JSON, and end"),
        .init("verbose", "v", help: "log what is going on"),
        .init("settings", help: "print the settings of agent.conf, in scdoc(5) format"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    mutating func set(_ name: String, _ value: String) -> OptionEffect {
        switch name {
        case "config": configuration = value
        case "bus":
            guard let bus = BusAddress(value) else { return .takes("system, session or a D-Bus address") }
            self.bus = bus
        case "backend":
            guard let backend = BackendChoice(name: value) else { return .takes(BackendChoice.choice) }
            self.backend = backend
        case "output":
            outputs = AgentConfiguration.outputs(named: value)
            if outputs == nil { return .takes("auto, the name of a connector, or a comma-separated list of names") }
        case "restore": task = .restore
        case "check": task = .check
        case "verbose": isVerbose = true
        case "settings": return .text(ConfigurationReader<AgentConfiguration>.manual)
        case "version": return .text("orient-agent \(Version.current)")
        default: break
        }
        return .stored
    }
}
