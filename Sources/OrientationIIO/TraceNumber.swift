// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The numbers of a trace: decimal as C writes them, `nan` and `inf`; nothing in hexadecimal.
enum TraceNumber {
    /// 10^0 to 10^22: all the powers of ten that a Double holds exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Reads the number at the cursor and moves the cursor behind it, or returns nothing.
    ///
    /// The text must end in a byte that is part of no number. The result is the nearest Double.
    static func scan(_ cursor: inout UnsafePointer<UInt8>) -> Double? {
        let start = cursor
        let isNegative = cursor.pointee == UInt8(ascii: "-")
        if isNegative || cursor.pointee == UInt8(ascii: "+") { cursor += 1 }
        let word = cursor

        var mantissa: UInt64 = 0
        var isExact = true
        func scanDigits() -> Int {
            let first = cursor
            while let digit = digit(cursor.pointee) {
                // Up to here ten times the mantissa and a digit fit.
                if mantissa < 1_000_000_000_000_000_000 {
                    mantissa = mantissa * 10 + digit
                } else {
                    isExact = false
                }
                cursor += 1
            }
            return cursor - first
        }

        var digits = scanDigits()
        var exponent = 0
        if cursor.pointee == UInt8(ascii: ".") {
            cursor += 1
            let decimals = scanDigits()
            digits += decimals
            exponent = -decimals
        }
        guard digits > 0 else {
            guard cursor == word else { return nil }
            return digitless(&cursor, from: start, isNegative: isNegative)
        }
        if cursor.pointee | 0x20 == UInt8(ascii: "e") {
            guard let power = scanExponent(&cursor) else { return nil }
            exponent += power
        }

        // Below 2^53 the mantissa is exact, and so is the power: one rounding, the right one. Else strtod knows how.
        guard isExact, mantissa <= 1 << 53, abs(exponent) < powersOfTen.count else {
            return UnsafeRawPointer(start).withMemoryRebound(to: CChar.self, capacity: cursor - start) {
                strtod($0, nil)
            }
        }
        let magnitude =
            exponent < 0 ? Double(mantissa) / powersOfTen[-exponent] : Double(mantissa) * powersOfTen[exponent]
        return isNegative ? -magnitude : magnitude
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        let value = byte &- UInt8(ascii: "0")
        return value < 10 ? UInt64(value) : nil
    }

    /// Reads `e`, a sign and digits; a power beyond every Double stays there, however long its text.
    private static func scanExponent(_ cursor: inout UnsafePointer<UInt8>) -> Int? {
        cursor += 1
        let isNegative = cursor.pointee == UInt8(ascii: "-")
        if isNegative || cursor.pointee == UInt8(ascii: "+") { cursor += 1 }
        let first = cursor
        var power = 0
        while let digit = digit(cursor.pointee) {
            power = min(power * 10 + Int(digit), 100_000)
            cursor += 1
        }
        guard cursor > first else { return nil }
        return isNegative ? -power : power
    }

    /// Reads `nan`, `inf` or `infinity`, in letters of either case.
    private static func digitless(
        _ cursor: inout UnsafePointer<UInt8>,
        from start: UnsafePointer<UInt8>,
        isNegative: Bool
    ) -> Double? {
        func skip(_ word: StaticString) -> Bool {
            for offset in 0..<word.utf8CodeUnitCount where cursor[offset] | 0x20 != word.utf8Start[offset] {
                return false
            }
            cursor += word.utf8CodeUnitCount
            return true
        }
        if skip("nan") { return .nan }
        guard skip("inf") else { return nil }
        _ = skip("inity")
        return isNegative ? -.infinity : .infinity
    }
}
