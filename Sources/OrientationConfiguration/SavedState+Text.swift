// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

// MARK: - As text

extension SavedState {
    /// What is wrong with a text that is no saved state.
    package struct TextError: Error, Hashable {
        /// Counted from 1.
        package let line: Int
        package let problem: String
    }

    private static let version = "1"

    /// The state as an ini text; its version comes last, so that a text that breaks off lacks it.
    var text: String {
        var text = "[State]\nRotationLock=\(lock)\nHeldOrientation=\(held)\n"
        if let autorotate { text += "Autorotate=\(autorotate)\n" }
        return text + "InterfaceOrientation=\(shown)\nVersion=\(Self.version)\n"
    }

    /// Creates the state whose `text` is exactly this one.
    ///
    /// Nothing else will do, not even another order: what was cut short, damaged or written by somebody else is never
    /// half believed.
    package init(text bytes: [UInt8]) throws(TextError) {
        let lines = IniParser.lines(of: bytes)
        for line in lines {
            guard case .assignment(_, "Version", let value) = line.content, value != Self.version else { continue }
            throw TextError(line: line.number, problem: "only version \(Self.version) is understood")
        }
        let end = "\nVersion=\(Self.version)\n"
        guard bytes.suffix(end.utf8.count).elementsEqual(end.utf8) else {
            throw TextError(line: Self.line(of: bytes.count - 1, in: bytes), problem: "the file breaks off here")
        }

        var lock: RotationLock?
        var held: InterfaceOrientation?
        var autorotate: AutorotateMode?
        var shown: InterfaceOrientation?
        for line in lines {
            switch line.content {
            case .problem(let problem):
                throw TextError(line: line.number, problem: problem)
            case .assignment("State", let key, let value):
                let isSound: Bool
                switch key {
                case "RotationLock":
                    lock = RotationLock(name: value)
                    isSound = lock != nil
                case "HeldOrientation":
                    held = InterfaceOrientation(name: value)
                    isSound = held != nil
                case "Autorotate":
                    autorotate = AutorotateMode(name: value)
                    isSound = autorotate != nil
                case "InterfaceOrientation":
                    shown = InterfaceOrientation(name: value)
                    isSound = shown != nil
                default:
                    isSound = key == "Version"
                }
                if !isSound { throw TextError(line: line.number, problem: "there is no such key or value") }
            case .assignment:
                throw TextError(line: line.number, problem: "there is no such section")
            }
        }
        guard let lock, let held, let shown else {
            throw TextError(line: Self.line(of: bytes.count - 1, in: bytes), problem: "a key is missing")
        }
        self.init(lock: lock, held: held, autorotate: autorotate, shown: shown)

        let same = zip(bytes, text.utf8).prefix { $0 == $1 }.count
        guard same == bytes.count, same == text.utf8.count else {
            throw TextError(line: Self.line(of: same, in: bytes), problem: "orientd would not have written that")
        }
    }

    /// The line that a byte of a text is in, counted from 1.
    private static func line(of index: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(max(0, index)).count { $0 == UInt8(ascii: "\n") } + 1
    }
}
