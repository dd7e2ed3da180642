// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions

extension OptionError {
    /// What is wrong, and a similar option or where to find all; `options` are those that `program` accepts.
    func message(among options: [OptionParser.Option], of program: String) -> String {
        if argument == "-j" || argument == "--json" { return "this command prints no JSON" }
        guard argument.utf8.starts(with: "--".utf8) else { return Self.message(problem, program) }
        let name = argument.utf8.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
        let word = String(decoding: name, as: UTF8.self)
        let names = options.map { "\($0.name)" }
        let matches = names.contains(word) ? [word] : names.filter { $0.utf8.starts(with: name) }
        switch matches.count {
        case 0:
            let problem = "unknown option '--\(word)'"
            if let similar = suggestion(for: word, among: names) { return problem + "; did you mean '--\(similar)'?" }
            return Self.message(problem, program)
        case 1: return Self.message(isValueMissing ? problem : "option '--\(matches[0])' takes no value", program)
        default:
            let all = matches.map { "--\($0)" }.joined(separator: " or ")
            return Self.message("'--\(word)' is ambiguous: \(all)", program)
        }
    }
}
