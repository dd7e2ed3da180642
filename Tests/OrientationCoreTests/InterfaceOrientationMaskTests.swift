// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// Sets of orientations, as numbers and as text.
@Suite struct InterfaceOrientationMaskTests {
    static let bits: [(InterfaceOrientation, InterfaceOrientationMask, UInt32)] = [
        (.portrait, .portrait, 2),
        (.portraitUpsideDown, .portraitUpsideDown, 4),
        (.landscapeRight, .landscapeRight, 8),
        (.landscapeLeft, .landscapeLeft, 16),
    ]

    @Test(arguments: bits)
    func `the bit of an orientation is 1 << raw`(
        orientation: InterfaceOrientation,
        mask: InterfaceOrientationMask,
        number: UInt32
    ) {
        #expect(mask.rawValue == number)
        #expect(number == 1 << UInt32(orientation.rawValue))
        #expect(InterfaceOrientationMask(orientation) == mask)
        #expect(InterfaceOrientation.allCases.filter { mask.contains($0) } == [orientation])
    }

    @Test(
        arguments: [
            (InterfaceOrientationMask.landscape, UInt32(24), [InterfaceOrientation.landscapeRight, .landscapeLeft]),
            (.allButUpsideDown, 26, [.portrait, .landscapeRight, .landscapeLeft]),
            (.all, 30, [.portrait, .portraitUpsideDown, .landscapeRight, .landscapeLeft]),
        ]
    )
    func `landscape is 24, allButUpsideDown 26, all 30`(
        mask: InterfaceOrientationMask,
        number: UInt32,
        orientations: [InterfaceOrientation]
    ) {
        #expect(mask.rawValue == number)
        #expect(InterfaceOrientation.allCases.filter { mask.contains($0) } == orientations)
    }

    @Test func `a mask of 0, or with any other bit, is an error`() {
        for number in UInt32(0)...64 {
            let isValid = number >= 2 && number <= 30 && number % 2 == 0
            #expect(InterfaceOrientationMask(rawValue: number).isValid == isValid, "\(number)")
        }
        for bit in [UInt32(0)] + Array(5..<32) {
            #expect(!InterfaceOrientationMask(rawValue: 30 | 1 << bit).isValid, "bit \(bit)")
        }
    }

    static let texts: [(String, InterfaceOrientationMask)] = [
        ("all", .all),
        ("all-but-upside-down", .allButUpsideDown),
        ("landscape", .landscape),
        ("portrait", .portrait),
        ("portrait-upside-down", .portraitUpsideDown),
        ("landscape-right", .landscapeRight),
        ("landscape-left", .landscapeLeft),
        ("portrait,landscape-left", [.portrait, .landscapeLeft]),
        ("landscape-left,portrait", [.portrait, .landscapeLeft]),
        ("landscape-left,landscape-right", .landscape),
        ("landscape-left,portrait,landscape-right,portrait-upside-down", .all),
        ("portrait, landscape-left", [.portrait, .landscapeLeft]),
        ("  portrait  ,  landscape-left  ", [.portrait, .landscapeLeft]),
        ("portrait,portrait", .portrait),
        ("portrait,landscape", .allButUpsideDown),
        ("portrait,all", .all),
    ]

    @Test(arguments: texts)
    func `a mask in the configuration is sets and edges with commas`(
        text: String,
        mask: InterfaceOrientationMask
    ) {
        #expect(InterfaceOrientationMask(text) == mask)
    }

    @Test(
        arguments: [
            "", " ", ",", "portrait,", ",portrait", "portrait,,landscape-left", "portrait, ,landscape-left", "none",
            "All", "PORTRAIT", "portrait landscape-left", "portrait;landscape-left",
            "upside-down", "portrait-", "land scape", "unknown", "face-up", "2", "30",
            "portrait\u{0}", "portrait\n", "ａll", "portrait,ü",
        ]
    )
    func `any other text is refused`(text: String) {
        #expect(InterfaceOrientationMask(text) == nil)
    }

    @Test func `the description is the text of the mask`() {
        for number in stride(from: UInt32(2), through: 30, by: 2) {
            let mask = InterfaceOrientationMask(rawValue: number)
            #expect(InterfaceOrientationMask("\(mask)") == mask, "\(number)")
        }
        #expect("\(InterfaceOrientationMask.all)" == "all")
        #expect("\(InterfaceOrientationMask.allButUpsideDown)" == "all-but-upside-down")
        #expect("\(InterfaceOrientationMask.landscape)" == "landscape")
        #expect("\([.landscapeLeft, .portrait] as InterfaceOrientationMask)" == "portrait,landscape-left")
        #expect("\([] as InterfaceOrientationMask)" == "none")
    }

    /// What is shown if nothing else decides.
    @Test func `lowest is the orientation with the lowest raw value`() {
        for number in UInt32(0)...32 {
            let mask = InterfaceOrientationMask(rawValue: number)
            let lowest = (UInt8(1)...4).first { number & 1 << UInt32($0) != 0 }
            #expect(mask.lowest?.rawValue == lowest, "\(number)")
        }
    }
}
