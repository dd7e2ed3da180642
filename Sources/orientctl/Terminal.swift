// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// Standard output, if it is a terminal.
enum Terminal {
    enum Style: String {
        case accent = "36", faint = "2", good = "32", caution = "33", bad = "31"
    }

    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Nil where the terminal does not know its size.
    static var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard orientd_terminal_size(STDOUT_FILENO, &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Its width; 80 where it does not know its size.
    static var columns: Int { size?.columns ?? 80 }

    /// Whether the shell lets this program use the terminal; true for a terminal that no shell controls.
    static var isInForeground: Bool {
        let group = tcgetpgrp(STDOUT_FILENO)
        return group == -1 || group == getpgrp()
    }

    /// Returns the text in a style, on a terminal that has styles and without NO_COLOR (no-color.org).
    static func styled(_ text: String, _ style: Style) -> String {
        let isPlain = environment("NO_COLOR") != nil || environment("TERM") ?? "dumb" == "dumb"
        return isOutput && !isPlain && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Formats a number in decimal notation with exactly so many places.
func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite else { return "\(value)" }
    var unit = 1.0
    for _ in 0..<places { unit *= 10 }
    let scaled = (abs(value) * unit).rounded()
    // Beyond 2^53 every number is whole.
    guard scaled < 9e15 else { return "\(value)" }
    let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: Int(unit))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    // The unit in front keeps the zeros that the fraction begins with.
    return sign + "\(whole)" + (places > 0 ? "." + Substring("\(fraction + Int(unit))".utf8.dropFirst()) : "")
}

/// Formats a number with at most so many places, without trailing zeros.
func shortDecimal(_ value: Double, places: Int) -> String {
    let text = decimal(value, places: places)
    var digits = text.utf8[...]
    guard places > 0, digits.contains(UInt8(ascii: ".")), !digits.contains(UInt8(ascii: "e")) else { return text }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.last == UInt8(ascii: ".") { digits.removeLast() }
    return String(Substring(digits))
}

/// Escapes a text for XML and for Pango's markup; `?` replaces control characters, which XML forbids.
func escapedMarkup(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\n": escaped += "\n"
        case _ where scalar.value < 0x20 || scalar.value >= 0xfffe && scalar.value <= 0xffff: escaped += "?"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
