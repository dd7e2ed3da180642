// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// The numbers of a trace: decimal as C writes them, `nan` and `inf`.
enum TraceNumber {
    /// Reads the number at the cursor and moves the cursor behind it, or returns nothing.
    ///
    /// The text must end in a byte that is part of no number. The result is the nearest Double. What strtod(3) takes
    /// beyond that is refused: blanks in front, hexadecimal numbers and the payload of a NaN.
    static func scan(_ cursor: inout UnsafePointer<UInt8>) -> Double? {
        let hasSign = cursor.pointee == UInt8(ascii: "-") || cursor.pointee == UInt8(ascii: "+")
        let digits = hasSign ? cursor + 1 : cursor
        guard digits.pointee > UInt8(ascii: " "), digits[1] | 0x20 != UInt8(ascii: "x") else { return nil }

        let start = UnsafeRawPointer(cursor).assumingMemoryBound(to: CChar.self)
        guard let (number, end) = scanNumber(start), end[-1] != CChar(UInt8(ascii: ")")) else { return nil }
        cursor += end - start
        return number
    }
}
