// SPDX-License-Identifier: Apache-2.0

import OrientationSensors
import Testing

@Suite
struct `A word of a scan` {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let element: ScanElement?
        let bytes: [UInt8]
        let value: Double

        init(_ format: String, _ element: ScanElement?, _ bytes: [UInt8], _ value: Double) {
            testDescription = "\(format) \(bytes)"
            self.element = element
            self.bytes = bytes
            self.value = value
        }
    }

    static func le(_ sign: Character, _ bits: Int, _ storage: Int, _ shift: Int = 0) -> ScanElement? {
        ScanElement(bits: bits, storageBits: storage, shift: shift, isSigned: sign == "s", isBigEndian: false)
    }

    static func be(_ sign: Character, _ bits: Int, _ storage: Int, _ shift: Int = 0) -> ScanElement? {
        ScanElement(bits: bits, storageBits: storage, shift: shift, isSigned: sign == "s", isBigEndian: true)
    }

    static let cases = [
        // A 16-bit HID sensor: the upper half is the next axis, as a real kernel gave it.
        Case("le:s16/32>>0", le("s", 16, 32), [0x64, 0x00, 0x7c, 0xfc], 100),
        Case("le:s16/32>>0", le("s", 16, 32), [0x7c, 0xfc, 0xfa, 0x00], -900),
        Case("le:s32/32>>0", le("s", 32, 32), [0xc0, 0xbd, 0xf0, 0xff], -1_000_000),
        Case("le:s8/8>>0", le("s", 8, 8), [0x80], -128),
        Case("le:u8/8>>0", le("u", 8, 8), [0x80], 128),
        Case("le:s12/16>>4", le("s", 12, 16, 4), [0x0f, 0x80], -2048),
        Case("le:s12/16>>4", le("s", 12, 16, 4), [0xff, 0x7f], 2047),
        Case("le:s12/16>>0", le("s", 12, 16), [0xff, 0xf7], 2047),
        Case("be:u12/16>>4", be("u", 12, 16, 4), [0xab, 0xcf], 0xabc),
        Case("be:s12/16>>4", be("s", 12, 16, 4), [0xab, 0xcf], Double(0xabc - 0x1000)),
        Case("be:s16/16>>0", be("s", 16, 16), [0xff, 0xfe], -2),
        Case("be:s14/32>>2", be("s", 14, 32, 2), [0xff, 0xff, 0x80, 0x03], -8192),
        Case("le:s24/24>>0", le("s", 24, 24), [0x00, 0x00, 0x80], -8_388_608),
        Case("be:s24/32>>8", be("s", 24, 32, 8), [0xff, 0xff, 0xff, 0x55], -1),
        Case("le:s64/64>>0", le("s", 64, 64), [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], -2),
        Case("le:u64/64>>0", le("u", 64, 64), [0, 0, 0, 0, 0, 0, 0, 0x80], 9_223_372_036_854_775_808),
        Case("be:s64/64>>0", be("s", 64, 64), [0x80, 0, 0, 0, 0, 0, 0, 0], -9_223_372_036_854_775_808),
        Case("le:u1/8>>7", le("u", 1, 8, 7), [0x80], 1),
        Case("le:s1/64>>63", le("s", 1, 64, 63), [0, 0, 0, 0, 0, 0, 0, 0x80], -1),
        // A repeated word is read by its first one.
        Case("le:s16/16X3>>0", le("s", 16, 16), [0x05, 0x00, 0x06, 0x00, 0x07, 0x00], 5),
    ]

    @Test(arguments: cases)
    func `is masked, shifted and sign-extended by its type`(_ item: Case) throws {
        let element = try #require(item.element)
        let value = item.bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { element.value(at: $0) } }
        #expect(value == item.value)
    }

    @Test
    func `needs no alignment`() throws {
        let element = try #require(Self.le("s", 32, 32))
        let bytes: [UInt8] = [0xaa, 0xff, 0xff, 0xff, 0xff, 0xaa]
        let value = bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { element.value(at: $0 + 1) } }
        #expect(value == -1)
    }

    static let impossible: [(bits: Int, storage: Int, shift: Int)] = [
        (0, 16, 0), (17, 16, 0), (16, 16, 1), (12, 16, 5), (12, 16, -1), (12, 12, 0), (0, 0, 0), (64, 128, 0),
    ]

    @Test(arguments: impossible)
    func `of an impossible format is refused`(_ format: (bits: Int, storage: Int, shift: Int)) {
        #expect(
            ScanElement(
                bits: format.bits,
                storageBits: format.storage,
                shift: format.shift,
                isSigned: true,
                isBigEndian: false
            ) == nil
        )
    }
}
