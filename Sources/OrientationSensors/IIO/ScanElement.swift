// SPDX-License-Identifier: Apache-2.0

/// The place of one channel's value in its word of a scan, as the kernel's `scan_elements/*_type` tells it.
///
/// Bits outside the value are never trusted: a 16-bit HID sensor leaves the next axis in the upper half of each word.
package struct ScanElement: Hashable, Sendable {
    /// The size of the word: 8 to 64, whole bytes.
    package let storageBits: Int

    /// The size of the value: 1 to 64.
    package let bits: Int

    /// How far the value is to be shifted right.
    package let shift: Int
    package let isSigned: Bool
    package let isBigEndian: Bool

    /// Takes a format; nil where a value would not fit its word or the word is not one to eight bytes.
    ///
    /// A format that repeats its word (`X3`) is decoded by its first word.
    package init?(bits: Int, storageBits: Int, shift: Int, isSigned: Bool, isBigEndian: Bool) {
        guard
            (8...64).contains(storageBits), storageBits % 8 == 0,
            (1...storageBits).contains(bits),
            (0...(storageBits - bits)).contains(shift)
        else { return nil }
        self.storageBits = storageBits
        self.bits = bits
        self.shift = shift
        self.isSigned = isSigned
        self.isBigEndian = isBigEndian
    }

    /// The size of the word in bytes.
    package var byteCount: Int { storageBits / 8 }

    /// The value as an integer, sign-extended; an unsigned one of 64 bits may exceed it and is given as its bit pattern.
    package func integer(at word: UnsafeRawPointer) -> Int64 {
        var pattern: UInt64 = 0
        for index in 0..<byteCount {
            let byte = word.load(fromByteOffset: isBigEndian ? index : byteCount - 1 - index, as: UInt8.self)
            pattern = pattern << 8 | UInt64(byte)
        }
        // Up to the top, dropping what stands above the value, and down again with or without its sign.
        let top = (pattern >> UInt64(shift)) << UInt64(64 - bits)
        return isSigned
            ? Int64(bitPattern: top) >> Int64(64 - bits)
            : Int64(bitPattern: top >> UInt64(64 - bits))
    }

    /// The value at a word of `byteCount` bytes; no alignment needed.
    package func value(at word: UnsafeRawPointer) -> Double {
        let integer = integer(at: word)
        return isSigned ? Double(integer) : Double(UInt64(bitPattern: integer))
    }
}
