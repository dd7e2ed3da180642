// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

extension SavedState {
    /// Why a text is not a saved state.
    package struct TextError: Error, Hashable {
        /// Counted from 1.
        package let line: Int
        package let problem: String
    }

    private static let version = "1"

    /// The state as an ini text; the version comes last, so that a truncated text lacks it.
    var text: String {
        var text = "[State]\nRotationLock=\(lock)\nHeldOrientation=\(held)\n"
        if let autorotate { text += "Autorotate=\(autorotate)\n" }
        return text + "InterfaceOrientation=\(shown)\nVersion=\(Self.version)\n"
    }

    /// Creates the state whose `text` is exactly this one, so that no damaged text is accepted.
    package init(text bytes: [UInt8]) throws(TextError) {
        var values: [String: String] = [:]
        for line in IniParser.lines(of: bytes) {
            guard case .assignment(_, let key, let value) = line.content else { continue }
            values[key] = value
            guard key != "Version" || value == Self.version else {
                throw TextError(line: line.number, problem: "only version \(Self.version) is supported")
            }
        }
        // A value that is missing or invalid has another one in `text`.
        self.init(
            lock: values["RotationLock"].flatMap { RotationLock($0) } ?? .off,
            held: values["HeldOrientation"].flatMap { InterfaceOrientation($0) } ?? .portrait,
            autorotate: values["Autorotate"].flatMap { AutorotateMode($0) },
            shown: values["InterfaceOrientation"].flatMap { InterfaceOrientation($0) } ?? .portrait
        )
        let same = zip(bytes, text.utf8).prefix { $0 == $1 }.count
        guard same == bytes.count, same == text.utf8.count else {
            let problem = same == bytes.count ? "the file is truncated here" : "orientd does not write this"
            throw TextError(line: Self.line(of: min(same, bytes.count - 1), in: bytes), problem: problem)
        }
    }

    /// The line that a byte of a text is in, counted from 1.
    private static func line(of index: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(max(0, index)).count { $0 == UInt8(ascii: "\n") } + 1
    }
}
