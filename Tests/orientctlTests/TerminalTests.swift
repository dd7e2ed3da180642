// SPDX-License-Identifier: Apache-2.0

import POSIX
import Testing

@testable import orientctl

@Suite struct DecimalTests {
    static let numbers: [(Double, Int, String)] = [
        (0, 0, "0"), (0, 3, "0.000"), (-0.0, 2, "0.00"), (1.5, 1, "1.5"), (-1.5, 1, "-1.5"), (0.05, 2, "0.05"),
        (-0.004, 2, "0.00"), (-0.006, 2, "-0.01"), (9.999, 2, "10.00"), (99.5, 0, "100"), (12.5, 0, "13"),
        (-12.5, 0, "-13"), (1e-9, 3, "0.000"), (123456.789, 2, "123456.79"), (8.9e15, 0, "8900000000000000"),
        (1e16, 0, "1e+16"), (1e13, 3, "10000000000000.0"), (-1e300, 2, "-1e+300"), (.nan, 2, "nan"),
        (.infinity, 2, "inf"), (-.infinity, 0, "-inf"), (.leastNonzeroMagnitude, 1, "0.0"),
    ]

    @Test(arguments: numbers)
    func `a number has exactly the given places, up to 2^53`(
        value: Double,
        places: Int,
        text: String
    ) {
        #expect(decimal(value, places: places) == text)
    }

    @Test(arguments: [
        (0, 3, "0"), (-0.0, 2, "0"), (1.5, 3, "1.5"), (10, 1, "10"), (100, 0, "100"), (-0.25, 2, "-0.25"),
        (1e300, 2, "1e+300"),
    ])
    func `a short number has no trailing zeros`(value: Double, places: Int, text: String) {
        #expect(shortDecimal(value, places: places) == text)
    }
}

@Suite struct PrintableTests {
    static let texts: [(String, String)] = [
        ("", ""), ("lis3dh", "lis3dh"), ("Größe ▲ 加速度", "Größe ▲ 加速度"), ("a\u{1B}[31mb", "a\u{FFFD}[31mb"),
        ("\u{0}\t\n\r\u{1F}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"), ("\u{7F}", "\u{FFFD}"),
        ("\u{80}\u{9B}\u{9F}\u{A0}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{A0}"), ("~ ", "~ "),
    ]

    @Test(arguments: texts)
    func `control characters are replaced, and nothing else`(text: String, shown: String) {
        #expect(printable(text) == shown)
    }
}
