// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

@testable import OrientationConfiguration

@Suite struct SavedStateTests {
    /// Every state there is.
    static let all: [SavedState] = {
        let locks: [RotationLock] = [.off, .current] + InterfaceOrientation.allCases.map { .orientation($0) }
        var states: [SavedState] = []
        for lock in locks {
            for held in InterfaceOrientation.allCases {
                for autorotate in [nil] + AutorotateMode.allCases {
                    for shown in InterfaceOrientation.allCases {
                        states.append(SavedState(lock: lock, held: held, autorotate: autorotate, shown: shown))
                    }
                }
            }
        }
        return states
    }()

    static let sample = SavedState(
        lock: .orientation(.portrait),
        held: .portrait,
        autorotate: .tabletMode,
        shown: .landscapeLeft
    )

    /// The state of a text; nil for one that is refused.
    private func state(_ text: some Sequence<UInt8>) -> SavedState? {
        try? SavedState(text: Array(text))
    }

    @Test func `the text names each value and ends with the version`() {
        #expect(
            Self.sample.text == """
                [State]
                RotationLock=portrait
                HeldOrientation=portrait
                Autorotate=tablet-mode
                InterfaceOrientation=landscape-left
                Version=1

                """
        )
        #expect(
            SavedState(lock: .current, held: .landscapeRight, autorotate: nil, shown: .portraitUpsideDown).text == """
                [State]
                RotationLock=current
                HeldOrientation=landscape-right
                InterfaceOrientation=portrait-upside-down
                Version=1

                """
        )
    }

    @Test func `every state is read back from its text, and no two have the same`() throws {
        #expect(Self.all.count == 384)
        #expect(Set(Self.all.map(\.text)).count == 384)
        for saved in Self.all { #expect(try SavedState(text: Array(saved.text.utf8)) == saved) }
    }

    @Test func `no part of a text is a state, whatever state it is of`() {
        for saved in Self.all {
            let text = Array(saved.text.utf8)
            for length in 0..<text.count {
                if state(text.prefix(length)) != nil { Issue.record("the first \(length) bytes of \(saved.text)") }
                if state(text.suffix(length)) != nil { Issue.record("the last \(length) bytes of \(saved.text)") }
            }
        }
    }

    @Test(arguments: [
        sample,
        SavedState(lock: .off, held: .landscapeRight, autorotate: nil, shown: .portraitUpsideDown),
        SavedState(lock: .current, held: .portraitUpsideDown, autorotate: .never, shown: .portrait),
    ])
    func `no text with one byte changed, added or taken away is a state`(saved: SavedState) {
        let text = Array(saved.text.utf8)
        for index in text.indices {
            var changed = text
            for byte in UInt8.min...UInt8.max where byte != text[index] {
                changed[index] = byte
                if state(changed) != nil { Issue.record("byte \(index) is \(byte)") }
            }
            changed.remove(at: index)
            if state(changed) != nil { Issue.record("byte \(index) is gone") }
        }
        for index in 0...text.count {
            for byte in Array("\0\t\n\r #;[=aV1\u{7F}".utf8) + [0xFF] {
                var changed = text
                changed.insert(byte, at: index)
                if state(changed) != nil { Issue.record("byte \(byte) stands before byte \(index)") }
            }
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `random bytes are no state, and no line of one comes twice or out of order`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let lines = Self.sample.text.split(separator: "\n").map { Array($0.utf8) + [0x0A] }
        for _ in 0..<1000 {
            let bytes = (0..<random.next() % 300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(state(bytes) == nil)
            // With its end, so that the lines before it are looked at.
            #expect(state(bytes + "\nVersion=1\n".utf8) == nil)
            let some = (0..<random.next() % 8).flatMap { _ in lines[Int(random.next() % UInt64(lines.count))] }
            let text = some + "Version=1\n".utf8
            if let state = state(text) { #expect(Array(state.text.utf8) == text) }
        }
    }

    /// Lines of the sample's text, by number, with what replaces them; then the line of the error.
    static let refusals: [(Int, String, Int)] = [
        (1, "[Other]", 1),
        (1, "[State", 1),
        (1, "State", 1),
        (1, "\u{FEFF}[State]", 1),
        (2, "RotationLock=Portrait", 2),
        (2, "rotationLock=portrait", 2),
        (2, "HeldOrientation=portrait\nRotationLock=portrait", 2),
        (2, "", 2),
        (3, "HeldOrientation=sideways", 3),
        (3, "HeldOrientation=portrait\nHeldOrientation=portrait", 4),
        (3, "; HeldOrientation=portrait", 3),
        (4, "Autorotate=", 4),
        (4, "Autorotate: tablet-mode", 4),
        (4, "#utorotate=tablet-mode", 4),
        (4, "Colour=blue", 4),
        (4, "\u{0}", 4),
        (5, "InterfaceOrientation=unknown", 5),
        (5, "InterfaceOrientation=landscape-left\n", 6),
        (6, "Version=1\n", 7),
        (6, "Version=1\r", 6),
        (6, "Vers", 6),
    ]

    @Test(arguments: refusals)
    func `the error for a text has the first line that orientd would write otherwise`(
        number: Int,
        replacement: String,
        line: Int
    ) {
        #expect(throws: SavedState.TextError(line: line, problem: "orientd does not write this")) {
            try SavedState(text: Self.text(number, replacement))
        }
    }

    @Test(arguments: [("Version=2", 6), ("Colour=blue\nVersion=12", 7), ("Version=1\nVersion=2", 7)])
    func `the error for another version says so`(replacement: String, line: Int) {
        #expect(throws: SavedState.TextError(line: line, problem: "only version 1 is supported")) {
            try SavedState(text: Self.text(6, replacement))
        }
    }

    /// The sample's text with another line in place of one.
    private static func text(_ number: Int, _ replacement: String) -> [UInt8] {
        var lines = sample.text.split(separator: "\n").map { String($0) }
        lines[number - 1] = replacement
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    @Test(arguments: [("", 1), ("[State]", 1), ("[State]\n", 1), ("[State]\nRotationLock=off", 2)])
    func `the error for a truncated text has its last line`(text: String, line: Int) {
        #expect(throws: SavedState.TextError(line: line, problem: "the file is truncated here")) {
            try SavedState(text: Array(text.utf8))
        }
    }
}
