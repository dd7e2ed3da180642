// SPDX-License-Identifier: Apache-2.0

import POSIX

/// A number that is read often: its file stays open between readings.
final class KeptAttribute {
    private let attribute: IIOAttribute
    private let signedBits: Int?
    private var file: FileDescriptor?

    /// With `signedBits`, the number is a value of so many bits with a sign.
    init(_ attribute: IIOAttribute, signedBits: Int?) {
        self.attribute = attribute
        self.signedBits = signedBits
    }

    /// Reads the number, with the sign that a driver may have left out; throws EINVAL for any other text.
    func readNumber() throws(SystemError) -> Double {
        // sysfs replaces no file, but what stands in for it may.
        if file?.isDeleted ?? true { file = try attribute.open() }
        do throws(SystemError) {
            let number = try attribute.readNumber(from: file)
            return signedBits.map { Self.signed(number, bits: $0) } ?? number
        } catch {
            file = nil
            throw error
        }
    }

    /// The value of a number without its sign: of 16 bits, 65535 is -1.
    static func signed(_ number: Double, bits: Int) -> Double {
        guard bits < 53 else { return number }
        let range = Double(UInt64(1) << bits)
        return number >= range / 2 && number < range ? number - range : number
    }

    /// Closes the file until the next reading.
    func close() { file = nil }
}
