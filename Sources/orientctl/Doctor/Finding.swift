// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// The result of a check of `orientctl doctor`, and the command that fixes a problem.
struct Finding: Hashable, Sendable {
    enum Verdict: String, Sendable {
        case ok
        /// A minor problem, or a check that could not be made.
        case warn
        case fail

        var style: Terminal.Style {
            switch self {
            case .ok: .good
            case .warn: .caution
            case .fail: .bad
            }
        }
    }

    let verdict: Verdict

    /// The check's name: one or two words.
    let subject: String
    let text: String

    /// A command line; empty if there is nothing to fix, or no command would help.
    let remedy: String

    private init(_ verdict: Verdict, _ subject: String, _ text: String, _ remedy: String) {
        self.verdict = verdict
        self.subject = subject
        // The text may quote a driver, the firmware or another program.
        self.text = printable(text)
        self.remedy = printable(remedy)
    }

    static func ok(_ subject: String, _ text: String) -> Finding { Finding(.ok, subject, text, "") }

    static func warn(_ subject: String, _ text: String, remedy: String = "") -> Finding {
        Finding(.warn, subject, text, remedy)
    }

    static func fail(_ subject: String, _ text: String, remedy: String = "") -> Finding {
        Finding(.fail, subject, text, remedy)
    }

    /// The finding as one line, in colour on a terminal if `isStyled`.
    func line(isStyled: Bool = false) -> String {
        let word = verdict.rawValue + (verdict == .ok ? "   " : " ")
        let shown = isStyled ? Terminal.styled(word, verdict.style) : word
        return "\(shown) \(subject): \(text)" + (remedy.isEmpty ? "" : "; try: \(remedy)")
    }

    /// Reads what ``json`` returns; nil for anything else.
    init?(_ json: JSONValue) {
        guard let verdict = json["result"]?.text.flatMap({ Verdict(rawValue: $0) }), let subject = json["check"]?.text,
            let text = json["text"]?.text, let remedy = json["remedy"]?.text
        else { return nil }
        self.init(verdict, subject, text, remedy)
    }

    var json: JSONValue {
        JSONValue([
            "check": .text(subject), "result": .text(verdict.rawValue), "text": .text(text), "remedy": .text(remedy),
        ])
    }
}
