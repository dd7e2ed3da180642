// SPDX-License-Identifier: Apache-2.0

import CIIO

/// A channel's word in a scan, of the format that the kernel's `scan_elements/*_type` gives.
///
/// Bits outside the value are never trusted: a 16-bit HID sensor leaves the next axis in the upper half of each word.
struct ScanElement {
    /// The channel's place among those of the device, `scan_elements/*_index`.
    let index: Int

    /// The bytes that it takes in the scan; a format may repeat the word (`X3`), of which the first counts.
    let byteCount: Int
    private let wordBytes: Int
    private let bits: Int
    private let shift: Int
    private let isSigned: Bool
    private let isBigEndian: Bool

    /// Takes a channel's format; nil for an invalid one.
    init?(_ format: iio_data_format, index: Int) {
        guard
            (8...64).contains(format.length), format.length % 8 == 0,
            (1...format.length).contains(format.bits),
            format.shift <= format.length - format.bits,
            (1...8).contains(format.repeat)
        else { return nil }
        self.index = index
        wordBytes = Int(format.length) / 8
        byteCount = wordBytes * Int(format.repeat)
        bits = Int(format.bits)
        shift = Int(format.shift)
        isSigned = format.is_signed
        isBigEndian = format.is_be
    }

    /// The value as an integer, sign-extended; an unsigned one of 64 bits, which may exceed it, as its bit pattern.
    func integer(at word: UnsafeRawPointer) -> Int64 {
        var value: UInt64 = 0
        for position in 0..<wordBytes {
            let byte = word.load(fromByteOffset: isBigEndian ? position : wordBytes - 1 - position, as: UInt8.self)
            value = value << 8 | UInt64(byte)
        }
        let unused = 64 - bits
        let top = (value >> shift) << unused
        return isSigned ? Int64(bitPattern: top) >> unused : Int64(bitPattern: top >> unused)
    }

    /// The value at a word of a scan; no alignment needed.
    func value(at word: UnsafeRawPointer) -> Double {
        let integer = integer(at: word)
        return isSigned ? Double(integer) : Double(UInt64(bitPattern: integer))
    }
}
