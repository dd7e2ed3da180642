// SPDX-License-Identifier: Apache-2.0

import POSIX

/// A number that is read often: its file stays open between readings.
final class KeptAttribute {
    private let attribute: IIOAttribute
    private var file: FileDescriptor?

    init(_ attribute: IIOAttribute) { self.attribute = attribute }

    /// Reads the number; throws EINVAL for any other text.
    func readNumber() throws(SystemError) -> Double {
        // sysfs replaces no file, but what stands in for it may.
        if file?.isDeleted ?? true { file = try attribute.open() }
        do throws(SystemError) {
            return try attribute.readNumber(from: file)
        } catch {
            file = nil
            throw error
        }
    }

    /// Closes the file until the next reading.
    func close() { file = nil }
}
