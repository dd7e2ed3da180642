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
    var output: String?
    var task = Task.follow
    var isVerbose = false

    enum Task: Equatable {
        /// Follow orientd until a termination signal.
        case follow
        /// Restore the display after an agent that crashed.
        case restore
        /// Print what is wrong with the session.
        case check
        /// Print this text.
        case print(String)
    }

    /// What is wrong with the arguments, as a message.
    struct Misuse: Error {
        let problem: String
    }

    private static let accepted: [OptionParser.Option] = [
        .init("config", "c", value: "FILE", help: "read FILE instead of the agent.conf of user and system"),
        .init("bus", "b", value: "BUS", help: "follow orientd on BUS: system, session or an address"),
        .init("backend", value: "BACKEND", help: "rotate through BACKEND: auto, wlr, niri or x11"),
        .init("output", "o", value: "NAME", help: "rotate the output NAME, such as DSI-1"),
        .init("restore", help: "put back what a crashed agent left, and end"),
        .init("check", help: "print what orientctl doctor reports about this session,\nand end"),
        .init("verbose", "v", help: "log what is going on"),
        .init("settings", help: "print the settings of agent.conf, in scdoc(5) format"),
        .init("help", "h", help: "print this help"),
        .init("version", "V", help: "print the version"),
    ]

    private static var help: String {
        let lines = accepted.flatMap { $0.helpLines(column: 24, isAligned: true) }
        return
            ([
                "Usage: orient-agent [OPTION]...",
                "Rotate the display of this session, and what must follow it, as orientd decides.", "",
            ] + lines + ["", "See orient-agent(1) and agent.conf(5)."]).joined(separator: "\n")
    }

    /// Parses the arguments, of which the first is the program's name.
    static func parse(_ arguments: [String]) throws(Misuse) -> Options {
        let parsed: OptionParser.Result
        do throws(OptionError) {
            parsed = try OptionParser(accepted).parse(["orient-agent"] + arguments.dropFirst())
        } catch {
            throw Misuse(problem: error.message)
        }
        if let operand = parsed.operands.first { throw Misuse(problem: "unexpected argument '\(operand)'") }
        var options = Options()
        for (name, value) in parsed.options {
            switch name {
            case "config": options.configuration = value
            case "bus":
                guard let bus = BusAddress(value) else {
                    throw Misuse(problem: "--bus=\(value): takes system, session or a D-Bus address")
                }
                options.bus = bus
            case "backend":
                guard let backend = BackendChoice(name: value) else {
                    throw Misuse(problem: "--backend=\(value): takes auto, wlr, niri or x11")
                }
                options.backend = backend
            case "output":
                guard !value.isEmpty else { throw Misuse(problem: "--output=: takes the name of a connector, or auto") }
                options.output = value
            case "restore": options.task = .restore
            case "check": options.task = .check
            case "verbose": options.isVerbose = true
            case "settings": return Options(task: .print(ConfigurationReader<AgentConfiguration>.manual))
            case "version": return Options(task: .print("orient-agent \(Version.current)"))
            default: return Options(task: .print(help))
            }
        }
        return options
    }
}
