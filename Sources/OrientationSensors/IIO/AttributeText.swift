// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
import POSIX

/// The texts of attributes and properties.
///
/// Numbers are read by `strtod` in the C locale, as no other one is set.
package enum AttributeText {
    /// The number that is the whole text; nil for any other text, "nan" and "inf" included.
    package static func number(_ text: String) -> Double? { text.withCString { number($0) } }

    /// The number in a C string, which may have white space around it; nil for any other text.
    static func number(_ text: UnsafePointer<CChar>) -> Double? {
        guard let (value, end) = scanNumber(text), value.isFinite else { return nil }
        return end[strspn(end, " \t\n\u{b}\u{c}\r")] == 0 ? value : nil
    }

    /// The numbers of a list separated by white space; nil when one is invalid.
    package static func numbers(_ text: String) -> [Double]? {
        text.utf8.split(whereSeparator: isSpace).mapAll { number(String(Substring($0))) }
    }

    /// The numbers of a list separated by commas; nil when one is invalid.
    static func numbers(betweenCommas text: Substring.UTF8View) -> [Double]? {
        text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .mapAll { number(String(Substring($0))) }
    }

    /// The rows of a mount matrix, `a, b, c; d, e, f; g, h, i`; nil for anything else.
    package static func matrixRows(_ text: String) -> (x: Vector3, y: Vector3, z: Vector3)? {
        let rows = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .mapAll { numbers(betweenCommas: $0) }
        guard let rows, rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
        return (Vector3(rows[0]) { $0 }, Vector3(rows[1]) { $0 }, Vector3(rows[2]) { $0 })
    }

    /// The shortest decimal text of a number, as the kernel takes it: `25`, `12.5`.
    package static func shortest(_ number: Double) -> String {
        let text = "\(number)"
        return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(Substring(text.utf8.dropLast(2))) : text
    }

    /// A name that a device gives itself, as it is shown: without control characters, and at most 80 characters long.
    ///
    /// A device that is plugged in chooses it.
    package static func name(_ text: String) -> String {
        var name = String.UnicodeScalarView()
        name.append(contentsOf: printable(text).unicodeScalars.prefix(80))
        return String(name)
    }

    /// A value in quotes for a one-line message: what is not printable ASCII shows as `?`, a long one is cut.
    package static func quoted(_ text: String) -> String {
        let shown = text.utf8.prefix(80).map { byte in
            (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") ? byte : UInt8(ascii: "?")
        }
        return "\"" + String(decoding: shown, as: UTF8.self) + (text.utf8.count > 80 ? "…\"" : "\"")
    }
}
