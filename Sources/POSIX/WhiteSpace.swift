// SPDX-License-Identifier: Apache-2.0

/// Whether a byte is white space, as isspace(3) has it in the C locale.
package func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

/// Whether a byte is a decimal digit of ASCII.
package func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// A text without the white space around it.
package func trimmed<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
    guard let last = text.lastIndex(where: { !isSpace($0) }) else { return text.prefix(0) }
    return text[...last].drop(while: isSpace)
}
