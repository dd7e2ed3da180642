// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationConfiguration

@Suite struct IniParserTests {
    @Test(arguments: [196, 197, 198, 199, 200, 201, 280, 300, 5000])
    func `a blank line of any length is skipped`(length: Int) {
        for blank in [" ", "\t", "\r", "\u{0B}"] {
            let text = "A=1\n" + String(repeating: blank, count: length) + "\n[S]\nB=2"
            #expect(
                IniParser.lines(of: Array(text.utf8)) == [
                    IniLine(number: 1, content: .assignment(section: "", key: "A", value: "1")),
                    IniLine(number: 4, content: .assignment(section: "S", key: "B", value: "2")),
                ]
            )
        }
        #expect(IniParser.lines(of: [0xEF, 0xBB, 0xBF] + Array(repeating: 0x20, count: length)).isEmpty)
    }

    // MARK: - Random texts

    private enum Kind: CaseIterable { case blank, comment, section, assignment, continuation, noise }

    private static let lengths = [0, 1, 2, 48, 49, 50, 51, 150, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 999]

    private static func line(_ kind: Kind, _ random: inout SplitMix) -> [UInt8] {
        let length = lengths.randomElement(using: &random) ?? 0
        let letters = (0..<length).map { _ in Array("abc =:[];#\t\"é".utf8).randomElement(using: &random) ?? 0x61 }
        let blanks = [UInt8](repeating: Bool.random(using: &random) ? 0x20 : 0x09, count: length)
        var line: [UInt8] =
            switch kind {
            case .blank: blanks
            case .comment: blanks.prefix(length / 2) + Array("#".utf8) + letters
            case .section: Array("[".utf8) + letters + Array("]".utf8)
            case .assignment: Array("key".utf8) + Array(blanks.prefix(length / 3)) + Array("=".utf8) + letters
            case .continuation: [0x20] + blanks.prefix(length / 3) + letters
            case .noise: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
        if Int.random(in: 0..<10, using: &random) == 0 {
            line.insert(0, at: Int.random(in: 0...line.count, using: &random))
        }
        if Int.random(in: 0..<4, using: &random) == 0 { line.append(0x0D) }
        return line
    }

    @Test(arguments: UInt64(1)...400)
    func `each line that is not blank, a comment or a section is one assignment or one problem`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var text: [UInt8] = Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            let kind = Kind.allCases.randomElement(using: &random) ?? .blank
            text += Self.line(kind, &random) + [0x0A]
        }
        text += Self.line(.assignment, &random)

        var numbers = IniParser.lines(of: text).map(\.number)[...]
        #expect(Set(numbers).count == numbers.count && numbers.elementsEqual(numbers.sorted()), "seed \(seed)")
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let isReported = numbers.first == index + 1
            if isReported { numbers.removeFirst() }
            switch line.first(where: { $0 != 0x20 && !(9...13).contains($0) }) {
            case nil: #expect(!isReported, "seed \(seed), line \(index + 1): blank")
            case UInt8(ascii: "["), UInt8(ascii: "#"), UInt8(ascii: ";"): break
            default: #expect(isReported, "seed \(seed), line \(index + 1): nothing is said of it")
            }
        }
        #expect(numbers.isEmpty, "seed \(seed)")
    }
}
