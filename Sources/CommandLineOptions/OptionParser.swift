// SPDX-License-Identifier: Apache-2.0

/// An argument that is not an option, is ambiguous, lacks its value or has a value too many.
package struct OptionError: Error {
    /// One line for the user.
    package let message: String

    /// The name of a long option that does not exist.
    package var unknownName: String?
}

/// Splits a command line into options and operands as getopt_long(3) does: `-c FILE`, `-cFILE`, `--config=FILE`,
/// `--config FILE`, abbreviated names, `--` for the end of the options.
package struct OptionParser {
    /// An option that a command accepts.
    package struct Option: Sendable {
        package let name: StaticString
        package let short: Character?

        /// The name of the value in help texts; empty for an option without a value.
        package let value: StaticString
        package let help: StaticString
        package let isRequired: Bool

        /// Describes `--name`, and `-short` where given.
        package init(
            _ name: StaticString,
            _ short: Character? = nil,
            value: StaticString = "",
            help: StaticString,
            isRequired: Bool = false
        ) {
            self.name = name
            self.short = short
            self.value = value
            self.help = help
            self.isRequired = isRequired
        }

        package var takesValue: Bool { value.utf8CodeUnitCount > 0 }

        /// The option as usage messages show it: `--output=FILE`.
        package var usage: String { takesValue ? "--\(name)=\(value)" : "--\(name)" }

        /// The option's lines of a help text; aligned, its long name is below those of options with a short one.
        package func helpLines(column: Int = OptionParser.column, isAligned: Bool = false) -> [String] {
            let start = short.map { "-\($0), " } ?? (isAligned ? "    " : "")
            return OptionParser.helpLines(start + usage, "\(help)", column: column)
        }
    }

    /// The options as given, with an empty value for those without one, and the operands.
    package typealias Result = (options: [(name: String, value: String)], operands: [String])

    /// The column of the explanations in a help text.
    package static let column = 21

    private let options: [Option]
    private let stopsAtOperand: Bool

    /// Creates a parser; with `stopsAtOperand` everything from the first operand on is an operand.
    package init(_ options: [Option], stopsAtOperand: Bool = false) {
        self.options = options
        self.stopsAtOperand = stopsAtOperand
    }

    /// Formats a term and its explanation, of one or more lines, as two columns.
    package static func helpLines(_ term: String, _ explanation: String, column: Int = column) -> [String] {
        // Not by characters, whose tables take 10 kB.
        let texts = explanation.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        let head = "  \(term)"
        let isShort = head.utf8.count < column && !texts.isEmpty
        return (isShort ? [] : [head])
            + texts.enumerated().map { index, text in
                let start = isShort && index == 0 ? head : ""
                return start + String(repeating: " ", count: column - start.utf8.count) + text
            }
    }

    /// Parses the arguments after the program's name.
    package func parse(_ arguments: [String]) throws(OptionError) -> Result {
        var found: Result = ([], [])
        var rest = arguments[...]
        func add(_ option: Option, as form: String, _ value: Substring?) throws(OptionError) {
            guard option.takesValue || value == nil else {
                throw OptionError(message: "option '\(form)' takes no value")
            }
            guard let value = value.map({ String($0) }) ?? (option.takesValue ? rest.popFirst() : "") else {
                throw OptionError(message: "option '\(form)' needs a value")
            }
            found.options.append((name: "\(option.name)", value: value))
        }
        while let argument = rest.popFirst(), argument != "--" {
            if argument.hasPrefix("--") {
                let name = argument.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
                let value = argument.utf8[name.endIndex...]
                let option = try option(named: String(Substring(name)))
                try add(option, as: "--\(option.name)", value.isEmpty ? nil : Substring(value.dropFirst()))
            } else if argument.hasPrefix("-"), argument != "-" {
                var letters = argument.utf8.dropFirst()
                while let letter = letters.popFirst() {
                    let form = "-" + String(decoding: [letter], as: UTF8.self)
                    guard let option = options.first(where: { $0.short?.asciiValue == letter }) else {
                        throw OptionError(message: "unknown option '\(form)'")
                    }
                    let value = option.takesValue && !letters.isEmpty ? Substring(letters) : nil
                    try add(option, as: form, value)
                    if value != nil { break }
                }
            } else if stopsAtOperand {
                return (found.options, [argument] + rest)
            } else {
                found.operands.append(argument)
            }
        }
        return (found.options, found.operands + rest)
    }

    /// Finds a long option by its name or the start of it.
    private func option(named name: String) throws(OptionError) -> Option {
        let matches = options.filter { "\($0.name)".hasPrefix(name) }
        if let option = matches.first(where: { "\($0.name)" == name }) ?? (matches.count == 1 ? matches[0] : nil) {
            return option
        }
        guard !matches.isEmpty else { throw OptionError(message: "unknown option '--\(name)'", unknownName: name) }
        let names = matches.map { "--\($0.name)" }.joined(separator: " or ")
        throw OptionError(message: "'--\(name)' is ambiguous: \(names)")
    }
}
