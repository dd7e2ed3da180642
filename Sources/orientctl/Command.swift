// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// An entry of the command table, ``Command/all``: dispatch, usage messages and help all come from it.
struct Command: Sendable {
    let name: String

    /// The operands as usage messages show them: `EDGE`, `[EDGE]` for one that may be omitted, `[PROPERTY...]` for any
    /// number, `COMMAND...` for the words of another command line.
    var operands = ""

    /// What follows the name in usage messages where an option is required or excludes another; else empty.
    var forms = ""

    /// What the list of commands says, in a few words.
    let summary: String
    /// What the command is for, in whole sentences.
    let description: String
    /// The words that can be an operand, with what each does.
    var words: [(name: String, meaning: String)] = []
    /// A command line.
    var example = ""
    var options: [OptionParser.Option] = []
    var printsJSON = true
    let run: @Sendable (Invocation) throws(CommandError) -> Void

    /// Its own options, also --json.
    var ownOptions: [OptionParser.Option] { options + (printsJSON ? [Self.json] : []) }

    var acceptedOptions: [OptionParser.Option] { ownOptions + Self.globalOptions }

    /// The command with its options and operands, as usage messages show it.
    var usage: String {
        if !forms.isEmpty { return name + " " + forms }
        return ([name] + options.map { "[\($0.usage)]" } + [operands]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    var operandCount: ClosedRange<Int> {
        if operands.isEmpty { return 0...0 }
        return (operands.utf8.first == UInt8(ascii: "[") ? 0 : 1)...(takesSeveralOperands ? .max : 1)
    }

    var takesSeveralOperands: Bool { operands.includes("...") }

    /// Whether the operands are another command line, whose options are not ours.
    var hasCommandLine: Bool { operands == "COMMAND..." }
}

/// The options and operands that a command was called with.
struct Invocation {
    private var values: [String: String] = [:]
    var operands: [String] = []

    /// The operands as execv(3) takes them: the original bytes, as file names need not be UTF-8.
    var operandVector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    mutating func add(_ options: [(name: String, value: String)]) {
        for (name, value) in options { values[name] = value }
    }

    /// The value of an option, the last one given; empty for an option without a value.
    func value(of option: String) -> String? { values[option] }

    func has(_ option: String) -> Bool { values[option] != nil }

    /// The value of an option that takes one of several names; nil without the option.
    func choice<Value: NamedValue>(of option: String) throws(CommandError) -> Value? {
        guard let name = value(of: option) else { return nil }
        return try orientctl.value(named: name, "--\(option)=")
    }

    var isJSON: Bool { has("json") }

    var bus: BusAddress {
        get throws(CommandError) {
            // One for tests and trials is not the system's, unless --bus=system says so.
            guard let text = value(of: "bus") ?? BusAddress.otherSystemAddress else { return .system }
            if let address = BusAddress(text) { return address }
            let hint = useInstead(of: text, among: ["system", "session"])
            let place = has("bus") ? "--bus" : "DBUS_SYSTEM_BUS_ADDRESS"
            throw CommandError("\(place)=\(text)\(hint) system, session or a D-Bus address", .usage)
        }
    }

    /// Throws a usage error if an option names the file `input`, which is read: writing would destroy it.
    func rejectInput(_ input: String, as option: String) throws(CommandError) {
        guard let output = value(of: option), output != "-" else { return }
        var read = stat()
        var written = stat()
        guard (input == "-" ? fstat(STDIN_FILENO, &read) : stat(input, &read)) == 0, stat(output, &written) == 0,
            read.isKind(S_IFREG), read.st_dev == written.st_dev, read.st_ino == written.st_ino
        else { return }
        throw CommandError("--\(option)=\(output) is the file that is read: name another one", .usage)
    }

    /// Connects to the bus; one that cannot be reached is a missing daemon.
    func connect() throws(CommandError) -> Bus {
        let address = try bus
        let connection = try systemCall(Bus(address), .noDaemon)
        connection.onInvalidSignal = complain
        return connection
    }
}

/// Finds the value of a name given on the command line; throws what ``unknown(_:_:among:)`` returns.
func value<Value: NamedValue>(named name: String, _ place: String) throws(CommandError) -> Value {
    if let value = Value(name: name) { return value }
    throw unknown(name, place, among: Value.allCases.map { $0.name })
}

/// The usage error for a name that is none of `names`, which it lists.
///
/// It begins with `place`: an option, such as `--preferred=`, or what cannot be done, such as `cannot lock to `.
func unknown(_ name: String, _ place: String, among names: [String]) -> CommandError {
    let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    let given = place.utf8.last == UInt8(ascii: "=") ? place + name : "\(place)'\(name)'"
    return CommandError("\(given)\(useInstead(of: name, among: names)) \(list)", .usage)
}

/// Writes all of a command's output to standard output, which is closed then: call it once.
func emit(_ lines: [String]) throws(CommandError) {
    do throws(SystemError) {
        try OutputFile.print(lines)
    } catch {
        if let failure = CommandError(ofWriting: error) { throw failure }
    }
}

extension OutputFile {
    /// Writes a text to a file that is created or emptied first.
    static func write(_ text: String, to path: String) throws(SystemError) {
        var file = try create(path)
        try file.write(text)
        try file.flush()
    }
}

/// Writes one line to standard error, after the program's name.
func complain(_ message: String) {
    // The daemon's answers may quote applications.
    StandardError.print("orientctl: \(printable(message))")
}
