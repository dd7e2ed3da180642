// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationConfiguration
import OrientationSensors
import POSIX

@main
struct Orientctl {
    private static let help = """
        Usage: orientctl [OPTION]... [COMMAND]
        Ask orientd which way up this device is, and look at what it sees.

        Commands:
          status             show the orientation and the sensor (the default)
          monitor            print every change until Ctrl-C; keeps the sensor running
          sensors            list the accelerometers
          requests           list what applications ask for
          lock [current|EDGE]
                             hold the interface as it is shown now, or at EDGE
          unlock             let it turn again
          rotate EDGE        turn the interface by hand
          align              turn it once as the device is held
          autorotate MODE    let the device turn it always, in tablet-mode or never
          run --supported=MASK COMMAND...
                             ask for orientations while COMMAND runs
          record [-o FILE]   write the accelerometer's samples as a trace
          replay FILE        run the classifier over a trace; - is standard input
          calibrate          find the accelerometer's mount matrix from three poses
          doctor [--report FILE]
                             check all that rotation needs, and say what mends it
          version            print the version
          help               print this help

        EDGE is portrait, portrait-upside-down, landscape-right or landscape-left.
        MASK is edges with commas between them, landscape, all-but-upside-down or all.

        Options, before or after the command:
          -b, --bus=BUS      look for orientd on BUS: system, session or an address
          -j, --json         print JSON
          -h, --help         print this help
          -V, --version      print the version

        Options of record:
          -o, --output=FILE  write to FILE instead of standard output
          -s, --source=SOURCE
                             record SOURCE: auto, iio, iio:URI, replay:FILE
                             or simulate
          -d, --duration=S   end after S seconds instead of with Ctrl-C

        Options of replay:
          -c, --classifier=NAME
                             robust (the default) or base
          -p, --plot=FILE    draw the trace as an SVG picture

        Options of calibrate:
          --exact            a matrix for a sensor that is built in askew
          --from=TRACE       find the three poses in a trace; - is standard input
          -o, --output=FILE  add the hwdb record to FILE; - is standard output

        Options of doctor:
          -r, --report=FILE  write all that a bug report needs, and nothing personal;
                             - is standard output

        Options of run, before COMMAND:
          --supported=MASK   the orientations that it can be shown in
          --preferred=EDGE   start in this one
          --app=ID           ask as this application, not as COMMAND
          --no-autorotate    do not follow the device meanwhile

        Exit status: 0 done, 1 failed, 2 wrong usage, 3 no orientd, 4 refused;
        of run that of COMMAND, 126 or 127 where it cannot be executed.
        See orientctl(1).
        """

    private static let globalOptions: [OptionParser.Option] = [
        .init("bus", "b", takesValue: true), .init("json", "j"), .init("help", "h"),
        .init("version", "V"),
    ]

    static func main() {
        // A reader that goes away is an error of the write, told as every other; what `run` executes knows nothing of it.
        orientd_catch_signal(SIGPIPE)
        reserveStandardFiles()
        exit(run(CommandLine.arguments).rawValue)
    }

    /// Has standard files that are closed refer to what cannot be written.
    ///
    /// Otherwise the bus or a sensor would have the number, and get what is printed.
    private static func reserveStandardFiles() {
        var descriptor: Int32 = -1
        repeat {
            descriptor = orientd_open_for_reading("/dev/null")
        } while (STDIN_FILENO...STDERR_FILENO).contains(descriptor)
        close(descriptor)
    }

    private static func run(_ arguments: [String]) -> ExitCode {
        let global = OptionParser(globalOptions, stopsAtOperand: true)
        guard let parsed = global.parse(["orientctl"] + arguments.dropFirst()) else { return .usage }
        var invocation = Invocation()
        invocation.take(parsed.options)

        let name = invocation.standIn ?? parsed.operands.first ?? "status"
        guard let command = command(named: name) else {
            complain("no command is called '\(name)'; try 'orientctl help'")
            return .usage
        }
        guard invocation.standIn == nil else { return carryOut(command, invocation) }
        let local = OptionParser(globalOptions + command.options, stopsAtOperand: command.stopsAtOperand)
        guard let rest = local.parse(["orientctl \(name)"] + parsed.operands.dropFirst()) else { return .usage }
        invocation.take(rest.options)
        if let standIn = invocation.standIn.flatMap(Self.command) { return carryOut(standIn, invocation) }
        invocation.operands = rest.operands
        guard command.operandCount.contains(rest.operands.count) else {
            complain("usage: orientctl \(command.usage)")
            return .usage
        }
        return carryOut(command, invocation)
    }

    /// Runs a command and says why it failed, if it does.
    private static func carryOut(_ command: Command, _ invocation: Invocation) -> ExitCode {
        IIOContext.silenceLibrary()
        do throws(CommandError) {
            return try command.run(invocation)
        } catch {
            complain(error.message)
            return error.exitCode
        }
    }

    private static func command(named name: String) -> Command? {
        switch name {
        case "status": Status.command
        case "monitor": Monitor.command
        case "sensors": Sensors.command
        case "requests": Requests.command
        case "lock": Lock.command
        case "unlock": Unlock.command
        case "rotate": Rotate.command
        case "align": Align.command
        case "autorotate": Autorotate.command
        case "run": Run.command
        case "record": Record.command
        case "replay": Replay.command
        case "calibrate": Calibrate.command
        case "doctor": Doctor.command
        case "version":
            Command("version") { _ throws(CommandError) in
                try emit(["orientctl \(Version.current)"])
                return .done
            }
        case "help":
            Command("help") { _ throws(CommandError) in
                try emit([help])
                return .done
            }
        default: nil
        }
    }
}

/// Writes one line on standard error, after the program's name; an answer of the daemon may quote a stranger.
func complain(_ message: String) {
    StandardError.print("orientctl: \(printable(message))")
}
