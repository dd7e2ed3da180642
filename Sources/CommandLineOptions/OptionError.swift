// SPDX-License-Identifier: Apache-2.0

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

    /// What is wrong, in one line for the user.
    package var problem: String {
        if isValueMissing { return "option '\(argument)' needs a value" }
        let name = argument.utf8.prefix { $0 != UInt8(ascii: "=") }
        return "unknown option '\(String(decoding: name, as: UTF8.self))'"
    }

    /// What is wrong, and where to find what is right; `program` may have a command.
    package static func message(_ problem: String, _ program: String) -> String {
        "\(problem); try: \(program) --help"
    }
}
