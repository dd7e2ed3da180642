// SPDX-License-Identifier: Apache-2.0

/// A message of the sensor core's service: a frame of Qualcomm's QMI, with one of Protocol Buffers in it.
///
/// A header of seven bytes is followed by parts, each of a type, a length and a value.
enum QMIMessage: Equatable {
    /// Whether a request was accepted: 0, or QMI's number of the error.
    case response(error: UInt64)
    /// What a sensor sends.
    case indication(ArraySlice<UInt8>)

    /// The second has a part without the limit of 1000 bytes.
    private static let indicationMessages: ClosedRange<UInt64> = 0x21...0x22

    /// The datagram of a request with a message of at most 240 bytes.
    static func request(_ message: [UInt8]) -> [UInt8] {
        let count = UInt8(message.count)
        // The transaction's number is always 1: responses only acknowledge. The end asks for indications of any size.
        return [0, 1, 0, 0x20, 0, count + 9, 0] + [0x01, count + 2, 0, count, 0] + message + [0x10, 1, 0, 1]
    }

    /// Parses a datagram; nil for one that is cut off, or of another kind.
    ///
    /// The length in the header is not used, since each part has its own.
    init?(_ datagram: ArraySlice<UInt8>) {
        var rest = datagram
        guard let kind = rest.takeInteger(1), rest.takeBytes(2) != nil, let number = rest.takeInteger(2),
            rest.takeBytes(2) != nil
        else { return nil }
        while let type = rest.takeInteger(1), let size = rest.takeInteger(2), var value = rest.takeBytes(Int(size)) {
            switch (kind, number, type) {
            case (2, 0x20, 0x02):
                guard let result = value.takeInteger(2), let error = value.takeInteger(2) else { return nil }
                self = .response(error: result == 0 ? 0 : max(error, 1))
                return
            case (4, Self.indicationMessages, 0x02):
                guard let count = value.takeInteger(2), let bytes = value.takeBytes(Int(count)) else { return nil }
                self = .indication(bytes)
                return
            default: break
            }
        }
        return nil
    }
}
