// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSensors

@Suite
struct `What is no IIO device` {
    static let brightnesses: [(String, Double?)] = [
        ("(0,0)", 0), ("(128,3)", 128), ("(3,255)\n", 255), ("( 7 , 8 )", 8),
        ("", nil), ("7", nil), ("7,8", nil), ("(7)", nil), ("(7,8,9)", nil), ("(7,x)", nil), ("(,)", nil),
        ("(7,8", nil), ("7,8)", nil),
    ]

    @Test(arguments: brightnesses)
    func `has two light sensors of which the brighter counts`(text: String, brightness: Double?) {
        #expect(PlatformLight.brightness(text) == brightness)
    }

    static let bitmaps: [(String, UInt64)] = [
        ("0", 0), ("800", 0x800), ("40", 0x40), ("1 c00", 0xc00), ("ffffffffffffffff", .max), ("", 0), ("none", 0),
    ]

    @Test(arguments: bitmaps)
    func `has bitmaps whose last word is the lowest`(text: String, bits: UInt64) {
        #expect(EventNode.bits(text) == bits)
    }

    @Test(arguments: [(256, 256.0), (1000, 1000), (1, 1), (0, 256), (-5, 256)] as [(Double, Double)])
    func `has a resolution in units per g, or the usual one`(resolution: Double, unitsPerG: Double) {
        #expect(InputAccelerometer.scale(resolution: resolution) == 9.80665 / unitsPerG)
    }
}
