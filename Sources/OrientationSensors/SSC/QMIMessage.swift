// SPDX-License-Identifier: Apache-2.0

/// A message of the sensor core's service: a frame of Qualcomm's QMI, with one of Protocol Buffers in it.
///
/// A header of seven bytes is followed by parts, each of a type, a length and a value.
enum QMIMessage: Equatable {
    /// Whether a request was accepted: 0, or QMI's number of the error.
    case response(error: UInt16)
    /// What a sensor sends.
    case indication(ArraySlice<UInt8>)

    private static let requestMessage: UInt16 = 0x20
    /// The second has a part without the limit of 1000 bytes.
    private static let indicationMessages: ClosedRange<UInt16> = 0x21...0x22

    /// The datagram of a request with a message.
    static func request(transaction: UInt16, _ message: [UInt8]) -> [UInt8] {
        var parts: [UInt8] = [0x01]
        parts.addInteger(UInt16(message.count + 2))
        parts.addInteger(UInt16(message.count))
        // Asks for indications of any size.
        parts += message + [0x10, 1, 0, 1]
        var datagram: [UInt8] = [0]
        datagram.addInteger(transaction)
        datagram.addInteger(requestMessage)
        datagram.addInteger(UInt16(parts.count))
        return datagram + parts
    }

    /// Parses a datagram; nil for one that is cut off, or of another kind.
    ///
    /// The length in the header is not used, since each part has its own.
    init?(_ datagram: ArraySlice<UInt8>) {
        var rest = datagram
        guard let kind: UInt8 = rest.takeInteger(), rest.takeInteger(of: UInt16.self) != nil,
            let message: UInt16 = rest.takeInteger(), rest.takeInteger(of: UInt16.self) != nil
        else { return nil }
        var found: QMIMessage?
        while let type: UInt8 = rest.takeInteger() {
            guard let length: UInt16 = rest.takeInteger(), var value = rest.takeBytes(Int(length)) else { return nil }
            switch (kind, message, type) {
            case (2, Self.requestMessage, 0x02):
                guard let result: UInt16 = value.takeInteger(), let error: UInt16 = value.takeInteger() else {
                    return nil
                }
                found = .response(error: result == 0 ? 0 : max(error, 1))
            case (4, Self.indicationMessages, 0x02):
                guard let count: UInt16 = value.takeInteger(), let bytes = value.takeBytes(Int(count)) else {
                    return nil
                }
                found = .indication(bytes)
            default: break
            }
        }
        guard let found else { return nil }
        self = found
    }
}
