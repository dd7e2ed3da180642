// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
import POSIX

/// The texts of attributes and properties.
///
/// Numbers are read by `strtod` in the C locale, as no other one is set.
package enum AttributeText {
    /// The number that is the whole text; nil for any other text, "nan" and "inf" included.
    package static func number(_ text: String) -> Double? {
        text.withCString { number($0) }
    }

    /// The number in a C string, which may have white space around it; nil for any other text.
    static func number(_ text: UnsafePointer<CChar>) -> Double? {
        guard let (value, end) = scanNumber(text), value.isFinite, isBlank(end) else { return nil }
        return value
    }

    /// The numbers of a list separated by white space; nil when one is invalid.
    package static func numbers(_ text: String) -> [Double]? {
        var numbers: [Double] = []
        for word in text.utf8.split(whereSeparator: isSpace) {
            guard let number = number(String(Substring(word))) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// The rows of a mount matrix, `a, b, c; d, e, f; g, h, i`; nil for anything else.
    package static func matrixRows(_ text: String) -> (x: Vector3, y: Vector3, z: Vector3)? {
        let rows = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard
            rows.count == 3,
            let x = row(rows[0]),
            let y = row(rows[1]),
            let z = row(rows[2])
        else { return nil }
        return (x, y, z)
    }

    private static func row(_ text: Substring.UTF8View) -> Vector3? {
        let cells = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard
            cells.count == 3,
            let x = number(String(Substring(cells[0]))),
            let y = number(String(Substring(cells[1]))),
            let z = number(String(Substring(cells[2])))
        else { return nil }
        return Vector3(x, y, z)
    }

    /// The shortest decimal text of a number, as the kernel takes it: `25`, `12.5`.
    package static func shortest(_ number: Double) -> String {
        let text = "\(number)"
        return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(Substring(text.utf8.dropLast(2))) : text
    }

    /// A value in quotes for a one-line message: what is not printable ASCII shows as `?`, a long one is cut.
    package static func quoted(_ text: String) -> String {
        var shown: [UInt8] = []
        for byte in text.utf8.prefix(80) {
            shown.append((0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") ? byte : UInt8(ascii: "?"))
        }
        return "\"" + String(decoding: shown, as: UTF8.self) + (text.utf8.count > 80 ? "…\"" : "\"")
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func isBlank(_ text: UnsafePointer<CChar>) -> Bool {
        var next = text
        while next.pointee != 0 {
            guard isSpace(UInt8(bitPattern: next.pointee)) else { return false }
            next += 1
        }
        return true
    }
}
