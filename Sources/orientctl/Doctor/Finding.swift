// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import JSON
import POSIX
import SystemdBus

/// The result of a check of `orientctl doctor`, and what fixes a problem.
struct Finding: Hashable, Sendable {
    enum Verdict: String, Sendable {
        case ok
        /// A minor problem, or a check that could not be made.
        case warn
        case fail
    }

    /// The check's name: one or two words; ``Check`` adds it.
    var subject = ""
    let verdict: Verdict
    let text: String
    let remedy: Remedy

    private init(_ verdict: Verdict, _ text: String, _ remedy: Remedy) {
        self.verdict = verdict
        // The text may quote a driver, the firmware or another program.
        self.text = printable(text)
        self.remedy = remedy
    }

    static func ok(_ text: String, remedy: Remedy = .none) -> Finding { Finding(.ok, text, remedy) }
    static func warn(_ text: String, remedy: Remedy = .none) -> Finding { Finding(.warn, text, remedy) }
    static func fail(_ text: String, remedy: Remedy = .none) -> Finding { Finding(.fail, text, remedy) }

    private var label: (word: String, style: Terminal.Style) {
        switch verdict {
        case .ok: ("ok   ", .good)
        case .warn: ("warn ", .caution)
        case .fail: ("fail ", .bad)
        }
    }

    /// The finding as one line; `bus` is the one that was examined.
    func line(on bus: BusAddress) -> String { "\(label.word) \(subject): \(advice(on: bus))" }

    /// The finding on a terminal of so many columns; the command has a line of any length, so that it can be copied.
    func rows(on bus: BusAddress, columns: Int) -> [String] {
        let margin = "      "
        let command = remedy.command(on: bus)
        let lines = OptionParser.wrapped("\(subject): \(text)", width: columns - margin.utf8.count)
        let rows = lines.enumerated().map { ($0 == 0 ? Terminal.styled(label.word, label.style) + " " : margin) + $1 }
        return command.isEmpty ? rows : rows + ["\(margin)try: \(command)"]
    }

    /// What was found, and the command that helps if there is one.
    func advice(on bus: BusAddress) -> String { remedy.added(to: text, on: bus) }

    /// Reads what ``json(on:)`` returns; nil for anything else.
    init?(_ json: JSONValue) {
        guard let verdict = json["result"]?.text.flatMap({ Verdict(rawValue: $0) }), let subject = json["check"]?.text,
            let text = json["text"]?.text, let remedy = json["remedy"]?.text
        else { return nil }
        self.init(verdict, text, remedy.isEmpty ? .none : .change(remedy))
        self.subject = subject
    }

    func json(on bus: BusAddress) -> JSONValue {
        JSONValue([
            "check": .text(subject), "result": .text(verdict.rawValue), "text": .text(text),
            "remedy": .text(remedy.command(on: bus)),
        ])
    }
}
