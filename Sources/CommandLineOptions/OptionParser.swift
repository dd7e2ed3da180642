// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Splits a command line into options and operands by getopt_long(3), with GNU's manners: `-c FILE`, `--config=FILE`,
/// abbreviated names, `--` for the end.
package struct OptionParser {
    /// An option that a command takes.
    package struct Option: Sendable {
        let name: StaticString
        let short: Character?
        let takesValue: Bool

        /// Describes `--name`, also `-short` where there is one, followed by a value where it `takesValue`.
        package init(_ name: StaticString, _ short: Character? = nil, takesValue: Bool = false) {
            self.name = name
            self.short = short
            self.takesValue = takesValue
        }
    }

    /// An option as it was given; the value is empty for one that takes none.
    package struct Occurrence: Sendable {
        package let name: String
        package let value: String
    }

    /// What a command line says.
    package struct Result: Sendable {
        package let options: [Occurrence]
        package let operands: [String]
    }

    private let options: [Option]
    private let stopsAtOperand: Bool

    /// Creates a parser; with `stopsAtOperand` everything from the first operand on is left alone.
    package init(_ options: [Option], stopsAtOperand: Bool = false) {
        self.options = options
        self.stopsAtOperand = stopsAtOperand
    }

    /// Parses `arguments`, the first of which is the name that error messages begin with.
    ///
    /// Nil when something is wrong, which has been said on standard error then.
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

        // Long options come back as their index, short ones as their character, which is made greater than any index.
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

    /// getopt's own notation: `+` stops at operands, `:` follows what takes a value.
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
