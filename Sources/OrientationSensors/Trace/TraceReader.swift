// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX

/// Reads a trace line by line, in constant memory.
///
/// A malformed line is reported and reading goes on behind it. Lines may end in CR LF, and blank ones at the end of
/// the file do not count.
package struct TraceReader: ~Copyable {
    /// What a line holds.
    package enum Record: Sendable {
        case sample(AccelerometerSample)
        case event(RecordedEvent, time: Double)
        case malformed(TraceError)
    }

    private static let capacity = 65536

    private let descriptor: FileDescriptor
    private let name: String

    private let storage = Storage()

    /// `capacity` bytes, and one that ends the last number.
    private var buffer: UnsafeMutablePointer<UInt8> { storage.bytes }

    /// What of the buffer is filled and not yet taken.
    private var unread = 0..<0
    private var isAtEnd = false
    private var sawHeader = false

    /// Blank lines read but not reported: they are malformed only where another line follows.
    private var blankLines = 0

    /// Where in the buffer the last sample's time stands.
    private var lastTime = 0..<0

    /// The number of the last line read, counted from 1.
    package private(set) var line = 0

    /// Takes a file open for reading; `name` is what errors call it.
    package init(_ descriptor: FileDescriptor, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Owns the buffer: in Embedded Swift, other modules do not see the `deinit` of a noncopyable struct.
    private final class Storage {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: TraceReader.capacity + 1)

        deinit {
            bytes.deallocate()
        }
    }

    /// The time of the last sample as it was written; ask before the next line is read.
    package var timeText: String {
        String(decoding: UnsafeBufferPointer(start: buffer + lastTime.lowerBound, count: lastTime.count), as: UTF8.self)
    }

    // MARK: - Lines

    /// Reads the next line and returns what it holds, or nothing at the end.
    ///
    /// A failed read is thrown and changes nothing: a later call goes on where it failed.
    package mutating func next() throws(SystemError) -> Record? {
        while true {
            while try skipBlankLine() {}
            guard !unread.isEmpty else {
                guard !sawHeader else { return nil }
                sawHeader = true
                return .malformed(TraceError(line: 1, fault: .missingHeader))
            }
            if blankLines > 0 {
                blankLines -= 1
                line += 1
                return malformed(.wrongFieldCount(0))
            }
            let text = try takeLine()
            line += 1
            if sawHeader { return text.map { record(in: $0) } ?? malformed(.lineTooLong) }
            sawHeader = true
            guard let text, isHeader(text) else { return malformed(.missingHeader) }
        }
    }

    private func malformed(_ fault: TraceError.Fault) -> Record { .malformed(TraceError(line: line, fault: fault)) }

    private mutating func skipBlankLine() throws(SystemError) -> Bool {
        while unread.count < 2, !isAtEnd { try fill() }
        guard sawHeader, !unread.isEmpty else { return false }
        var end = unread.lowerBound
        if buffer[end] == UInt8(ascii: "\r") { end += 1 }
        guard end == unread.upperBound || buffer[end] == UInt8(ascii: "\n") else { return false }
        unread = min(end + 1, unread.upperBound)..<unread.upperBound
        blankLines += 1
        return true
    }

    /// Takes the next line without its end, or nothing where it was too long and is gone.
    private mutating func takeLine() throws(SystemError) -> Range<Int>? {
        var searched = 0
        var isTooLong = false
        while true {
            if let end = newline(after: searched) ?? (isAtEnd ? unread.upperBound : nil) {
                let text = withoutReturn(unread.lowerBound..<end)
                unread = min(end + 1, unread.upperBound)..<unread.upperBound
                return isTooLong || text.count > TraceFormat.longestLine ? nil : text
            }
            // One more than the longest, for the CR.
            if unread.count > TraceFormat.longestLine + 1 {
                isTooLong = true
                unread = unread.upperBound..<unread.upperBound
                guard sawHeader else {
                    // Not a trace; nothing more is read, since a file such as /dev/zero never ends.
                    isAtEnd = true
                    return nil
                }
            }
            searched = unread.count
            try fill()
        }
    }

    private func newline(after searched: Int) -> Int? {
        let start = unread.lowerBound + searched
        guard let found = memchr(buffer + start, Int32(UInt8(ascii: "\n")), unread.upperBound - start) else {
            return nil
        }
        return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - UnsafePointer(buffer)
    }

    private func withoutReturn(_ text: Range<Int>) -> Range<Int> {
        guard let last = text.last, buffer[last] == UInt8(ascii: "\r") else { return text }
        return text.dropLast()
    }

    /// Moves what is unread to the buffer's start and reads more behind it.
    private mutating func fill() throws(SystemError) {
        if unread.lowerBound > 0 {
            memmove(buffer, buffer + unread.lowerBound, unread.count)
            unread = 0..<unread.count
        }
        let count = retryingInterrupted {
            read(descriptor.rawValue, buffer + unread.upperBound, Self.capacity - unread.upperBound)
        }
        try checkSystem("read", name, count)
        isAtEnd = count == 0
        unread = 0..<unread.upperBound + count
        buffer[unread.upperBound] = 0
    }

    // MARK: - Fields

    private func isHeader(_ text: Range<Int>) -> Bool {
        UnsafeBufferPointer(start: buffer + text.lowerBound, count: text.count).elementsEqual(TraceFormat.header.utf8)
    }

    private mutating func record(in text: Range<Int>) -> Record {
        var cursor = UnsafePointer(buffer + text.lowerBound)
        let end = UnsafePointer(buffer + text.upperBound)
        guard let time = field(&cursor) else { return malformed(fault(in: text)) }
        let start = cursor - UnsafePointer(buffer)
        guard let acceleration = vector(&cursor, end) else {
            return event(in: text, from: start, at: time) ?? malformed(fault(in: text))
        }
        guard time.isFinite else { return malformed(.timeNotFinite) }
        lastTime = text.lowerBound..<start - 1
        return .sample(AccelerometerSample(time: time, acceleration: acceleration))
    }

    /// Reads what follows the time of an event, from `start` on; nil where that is no event.
    private mutating func event(in text: Range<Int>, from start: Int, at time: Double) -> Record? {
        let bytes = UnsafeBufferPointer(start: buffer + start, count: text.upperBound - start)
        guard let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return nil }
        let base = "base,"
        let event: RecordedEvent
        if bytes.starts(with: base.utf8) {
            var cursor = UnsafePointer(buffer + start + base.utf8.count)
            guard let acceleration = vector(&cursor, UnsafePointer(buffer + text.upperBound)) else {
                return malformed(.malformedArgument(String(decoding: bytes.dropFirst(base.utf8.count), as: UTF8.self)))
            }
            event = .event(.sample(.base, AccelerometerSample(time: time, acceleration: acceleration)))
        } else {
            let fields = String(decoding: bytes, as: UTF8.self).utf8
                .split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            do throws(TraceError.Fault) {
                event = try RecordedEvent(fields)
            } catch {
                // As many fields as a sample has, and no argument: a sample with a malformed number.
                return fields.count == 3 && !bytes.contains(UInt8(ascii: "=")) ? nil : malformed(error)
            }
        }
        guard time.isFinite else { return malformed(.timeNotFinite) }
        lastTime = text.lowerBound..<start - 1
        return .event(event, time: time)
    }

    /// Reads three numbers with commas between them, up to `end`.
    private func vector(_ cursor: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Vector3? {
        guard let x = field(&cursor), let y = field(&cursor), let z = Self.number(&cursor), cursor == end else {
            return nil
        }
        return Vector3(x, y, z)
    }

    /// Reads a number that a comma follows, and the comma.
    private func field(_ cursor: inout UnsafePointer<UInt8>) -> Double? {
        guard let number = Self.number(&cursor), cursor.pointee == UInt8(ascii: ",") else { return nil }
        cursor += 1
        return number
    }

    /// Reads the number at the cursor, decimal as C writes it, `nan` or `inf`, and moves the cursor behind it.
    ///
    /// The text must end in a byte that is part of no number. The result is the nearest Double. What strtod(3) takes
    /// beyond that is refused: blanks in front, hexadecimal numbers and the payload of a NaN.
    private static func number(_ cursor: inout UnsafePointer<UInt8>) -> Double? {
        let hasSign = cursor.pointee == UInt8(ascii: "-") || cursor.pointee == UInt8(ascii: "+")
        let digits = hasSign ? cursor + 1 : cursor
        guard digits.pointee > UInt8(ascii: " "), digits[1] | 0x20 != UInt8(ascii: "x") else { return nil }

        let start = UnsafeRawPointer(cursor).assumingMemoryBound(to: CChar.self)
        guard let (number, end) = scanNumber(start), end[-1] != CChar(UInt8(ascii: ")")) else { return nil }
        cursor += end - start
        return number
    }

    /// Finds out what is wrong with a line that could not be read; the last column, if the others are numbers.
    private func fault(in text: Range<Int>) -> TraceError.Fault {
        let bytes = UnsafeBufferPointer(start: buffer + text.lowerBound, count: text.count)
        let fields = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard fields.count == 4 else { return .wrongFieldCount(fields.count) }
        let columns: [TraceError.Column] = [.time, .x, .y, .z]
        let wrong = zip(fields, columns).first { field, _ in
            var cursor = UnsafePointer(buffer + text.lowerBound + field.startIndex)
            return Self.number(&cursor) == nil || cursor != buffer + text.lowerBound + field.endIndex
        }
        let (field, column) = wrong ?? (fields[3], .z)
        return .notANumber(column, String(decoding: field.prefix(40), as: UTF8.self))
    }
}
