// SPDX-License-Identifier: Apache-2.0

/// Returns the candidate that `word` was probably meant to be; nil if none is close, or several are equally close.
///
/// A candidate is close if one edit for each three of its bytes turns one into the other, where an edit inserts,
/// removes or replaces a byte or swaps two neighbours, and changing the case is no edit; or if `word` is at least three
/// bytes and the start of no other candidate.
package func suggestion(for word: String, among candidates: [String]) -> String? {
    var best: (candidate: String, distance: Int)?
    var isTie = false
    for candidate in candidates {
        let found = distance(word.utf8.map(lowercase), candidate.utf8.map(lowercase))
        guard found <= max(1, min(3, candidate.utf8.count / 3)), found <= best?.distance ?? found else { continue }
        isTie = found == best?.distance && candidate != best?.candidate
        best = (candidate, found)
    }
    if let best, !isTie { return best.candidate }
    let longer = candidates.filter { $0.begins(with: word) }
    return word.utf8.count >= 3 && longer.count == 1 ? longer[0] : nil
}

/// The words of an error between an unknown word and the list of the known ones, with a suggestion if there is one.
package func useInstead(of word: String, among candidates: [String]) -> String {
    suggestion(for: word, among: candidates).map { "; did you mean '\($0)'? Use" } ?? ": use"
}

/// The number of edits between two words: the optimal string alignment distance.
private func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in first.indices {
        var current = [row + 1]
        for column in second.indices {
            let change = first[row] == second[column] ? 0 : 1
            var least = min(last[column + 1] + 1, current[column] + 1, last[column] + change)
            if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                least = min(least, beforeLast[column - 1] + 1)
            }
            current.append(least)
        }
        beforeLast = last
        last = current
    }
    return last[second.count]
}

/// The byte in lower case, if it is a letter of ASCII.
package func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
}
