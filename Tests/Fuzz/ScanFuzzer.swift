// SPDX-License-Identifier: Apache-2.0

@testable import OrientationSensors

/// The formats of scan elements, and scans of them: every word is read within the scan.
enum ScanFuzzer {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzedBytes(bytes)
        var elements: [ScanElement] = []
        for _ in 0...input.number(below: 8) {
            let flags = input.byte()
            // Most formats of the kernel are of whole bytes; without that hardly any input would be valid.
            let length = flags & 4 == 0 ? Int(input.byte()) : input.number(below: 9) * 8
            let (bits, shift) = (input.byte(), input.byte())
            let repeats = flags & 8 == 0 ? "" : "X\(input.byte())"
            let format =
                "\(flags & 2 != 0 ? "be" : "le"):\(flags & 1 != 0 ? "s" : "u")\(bits)/\(length)\(repeats)>>\(shift)"
            if let element = ScanElement(format, index: Int(input.byte())) { elements.append(element) }
        }
        let size = ScanElement.layOut(&elements)
        // Of exactly that size, so that the address sanitizer sees a read beyond the end.
        let scan = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { scan.deallocate() }
        for index in scan.indices { scan[index] = input.byte() }
        guard let start = scan.baseAddress else { return }
        for element in elements {
            precondition(element.offset % element.byteCount == 0 && element.offset + element.byteCount <= size)
            let value = element.value(in: start)
            precondition(value.isFinite && abs(value) <= 0x1p64)
        }
        let places = elements.map { $0.offset..<$0.offset + $0.byteCount }
        for (index, place) in places.enumerated() {
            precondition(places[(index + 1)...].allSatisfy { !$0.overlaps(place) })
        }
    }
}
