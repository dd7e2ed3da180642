// SPDX-License-Identifier: Apache-2.0

import POSIX

/// A number that is read often: its file stays open between readings.
final class KeptAttribute {
    private let attribute: IIOAttribute
    private let element: ScanElement?
    private var file: FileDescriptor?

    /// With `element`, the number is the raw value of that word of a scan.
    init(_ attribute: IIOAttribute, of element: ScanElement?) { (self.attribute, self.element) = (attribute, element) }

    /// Reads the number, with the sign that its bits have in a scan; throws EINVAL for any other text.
    func readNumber() throws(SystemError) -> Double {
        // sysfs replaces no file, but what stands in for it may.
        if file?.isDeleted ?? true { file = try attribute.open() }
        do throws(SystemError) {
            let number = try attribute.readNumber(from: file)
            return element?.signed(number) ?? number
        } catch {
            file = nil
            throw error
        }
    }

    /// Closes the file until the next reading.
    func close() { file = nil }
}
