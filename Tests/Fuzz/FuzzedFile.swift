// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// A file without a name, for code that reads files.
enum FuzzedFile {
    private static let descriptor: Int32 = {
        var template = Array("/tmp/orientd-fuzz.XXXXXX".utf8CString)
        let descriptor = mkostemp(&template, O_CLOEXEC)
        precondition(descriptor >= 0 && unlink(template) == 0, "cannot create a temporary file")
        return descriptor
    }()

    /// Its path, which opens it from its start.
    static let path = "/proc/self/fd/\(descriptor)"

    static func write(_ bytes: [UInt8]) {
        precondition(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }

    static var contents: [UInt8] {
        guard let bytes = try? FileDescriptor.contents(of: path) else { fatalError("cannot read \(path)") }
        return bytes
    }
}

/// The bytes of an input, taken one after the other; zeros follow the last one.
struct FuzzedBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `limit`, of one byte.
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return Array(taken)
    }

    /// What is left, up to a zero, which is dropped.
    mutating func text() -> [UInt8] {
        let text = rest.prefix { $0 != 0 }
        rest = rest.dropFirst(text.count + 1)
        return Array(text)
    }
}
