// SPDX-License-Identifier: Apache-2.0

/// What a check of `orientctl doctor` has found, and the command that mends it.
struct Finding: Hashable, Sendable {
    enum Verdict: String, Sendable {
        case ok
        /// Not as it should be, or not to be told; the rest may work.
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

    /// What was looked at: one or two words.
    let subject: String
    let text: String

    /// A command line; empty where nothing is to be done, or none would help.
    let remedy: String

    private init(_ verdict: Verdict, _ subject: String, _ text: String, _ remedy: String) {
        self.verdict = verdict
        self.subject = subject
        // A driver, a firmware or a stranger on the bus may be quoted.
        self.text = printable(text)
        self.remedy = printable(remedy)
    }

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(.ok, subject, text, "")
    }

    static func warn(_ subject: String, _ text: String, remedy: String = "") -> Finding {
        Finding(.warn, subject, text, remedy)
    }

    static func fail(_ subject: String, _ text: String, remedy: String = "") -> Finding {
        Finding(.fail, subject, text, remedy)
    }

    /// The finding as one line; in colour on a terminal only, which `isStyled` says.
    func line(isStyled: Bool = false) -> String {
        let word = verdict.rawValue + (verdict == .ok ? "   " : " ")
        let shown = isStyled ? Terminal.styled(word, verdict.style) : word
        return "\(shown) \(subject): \(text)" + (remedy.isEmpty ? "" : "; try: \(remedy)")
    }

    var json: JSONObject {
        let object = JSONObject()
        object.set("check", subject)
        object.set("result", verdict.rawValue)
        object.set("text", text)
        object.set("remedy", remedy)
        return object
    }
}
