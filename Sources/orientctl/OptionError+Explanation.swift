// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions

extension OptionError {
    /// What is wrong with the argument, as one line for the user; `options` are those that were accepted.
    func explanation(among options: [OptionParser.Option]) -> String {
        guard argument.utf8.starts(with: "--".utf8) else { return message }
        let name = argument.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
        let word = String(decoding: name, as: UTF8.self)
        let names = options.map { "\($0.name)" }
        let matches = names.contains(word) ? [word] : names.filter { $0.utf8.starts(with: name) }
        switch matches.count {
        case 0:
            let hint = suggestion(for: word, among: names).map { "; did you mean '--\($0)'?" } ?? ""
            return "unknown option '--\(word)'\(hint)"
        case 1: return isValueMissing ? message : "option '--\(matches[0])' takes no value"
        default: return "'--\(word)' is ambiguous: \(matches.map { "--\($0)" }.joined(separator: " or "))"
        }
    }
}
