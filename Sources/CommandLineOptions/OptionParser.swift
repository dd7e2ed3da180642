// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Splits a command line into options and operands with getopt_long(3): `-c FILE`, `--config=FILE`, abbreviated names,
/// `--` for the end of the options.
package struct OptionParser {
    /// An option that a command accepts.
    package struct Option: Sendable {
        package let name: StaticString
        let short: Character?
        let takesValue: Bool

        /// The name of the value in help texts.
        let value: StaticString
        let help: StaticString
        package let isRequired: Bool

        /// Describes `--name`, and `-short` where given, which takes a value or not.
        package init(_ name: StaticString, _ short: Character? = nil, takesValue: Bool = false) {
            self.init(name, short, value: takesValue ? "VALUE" : "", help: "")
        }

        /// Describes `--name`, and `-short` where given; `value` names its value in help texts, empty for none.
        package init(
            _ name: StaticString,
            _ short: Character? = nil,
            value: StaticString = "",
            help: StaticString,
            isRequired: Bool = false
        ) {
            self.name = name
            self.short = short
            self.takesValue = value.utf8CodeUnitCount > 0
            self.value = value
            self.help = help
            self.isRequired = isRequired
        }

        /// The option as usage messages show it: `--output=FILE`.
        package var usage: String { takesValue ? "--\(name)=\(value)" : "--\(name)" }

        /// The option's lines of a help text.
        package var helpLines: [String] { OptionParser.helpLines(short.map { "-\($0), \(usage)" } ?? usage, "\(help)") }
    }

    /// An option as it was given; the value is empty for an option without one.
    package struct Occurrence: Sendable {
        package let name: String
        package let value: String
    }

    /// A parsed command line.
    package struct Result: Sendable {
        package let options: [Occurrence]
        package let operands: [String]
    }

    private let options: [Option]
    private let stopsAtOperand: Bool

    /// Creates a parser; with `stopsAtOperand` everything from the first operand on is an operand.
    package init(_ options: [Option], stopsAtOperand: Bool = false) {
        self.options = options
        self.stopsAtOperand = stopsAtOperand
    }

    /// Formats a term and its explanation, of one or more lines, as two columns.
    package static func helpLines(_ term: String, _ explanation: String) -> [String] {
        let indent = 21
        var lines = explanation.split(separator: "\n").map { String(repeating: " ", count: indent) + $0 }
        let head = "  \(term)"
        guard let first = lines.first, head.utf8.count < indent else { return [head] + lines }
        lines[0] = head + first.dropFirst(head.utf8.count)
        return lines
    }

    /// Parses `arguments`, the first of which is the name that error messages begin with.
    ///
    /// Returns nil for a wrong command line, after getopt_long(3) has printed the reason.
    package func parse(_ arguments: [String]) -> Result? {
        var vector = arguments.map { strdup($0) }
        vector.append(nil)
        defer { for argument in vector { free(argument) } }

        var long = options.enumerated().map { index, option in
            CLinux.option(
                name: UnsafeRawPointer(option.name.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: option.takesValue ? required_argument : no_argument,
                flag: nil,
                val: Int32(index)
            )
        }
        long.append(CLinux.option())

        // Long options come back as their index, short ones as their character, which is greater than any index.
        orientd_restart_getopt()
        var found: [Occurrence] = []
        while true {
            let code = getopt_long(Int32(arguments.count), vector, shortOptions, long, nil)
            guard code != -1 else { break }
            guard let option = option(of: code) else { return nil }
            let value = orientd_optarg().map { String(cString: $0) } ?? ""
            found.append(Occurrence(name: "\(option.name)", value: option.takesValue ? value : ""))
        }
        let operands = vector[Int(orientd_optind())..<arguments.count].compactMap { $0.map { String(cString: $0) } }
        return Result(options: found, operands: operands)
    }

    /// The short options in getopt's notation: `+` stops at operands, `:` follows an option with a value.
    private var shortOptions: String {
        var text = stopsAtOperand ? "+" : ""
        for option in options {
            guard let short = option.short else { continue }
            text.append(short)
            if option.takesValue { text.append(":") }
        }
        return text
    }

    private func option(of code: Int32) -> Option? {
        if options.indices.contains(Int(code)) { return options[Int(code)] }
        return options.first { $0.short?.asciiValue.map(Int32.init) == code }
    }
}
