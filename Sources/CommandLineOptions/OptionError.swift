// SPDX-License-Identifier: Apache-2.0

import POSIX

/// An argument that getopt_long(3) has refused.
package struct OptionError: Error {
    /// As it was given, such as `--colour=red`; for a short option `-c`.
    package let argument: String

    /// Whether it lacks its value; otherwise it is not an option, is ambiguous, or has a value too many.
    package let isValueMissing: Bool

    package init(_ argument: String, isValueMissing: Bool = false) {
        self.argument = argument
        self.isValueMissing = isValueMissing
    }

    /// What is wrong, and a similar option or where to find all; `options` are those that `program` accepts.
    ///
    /// `program` may have a command.
    package func message(among options: [OptionParser.Option], of program: String) -> String {
        if isValueMissing { return Self.message("option '\(argument)' needs a value", program) }
        guard argument.begins(with: "--") else { return Self.message("unknown option '\(argument)'", program) }
        let name = argument.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
        let word = String(decoding: name, as: UTF8.self)
        let names = options.map { "\($0.name)" }
        let matches = names.contains(word) ? [word] : word.isEmpty ? [] : names.filter { $0.begins(with: word) }
        switch matches.count {
        case 0:
            let problem = "unknown option '--\(word)'"
            if let similar = suggestion(for: word, among: names) { return problem + "; did you mean '--\(similar)'?" }
            return Self.message(problem, program)
        case 1: return Self.message("option '--\(matches[0])' takes no value", program)
        default:
            return Self.message("'--\(word)' is ambiguous: --\(matches.joined(separator: " or --"))", program)
        }
    }

    /// What is wrong, and where to find what is right; `program` may have a command.
    package static func message(_ problem: String, _ program: String) -> String {
        "\(problem); try: \(program) --help"
    }
}
