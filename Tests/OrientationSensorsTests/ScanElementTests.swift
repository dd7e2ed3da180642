// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSensors

@Suite
struct `A word of a scan` {
    struct Case: CustomTestStringConvertible, Sendable {
        let format: String
        let bytes: [UInt8]
        let value: Double

        var testDescription: String { "\(format) \(bytes)" }

        init(_ format: String, _ bytes: [UInt8], _ value: Double) {
            self.format = format
            self.bytes = bytes
            self.value = value
        }
    }

    static let cases = [
        // A 16-bit HID sensor: the upper half is the next axis, as a real kernel gave it.
        Case("le:s16/32>>0", [0x64, 0x00, 0x7c, 0xfc], 100),
        Case("le:s16/32>>0", [0x7c, 0xfc, 0xfa, 0x00], -900),
        Case("le:s32/32>>0", [0xc0, 0xbd, 0xf0, 0xff], -1_000_000),
        Case("le:s8/8>>0", [0x80], -128),
        Case("le:u8/8>>0", [0x80], 128),
        Case("le:s12/16>>4", [0x0f, 0x80], -2048),
        Case("le:s12/16>>4", [0xff, 0x7f], 2047),
        Case("le:s12/16>>0", [0xff, 0xf7], 2047),
        Case("be:u12/16>>4", [0xab, 0xcf], 0xabc),
        Case("be:s12/16>>4", [0xab, 0xcf], Double(0xabc - 0x1000)),
        Case("be:s16/16>>0", [0xff, 0xfe], -2),
        Case("be:s14/32>>2", [0xff, 0xff, 0x80, 0x03], -8192),
        Case("le:s24/24>>0", [0x00, 0x00, 0x80], -8_388_608),
        Case("be:s24/32>>8", [0xff, 0xff, 0xff, 0x55], -1),
        Case("le:s64/64>>0", [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], -2),
        Case("le:u64/64>>0", [0, 0, 0, 0, 0, 0, 0, 0x80], 9_223_372_036_854_775_808),
        Case("be:s64/64>>0", [0x80, 0, 0, 0, 0, 0, 0, 0], -9_223_372_036_854_775_808),
        Case("le:u1/8>>7", [0x80], 1),
        Case("le:s1/64>>63", [0, 0, 0, 0, 0, 0, 0, 0x80], -1),
        // A repeated word is read by its first one.
        Case("le:s16/16X3>>0", [0x05, 0x00, 0x06, 0x00, 0x07, 0x00], 5),
        Case("le:s64/64X8>>0", [7] + [UInt8](repeating: 0, count: 63), 7),
    ]

    @Test(arguments: cases)
    func `is masked, shifted and sign-extended by its type`(_ item: Case) throws {
        let element = try #require(try element(item.format))
        let value = item.bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { element.value(in: $0) } }
        #expect(value == item.value)
    }

    @Test
    func `needs no alignment`() throws {
        let element = try #require(try element("le:s32/32>>0"))
        let bytes: [UInt8] = [0xaa, 0xff, 0xff, 0xff, 0xff, 0xaa]
        let value = bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { element.value(in: $0 + 1) } }
        #expect(value == -1)
    }

    // Hubs gave 64497 for -1039, and the picture was upside down.
    @Test(arguments: [
        ("le:s16/32>>0", 64497, -1039), ("le:s16/32>>0", 65535, -1), ("le:s16/32>>0", 32768, -32768),
        ("le:s16/32>>0", 32767, 32767), ("le:s16/32>>0", -1039, -1039), ("le:s16/32>>0", 0, 0),
        ("le:s12/16>>4", 4095, -1), ("le:s12/16>>4", 2047, 2047),
        // These are no values of the word, whatever they are.
        ("le:s16/32>>0", 65536, 65536), ("le:s12/16>>4", 4096, 4096), ("le:s16/32>>0", -40000, -40000),
        ("le:u16/16>>0", 65535, 65535), ("le:s32/32>>0", 65535, 65535), ("le:s32/32>>0", 4_294_966_257, -1039),
        ("le:s64/64>>0", 65535, 65535),
    ])
    func `gives its attribute's number the sign that it lacks`(format: String, number: Double, value: Double) throws {
        let bits = try #require(try element(format)).signedBits
        #expect((bits.map { KeptAttribute.signed(number, bits: $0) } ?? number) == value)
    }

    // With a repeat of 0, or a word of less than a byte, the size of the scan was divided by zero.
    @Test(arguments: [
        "le:s0/16>>0", "le:s17/16>>0", "le:s16/16>>1", "le:s12/16>>5", "le:s12/12>>0", "le:s0/0>>0", "le:s64/128>>0",
        "le:s4/4>>0", "le:s16/16X0>>0", "le:s64/64X9>>0", "", "le", "s16/16>>0", "xe:s16/16>>0", "le:x16/16>>0",
        "le:s/16>>0",
        "le:s16/>>0", "le:s16/16>>", "le:s16/16X>>0", "le:s16/16>>0 ", "le:s-1/16>>0", "le:s16/18446744073709551632>>0",
    ])
    func `of an invalid format is refused`(_ format: String) throws {
        #expect(try element(format) == nil)
    }
}

@Suite
struct `The words of a scan` {
    @Test(arguments: [
        (["le:s16/16>>0", "le:s16/16>>0", "le:s16/16>>0", "le:s64/64>>0"], [0, 1, 2, 3], [0, 2, 4, 8], 16),
        (["le:s32/32>>0", "le:s32/32>>0", "le:s32/32>>0"], [0, 1, 2], [0, 4, 8], 12),
        // A small word, then a large one, and the whole is filled up to a multiple of the largest.
        (["le:s8/8>>0", "le:s32/32>>0", "le:s16/16>>0"], [0, 1, 2], [0, 4, 8], 12),
        // The order is that of the indices, and these have gaps.
        (["le:s16/16>>0", "le:s16/16>>0", "le:s32/32>>0"], [7, 2, 4], [8, 0, 4], 12),
        (["le:s8/8X3>>0", "le:s8/8>>0"], [1, 0], [3, 0], 6),
        (["be:s24/24>>0"], [5], [0], 3),
    ])
    func `are each at a multiple of their size`(formats: [String], indices: [Int], offsets: [Int], size: Int) throws {
        var elements = try zip(formats, indices).map { try #require(try element($0, index: $1)) }
        #expect(ScanElement.layOut(&elements) == size)
        #expect(elements.map { $0.offset } == offsets)
    }
}

/// The word of a format as the kernel writes it; nil for an invalid one.
private func element(_ text: String, index: Int = 0) throws -> ScanElement? { ScanElement(text, index: index) }
