// SPDX-License-Identifier: Apache-2.0

/// An argument that a program does not accept.
package struct OptionError: Error {
    /// One line for the user: what is wrong, and a similar option or where to find all.
    package let message: String

    private init(_ problem: String, of program: String, similar: String? = nil) {
        message = problem + (similar.map { "; did you mean '--\($0)'?" } ?? "; try: \(program) --help")
    }

    /// Describes an argument that is left over, of a program without operands.
    init(operand: String, of program: String) {
        self.init("unexpected argument '\(operand)'", of: program)
    }

    /// Describes an option without its value, as it was given.
    init(withoutValue argument: String, of program: String) {
        self.init("option '\(argument)' needs a value", of: program)
    }

    /// Describes an option, as it was given, that is none of `options`, is ambiguous, or has a value too many.
    package init(_ argument: String, among options: [OptionParser.Option], of program: String) {
        guard argument.utf8.starts(with: "--".utf8) else {
            self.init("unknown option '\(argument)'", of: program)
            return
        }
        let name = argument.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
        let word = String(decoding: name, as: UTF8.self)
        let names = options.map { "\($0.name)" }
        let matches = names.contains(word) ? [word] : names.filter { $0.utf8.starts(with: name) }
        switch matches.count {
        case 0: self.init("unknown option '--\(word)'", of: program, similar: suggestion(for: word, among: names))
        case 1: self.init("option '--\(matches[0])' takes no value", of: program)
        default:
            let all = matches.map { "--\($0)" }.joined(separator: " or ")
            self.init("'--\(word)' is ambiguous: \(all)", of: program)
        }
    }
}
