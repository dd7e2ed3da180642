// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Splits a command line into options and operands with getopt_long(3): `-c FILE`, `--config=FILE`, abbreviated names,
/// `--` for the end of the options.
package struct OptionParser {
    /// An option that a command accepts.
    package struct Option: Sendable {
        package let name: StaticString
        package let short: Unicode.Scalar?

        /// The name of the value in help texts; empty for an option without a value.
        package let value: StaticString
        package let help: StaticString

        /// Describes `--name`, and `-short` where given.
        package init(
            _ name: StaticString,
            _ short: Unicode.Scalar? = nil,
            value: StaticString = "",
            help: StaticString
        ) {
            self.name = name
            self.short = short
            self.value = value
            self.help = help
        }

        package var takesValue: Bool { value.utf8CodeUnitCount > 0 }

        /// The option as usage messages show it: `--output=FILE`.
        package var usage: String { takesValue ? "--\(name)=\(value)" : "--\(name)" }

        /// The option's lines of a help text; aligned, its long name is below those of options with a short one.
        package func helpLines(isAligned: Bool = false, width: Int = 80) -> [String] {
            let start = short.map { "-\($0), " } ?? (isAligned ? "    " : "")
            return OptionParser.helpLines(start + usage, "\(help)", column: isAligned ? 24 : 21, width: width)
        }
    }

    /// The options as given, with an empty value for those without one, and the operands.
    package typealias Result = (options: [(name: String, value: String)], operands: [String])

    let options: [Option]
    private let stopsAtOperand: Bool

    /// Creates a parser; with `stopsAtOperand` everything from the first operand on is an operand.
    package init(_ options: [Option], stopsAtOperand: Bool = false) {
        self.options = options
        self.stopsAtOperand = stopsAtOperand
    }

    /// Splits a text at blanks into lines of at most `width` columns, as far as its words allow that.
    package static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        // Not by characters, whose tables take 10 kB.
        for word in text.utf8.split(separator: UInt8(ascii: " ")).map({ String(Substring($0)) }) {
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    /// Formats a term and its explanation as two columns.
    package static func helpLines(
        _ term: String,
        _ explanation: String,
        column: Int = 21,
        width: Int = 80
    ) -> [String] {
        let texts = wrapped(explanation, width: width - column)
        let head = "  \(term)"
        let isShort = head.utf8.count < column && !texts.isEmpty
        return (isShort ? [] : [head])
            + texts.enumerated().map { index, text in
                let start = isShort && index == 0 ? head : ""
                return start + String(repeating: " ", count: column - start.utf8.count) + text
            }
    }

    /// Parses `arguments`, the first of which is the program's name.
    package func parse(_ arguments: [String]) throws(OptionError) -> Result {
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
        var found: Result = ([], [])
        while true {
            let code = getopt_long(Int32(arguments.count), vector, shortOptions, long, nil)
            guard code != -1 else { break }
            guard let option = option(of: code) else { throw refusal(code, vector) }
            let value = orientd_optarg().map { String(cString: $0) } ?? ""
            found.options.append((name: "\(option.name)", value: option.takesValue ? value : ""))
        }
        found.operands = vector[Int(orientd_optind())..<arguments.count].compactMap { $0.map { String(cString: $0) } }
        return found
    }

    /// The short options in getopt's notation: `+` stops at operands, the first `:` has a missing value reported as
    /// such, and `:` follows an option with a value.
    private var shortOptions: String {
        var text = stopsAtOperand ? "+:" : ":"
        for option in options { if let short = option.short { text += option.takesValue ? "\(short):" : "\(short)" } }
        return text
    }

    private func option(of code: Int32) -> Option? {
        if options.indices.contains(Int(code)) { return options[Int(code)] }
        return options.first { $0.short.map { Int32(bitPattern: $0.value) } == code }
    }

    /// Describes what getopt_long(3) has refused with `code`, which is `:` for a missing value.
    private func refusal(_ code: Int32, _ arguments: [UnsafeMutablePointer<CChar>?]) -> OptionError {
        // For long options getopt leaves 0 or the index; for a byte that is no ASCII, which begins or is within a
        // character, it leaves a negative one.
        let refused = orientd_optopt()
        let isShort = refused > Int32(options.count) || refused < 0
        let short = [UInt8(ascii: "-"), UInt8(truncatingIfNeeded: refused)]
        let last = arguments[max(0, Int(orientd_optind()) - 1)].map { String(cString: $0) } ?? ""
        let argument = isShort ? String(decoding: short, as: UTF8.self) : last
        return OptionError(argument, isValueMissing: code == Int32(UInt8(ascii: ":")))
    }
}
