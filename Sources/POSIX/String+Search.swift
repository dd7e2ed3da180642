// SPDX-License-Identifier: Apache-2.0

// The standard library searches texts for texts, but not in Embedded Swift.

extension String {
    /// The rest of the text after the first occurrence of `separator`; nil without one.
    package func suffix(after separator: String) -> Substring? {
        var rest = utf8[...]
        while rest.count >= separator.utf8.count {
            if rest.starts(with: separator.utf8) { return Substring(rest.dropFirst(separator.utf8.count)) }
            rest.removeFirst()
        }
        return nil
    }

    /// The rest of the text after `prefix`; nil for a text that does not begin with it.
    package func dropping(prefix: String) -> String? {
        begins(with: prefix) ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }

    /// Compares bytes: `hasPrefix` and `hasSuffix` compare characters, whose tables take 10 kB.
    package func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }

    package func ends(with text: String) -> Bool { utf8.suffix(text.utf8.count).elementsEqual(text.utf8) }

    package func includes(_ text: String) -> Bool { suffix(after: text) != nil }
}
