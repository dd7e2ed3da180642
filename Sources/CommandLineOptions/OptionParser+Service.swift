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
    /// Runs a program without operands; returns its exit status.
    ///
    /// `purpose` and `manuals` are for the help text. Calls `set` with each other option and its value, and then
    /// `body`, unless one is wrong or prints a text.
    package func run(
        _ program: String,
        purpose: String,
        manuals: String,
        _ arguments: [String],
        set: (_ name: String, _ value: String) -> OptionEffect,
        body: () -> Int32
    ) -> Int32 {
        func fail(_ problem: String, _ status: Int32) -> Int32 {
            StandardError.print("\(program): \(problem)")
            return status
        }
        let parsed: Result
        do throws(OptionError) {
            parsed = try parse([program] + arguments.dropFirst())
        } catch {
            return fail(error.message(among: options, of: program), 2)
        }
        if let operand = parsed.operands.first {
            return fail(OptionError.message("unexpected argument '\(operand)'", program), 2)
        }
        for (name, value) in parsed.options {
            switch name == "help" ? .text(help(program, purpose, manuals)) : set(name, value) {
            case .stored: break
            case .takes(let values): return fail("--\(name)=\(value): use \(values)", 2)
            case .text(let text):
                do throws(SystemError) {
                    try OutputFile.print([text])
                    return 0
                } catch {
                    return fail("\(error)", 1)
                }
            }
        }
        return body()
    }

    private func help(_ program: String, _ purpose: String, _ manuals: String) -> String {
        (["Usage: \(program) [OPTION]...", purpose, ""] + options.flatMap { $0.helpLines(isAligned: true) }
            + ["", "See \(manuals)."]).joined(separator: "\n")
    }
}
