// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

@testable import OrientationSensors

/// A trace: whatever is read, writing it and reading it again gives the same.
enum TraceFuzzer {
    static func run(_ bytes: [UInt8]) {
        FuzzedFile.write(bytes)
        let records = read()
        // A reader may get a file byte by byte; the records may not depend on that, which `line` would show.
        do throws(SystemError) {
            var writer = try TraceWriter(try OutputFile.create(FuzzedFile.path))
            for record in records {
                switch record {
                case .sample(let sample): try writer.write(sample)
                case .event(let event, let time): try writer.write(event, at: time)
                case .malformed(let error): precondition(!"\(error)".isEmpty)
                }
            }
            try writer.flush()
        } catch {
            fatalError("\(error)")
        }
        let valid = records.filter { if case .malformed = $0 { false } else { true } }
        let again = read()
        precondition(valid.count == again.count)
        for (first, second) in zip(valid, again) { precondition(isSame(first, second)) }
    }

    static func read() -> [TraceReader.Record] {
        do throws(SystemError) {
            var reader = TraceReader(try FileDescriptor.open(reading: FuzzedFile.path), name: "input")
            var records: [TraceReader.Record] = []
            while let record = try reader.next() {
                if case .malformed = record {} else { precondition(!reader.timeText.isEmpty) }
                records.append(record)
            }
            return records
        } catch {
            fatalError("\(error)")
        }
    }

    private static func isSame(_ first: TraceReader.Record, _ second: TraceReader.Record) -> Bool {
        switch (first, second) {
        case (.sample(let first), .sample(let second)): isSame(first, second)
        case (.event(.event(.sample(let role, let first)), _), .event(.event(.sample(let otherRole, let second)), _)):
            role == otherRole && isSame(first, second)
        case (.event(let first, let time), .event(let second, let otherTime)): first == second && time == otherTime
        // Escaped by the writer, what is no UTF-8 is longer than it was.
        case (.event, .malformed(let error)): error.fault == .lineTooLong
        default: false
        }
    }

    /// Numbers that are none are equal here.
    private static func isSame(_ first: AccelerometerSample, _ second: AccelerometerSample) -> Bool {
        let pairs = [
            (first.time, second.time), (first.acceleration.x, second.acceleration.x),
            (first.acceleration.y, second.acceleration.y), (first.acceleration.z, second.acceleration.z),
        ]
        return pairs.allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
    }
}
