// SPDX-License-Identifier: Apache-2.0

import CIIO

/// A channel's word in a scan, of the format that the kernel's `scan_elements/*_type` gives.
///
/// Bits outside the value are never trusted: a 16-bit HID sensor leaves the next axis in the upper half of each word.
struct ScanElement {
    /// The bytes that it takes in the scan; a format may repeat the word (`X3`), of which the first counts.
    let byteCount: Int
    private let wordBits: Int
    private let channel: OpaquePointer
    private let isSigned: Bool

    /// Takes a channel's format; nil for an invalid one.
    ///
    /// libiio checks nothing: it divides by zero for a word of less than a byte and a repeat of 0, and writes past its
    /// destination for a value longer than its word.
    init?(_ channel: OpaquePointer) {
        guard let format = iio_channel_get_data_format(channel)?.pointee else { return nil }
        guard
            (8...64).contains(format.length), format.length % 8 == 0,
            (1...format.length).contains(format.bits),
            format.shift <= format.length - format.bits,
            (1...8).contains(format.repeat)
        else { return nil }
        self.channel = channel
        wordBits = Int(format.length)
        byteCount = wordBits / 8 * Int(format.repeat)
        isSigned = format.is_signed
    }

    /// The value as an integer, sign-extended; an unsigned one of 64 bits may exceed it and is given as its bit pattern.
    func integer(at word: UnsafeRawPointer) -> Int64 {
        // As many words as the longest format has.
        var words = SIMD8<Int64>.zero
        iio_channel_convert(channel, &words, word)
        let unused = 64 - wordBits
        let top = UInt64(bitPattern: words[0].littleEndian) << unused
        return isSigned ? Int64(bitPattern: top) >> unused : Int64(bitPattern: top >> unused)
    }

    /// The value at a word of a scan; no alignment needed.
    func value(at word: UnsafeRawPointer) -> Double {
        let integer = integer(at: word)
        return isSigned ? Double(integer) : Double(UInt64(bitPattern: integer))
    }
}
