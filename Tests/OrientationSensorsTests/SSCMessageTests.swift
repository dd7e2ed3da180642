// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationSensors

/// The messages of Qualcomm's sensor core, compared with those that protobuf's own library has encoded.
@Suite
struct `Messages of the sensor core` {
    struct Entry: Sendable, CustomStringConvertible {
        let description: String
        let bytes: [UInt8]
    }

    /// make-ssc-messages.py writes them.
    static let entries = Fixtures.rows(of: "ssc-messages.tsv").map { fields in
        let digits = Array(fields[1].utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return Entry(description: fields[0], bytes: bytes)
    }

    private static func text(_ sensor: SUID) -> String {
        String(sensor.low, radix: 16) + "/" + String(sensor.high, radix: 16)
    }

    private static func text(_ number: Float) -> String {
        let digits = String(number.bitPattern, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static func text(_ event: SSCEvent) -> String {
        switch event {
        case .sensors(let type, let found): "sensors \(type) " + found.map(text).joined(separator: ",")
        case .attributes(let said):
            "attributes \(said.name.isEmpty ? "-" : said.name) \(said.isAvailable ? 1 : 0) "
                + "\(said.isStreaming ? 0 : 1) \(Int64(bitPattern: said.rigidBody ?? 0)) "
                + said.rates.map { text(Float($0)) }.joined(separator: ",")
        case .reading(let it): "reading " + [it.x, it.y, it.z, it.w].map { text($0) }.joined(separator: " ")
        case .state(let state): "state \(state)"
        case .failure(let number): "failure \(number)"
        }
    }

    private static func text(_ message: [UInt8]) -> String {
        var words: [String] = []
        for (event, sensor) in SSCEvents(message[...]) {
            if words.isEmpty { words.append("events " + text(sensor)) }
            words.append(text(event))
        }
        return words.isEmpty ? "events none" : words.joined(separator: "; ")
    }

    @Test(arguments: entries.filter { $0.description.hasPrefix("events") })
    func `is decoded as it was encoded`(entry: Entry) {
        #expect(Self.text(entry.bytes) == entry.description)
    }

    @Test(arguments: entries.filter { $0.description.hasPrefix("request") })
    func `is encoded as by protobuf`(entry: Entry) throws {
        let words = entry.description.split(whereSeparator: { " ;/".contains($0) }).map(String.init)
        let target = SUID(
            low: try #require(UInt64(words[1], radix: 16)),
            high: try #require(UInt64(words[2], radix: 16))
        )
        let request: SSCRequest =
            switch words[3] {
            case "sensors": .sensors(type: words[4])
            case "attributes": .attributes
            case "changes": .changes
            case "angles": .angles
            case "stream": .stream(rate: 12.5)
            default: .end
            }
        #expect(request.message(to: target) == entry.bytes)
    }

    @Test func `there are messages of both directions`() {
        #expect(Self.entries.count(where: { $0.description.hasPrefix("events") }) == 120)
        #expect(Self.entries.count(where: { $0.description.hasPrefix("request") }) == 30)
    }

    @Test func `damaged messages are read to the end`() {
        var random = SplitMix(state: 40)
        for entry in Self.entries {
            for end in entry.bytes.indices { _ = Self.text(Array(entry.bytes[..<end])) }
            var bytes = entry.bytes
            for _ in 0..<20 {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
                _ = Self.text(bytes)
                _ = QMIMessage(bytes[...])
            }
        }
    }

    @Test func `a reading that is cut off is not used`() {
        let sensor = SUID(low: 2, high: 2)
        func event(_ payload: [UInt8]) -> SSCEvent? {
            SSCEvent([0x0d, 1, 4, 0, 0, 0x1a, UInt8(payload.count)] + payload, of: sensor)
        }
        let one: [UInt8] = [0x0d, 0, 0, 0x80, 0x3f]
        #expect(event(one) == .reading(SIMD4(1, 0, 0, 0)))
        #expect(event(one.dropLast()) == nil)
        #expect(event([]) == nil)
    }

    // MARK: - Frames

    @Test func `a request has its message and asks for indications of any size`() {
        #expect(
            QMIMessage.request([7, 8, 9])
                == [0, 1, 0, 0x20, 0, 12, 0] + [1, 5, 0, 3, 0, 7, 8, 9] + [0x10, 1, 0, 1]
        )
    }

    @Test(arguments: [0x21, 0x22] as [UInt8])
    func `an indication of either size has a message`(number: UInt8) {
        let client: [UInt8] = [1, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        let datagram = [4, 0, 0, number, 0, 18, 0] + client + [2, 4, 0, 2, 0, 0xaa, 0xbb]
        #expect(QMIMessage(datagram[...]) == .indication([0xaa, 0xbb]))
        for end in datagram.indices where end != 18 { #expect(QMIMessage(datagram[..<end]) == nil) }
    }

    @Test func `a response says whether the request was accepted`() {
        #expect(QMIMessage([2, 1, 0, 0x20, 0, 7, 0, 2, 4, 0, 0, 0, 0, 0]) == .response(error: 0))
        #expect(QMIMessage([2, 1, 0, 0x20, 0, 7, 0, 2, 4, 0, 1, 0, 3, 0]) == .response(error: 3))
        #expect(QMIMessage([2, 1, 0, 0x20, 0, 7, 0, 2, 3, 0, 1, 0, 3]) == nil)
        #expect(QMIMessage([2, 1, 0, 0x1e, 0, 7, 0, 2, 4, 0, 0, 0, 0, 0]) == nil)
    }

    @Test func `a message that is longer than its part is refused`() {
        #expect(QMIMessage([4, 0, 0, 0x21, 0, 5, 0, 2, 2, 0, 1, 0]) == nil)
    }

    // Only that of a whole message was: one that was cut off came into a bug report as it is.
    @Test func `a serial number is not in a report, also of a message that is cut off`() {
        func attribute(_ number: UInt8, _ text: String) -> [UInt8] {
            let value: [UInt8] = .field(1, .field(2, Array(text.utf8)))
            return .field(1, [1 << 3, number] + .field(2, value))
        }
        func message(_ event: UInt32, _ attributes: [UInt8]) -> [UInt8] {
            .field(1, SUID(low: 2, high: 2).message) + .field(2, .field(1, fixed: event) + .field(3, attributes))
        }
        func shown(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(SensorCoreProbe.hexadecimal(bytes).utf8)
            return stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
        }
        let before = attribute(0, "icm") + attribute(31, "4711")
        let bytes = [4, 0, 0, 0x22] + message(128, before + attribute(1, "vendor"))
        let values: [UInt8] = .field(1, .field(2, Array("4711".utf8)))
        let start = bytes.indices.first { bytes[$0...].starts(with: values) } ?? 0
        let place = start..<start + values.count
        let expected = bytes.indices.map { place.contains($0) ? 0 : bytes[$0] }
        #expect(shown(bytes[...]) == expected)
        for end in bytes.indices {
            let part = shown(bytes[..<end])
            #expect(part.count == end && part.dropFirst(start).starts(with: expected[..<end].dropFirst(start)))
            // Of a number that is cut off, nothing is left.
            #expect(part.prefix(start - 2) == expected[..<end].prefix(start - 2))
        }
    }

    @Test func `a placement has at most a matrix and an offset`() {
        let number: [UInt8] = .field(1, .field(3, fixed: Float(0.5).bitPattern))
        let values = [UInt8].field(2, Array(repeatElement(number, count: 14).joined()))
        let attributes = SSCAttributes([UInt8].field(1, [1 << 3, 20] + values)[...])
        #expect(attributes.placement == Array(repeating: 0.5, count: 12))
    }

    // MARK: - Rates

    @Test(
        arguments: [
            ([], 10), ([0, 5], 5), ([5, 12.5, 100], 12.5), ([100, 50, 25], 25), ([.nan, -1], 10),
            ([.infinity, 20], 20),
        ] as [([Double], Double)]
    )
    func `the first rate that is high enough is taken`(rates: [Double], rate: Double) {
        var attributes = SSCAttributes()
        attributes.rates = rates
        #expect(attributes.rate(atLeast: 10) == rate)
    }
}
