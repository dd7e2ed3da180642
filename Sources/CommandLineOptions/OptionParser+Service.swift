// SPDX-License-Identifier: Apache-2.0

import POSIX

/// What an option of a program without operands does.
package enum OptionEffect {
    /// Its value is kept for the run.
    case stored
    /// Instead of running, the program prints a text.
    case text(String)
    /// The value is wrong; these are the right ones, in words.
    case takes(String)
}

extension OptionParser {
    /// The help text of a program without operands, between its first lines and the last.
    package static func help(_ head: [String], _ options: [Option], _ end: String) -> String {
        (head + [""] + options.flatMap { $0.helpLines(isAligned: true) } + ["", end]).joined(separator: "\n")
    }

    /// Runs a program without operands; returns its exit status.
    ///
    /// Calls `set` with each option and its value, and then `body`, unless one is wrong or prints a text.
    package func run(
        _ program: String,
        _ arguments: [String],
        set: (_ name: String, _ value: String) -> OptionEffect,
        body: () -> Int32
    ) -> Int32 {
        func misuse(_ problem: String) -> Int32 {
            StandardError.print("\(program): \(problem)")
            StandardError.print("Try '\(program) --help'.")
            return 2
        }
        let parsed: Result
        do throws(OptionError) {
            parsed = try parse([program] + arguments.dropFirst())
        } catch {
            return misuse(error.message)
        }
        if let operand = parsed.operands.first { return misuse("unexpected argument '\(operand)'") }
        for (name, value) in parsed.options {
            switch set(name, value) {
            case .stored: break
            case .takes(let values): return misuse("--\(name)=\(value): takes \(values)")
            case .text(let text):
                do throws(SystemError) {
                    try OutputFile.print([text])
                    return 0
                } catch {
                    StandardError.print("\(program): \(error)")
                    return 1
                }
            }
        }
        return body()
    }
}
