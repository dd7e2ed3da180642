// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
import POSIX

/// The texts of attributes and properties.
///
/// Numbers are read by `strtod` in the C locale, as no other one is set.
package enum AttributeText {
    private static let space = " \t\n\u{b}\u{c}\r"

    /// The number that is the whole text; nil for any other text, "nan" and "inf" included.
    package static func number(_ text: String) -> Double? { text.withCString { number($0) } }

    /// The number in a C string, which may have white space around it; nil for any other text.
    static func number(_ text: UnsafePointer<CChar>) -> Double? {
        guard let (value, end) = scanNumber(text), value.isFinite else { return nil }
        return end[strspn(end, space)] == 0 ? value : nil
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

    /// The rows of a mount matrix, `a, b, c; d, e, f; g, h, i`, and what is behind it; nil for anything else.
    ///
    /// iio-sensor-proxy ignores what is behind it, so entries with a semicolon or a comment there are in use.
    package static func matrixRows(_ text: String) -> (x: Vector3, y: Vector3, z: Vector3, rest: String)? {
        text.withCString { start in
            var numbers: [Double] = []
            var place = start
            while let (value, end) = scanNumber(place), value.isFinite {
                numbers.append(value)
                place = end + strspn(end, space)
                guard numbers.count < 9 else {
                    var rest = Substring(String(cString: place)).utf8
                    while let last = rest.last, isSpace(last) { rest.removeLast() }
                    let rows = stride(from: 0, to: 9, by: 3).map { Vector3(Array(numbers[$0..<$0 + 3])) { $0 } }
                    return (rows[0], rows[1], rows[2], String(Substring(rest)))
                }
                let separator = numbers.count.isMultiple(of: 3) ? UInt8(ascii: ";") : UInt8(ascii: ",")
                guard UInt8(bitPattern: place.pointee) == separator else { return nil }
                place += 1
            }
            return nil
        }
    }

    /// The shortest decimal text of a number, as the kernel takes it: `25`, `12.5`.
    package static func shortest(_ number: Double) -> String {
        let text = "\(number)"
        return text.ends(with: ".0") ? String(Substring(text.utf8.dropLast(2))) : text
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
