// SPDX-License-Identifier: Apache-2.0

/// A channel's word in a scan, of the format that the kernel's `scan_elements/*_type` gives.
///
/// Bits outside the value are never trusted: a 16-bit HID sensor leaves the next axis in the upper half of each word.
struct ScanElement {
    /// The channel's place among those of the device, `scan_elements/*_index`.
    let index: Int

    /// The bytes that it takes in the scan; a format may repeat the word (`X3`), of which the first counts.
    let byteCount: Int

    /// The place of its first byte in the scan, once it is laid out.
    private(set) var offset = 0

    private let wordBytes: Int
    private let bits: Int
    private let shift: Int
    private let isSigned: Bool
    private let isBigEndian: Bool

    /// Reads the kernel's text, `[be|le]:[s|u]BITS/LENGTH[XREPEAT]>>SHIFT`; nil for an invalid format.
    init?(_ format: String, index: Int) {
        var text = format.utf8[...]
        func skip(_ expected: StaticString) -> Bool {
            let expected = expected.description.utf8
            guard text.starts(with: expected) else { return false }
            text = text.dropFirst(expected.count)
            return true
        }
        func number() -> Int? {
            let digits = text.prefix { (0x30...0x39).contains($0) }
            text = text.dropFirst(digits.count)
            // None needs more, and more could overflow.
            return digits.count <= 3 ? Int(String(Substring(digits))) : nil
        }
        isBigEndian = skip("be:")
        guard isBigEndian || skip("le:") else { return nil }
        isSigned = skip("s")
        guard isSigned || skip("u"), let bits = number(), skip("/"), let length = number() else { return nil }
        guard let repeats = skip("X") ? number() : 1, let shift = skip(">>") ? number() : 0, text.isEmpty,
            index >= 0, (8...64).contains(length), length % 8 == 0, (1...length).contains(bits),
            shift <= length - bits, (1...8).contains(repeats)
        else { return nil }
        self.index = index
        wordBytes = length / 8
        byteCount = wordBytes * repeats
        self.bits = bits
        self.shift = shift
    }

    /// Lays the words of a scan out as the kernel does: by index, each at a multiple of its own size, and the whole a
    /// multiple of the largest; returns its bytes.
    static func layOut(_ words: inout [ScanElement]) -> Int {
        func roundUp(_ number: Int, to multiple: Int) -> Int { (number + multiple - 1) / multiple * multiple }
        let order = words.indices.sorted { words[$0].index < words[$1].index }
        var (end, largest) = (0, 1)
        for position in order {
            words[position].offset = roundUp(end, to: words[position].byteCount)
            end = words[position].offset + words[position].byteCount
            largest = max(largest, words[position].byteCount)
        }
        return roundUp(end, to: largest)
    }

    /// The value in a scan as an integer, sign-extended; an unsigned one of 64 bits, which may exceed it, as its bit
    /// pattern.
    func integer(in scan: UnsafeRawPointer) -> Int64 {
        var value: UInt64 = 0
        for position in 0..<wordBytes {
            let place = offset + (isBigEndian ? position : wordBytes - 1 - position)
            let byte = scan.load(fromByteOffset: place, as: UInt8.self)
            value = value << 8 | UInt64(byte)
        }
        let unused = 64 - bits
        let top = (value >> shift) << unused
        return isSigned ? Int64(bitPattern: top) >> unused : Int64(bitPattern: top >> unused)
    }

    /// The number of bits of a value with a sign; nil for one without.
    var signedBits: Int? { isSigned ? bits : nil }

    /// The value in a scan; no alignment needed.
    func value(in scan: UnsafeRawPointer) -> Double {
        let integer = integer(in: scan)
        return isSigned ? Double(integer) : Double(UInt64(bitPattern: integer))
    }
}
