// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

// MARK: - As text

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
        let lines = IniParser.lines(of: bytes)
        for line in lines {
            guard case .assignment(_, "Version", let value) = line.content, value != Self.version else { continue }
            throw TextError(line: line.number, problem: "only version \(Self.version) is supported")
        }
        let end = "\nVersion=\(Self.version)\n"
        guard bytes.suffix(end.utf8.count).elementsEqual(end.utf8) else {
            throw TextError(line: Self.line(of: bytes.count - 1, in: bytes), problem: "the file is truncated here")
        }

        var lock: RotationLock?
        var held: InterfaceOrientation?
        var autorotate: AutorotateMode?
        var shown: InterfaceOrientation?
        func store<Value: NamedValue>(_ name: String, in value: inout Value?) -> Bool {
            value = Value(name: name)
            return value != nil
        }
        for line in lines {
            let isValid =
                switch line.content {
                case .problem(let problem): throw TextError(line: line.number, problem: problem)
                case .assignment("State", "RotationLock", let name): store(name, in: &lock)
                case .assignment("State", "HeldOrientation", let name): store(name, in: &held)
                case .assignment("State", "Autorotate", let name): store(name, in: &autorotate)
                case .assignment("State", "InterfaceOrientation", let name): store(name, in: &shown)
                case .assignment(let section, let key, _): section == "State" && key == "Version"
                }
            if !isValid { throw TextError(line: line.number, problem: "there is no such section, key or value") }
        }
        guard let lock, let held, let shown else {
            throw TextError(line: Self.line(of: bytes.count - 1, in: bytes), problem: "a key is missing")
        }
        self.init(lock: lock, held: held, autorotate: autorotate, shown: shown)

        let same = zip(bytes, text.utf8).prefix { $0 == $1 }.count
        guard same == bytes.count, same == text.utf8.count else {
            throw TextError(line: Self.line(of: same, in: bytes), problem: "orientd does not write this")
        }
    }

    /// The line that a byte of a text is in, counted from 1.
    private static func line(of index: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(max(0, index)).count { $0 == UInt8(ascii: "\n") } + 1
    }
}
