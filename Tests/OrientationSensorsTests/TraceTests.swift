// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SplitMix
import Testing

@testable import OrientationSensors

/// A file without a name that holds the given bytes and is read from its start.
private func file(_ bytes: some Collection<UInt8>) throws -> FileDescriptor {
    var path = Array("/tmp/orientd-trace-XXXXXX".utf8CString)
    let descriptor = try FileDescriptor(owning: checkSystem("create", "a file", mkstemp(&path)))
    unlink(path)
    var bytes = Array(bytes)[...]
    while !bytes.isEmpty {
        bytes = bytes.dropFirst(bytes.withUnsafeBytes { write(descriptor.rawValue, $0.baseAddress, $0.count) })
    }
    lseek(descriptor.rawValue, 0, SEEK_SET)
    return descriptor
}

/// What a trace's lines hold: samples with their time's text, and errors.
private struct Contents {
    var samples: [AccelerometerSample] = []
    var events: [RecordedEvent] = []
    var times: [String] = []
    var errors: [TraceError] = []

    /// Line numbers of samples and errors, in order.
    var lines: [Int] = []

    init(_ descriptor: consuming FileDescriptor) throws {
        var reader = TraceReader(descriptor, name: "trace")
        while let record = try reader.next() {
            switch record {
            case .sample(let sample):
                samples.append(sample)
                times.append(reader.timeText)
                lines.append(reader.line)
            case .event(let event, let time):
                events.append(event)
                #expect("\(time)" == reader.timeText)
                lines.append(reader.line)
            case .malformed(let error):
                errors.append(error)
                lines.append(error.line)
            }
        }
        #expect(try reader.next() == nil, "the end stays the end")
    }

    init(_ text: String) throws {
        try self.init(file(text.utf8))
    }
}

extension TraceReader.Record? {
    fileprivate static func == (record: Self, nothing: _OptionalNilComparisonType) -> Bool {
        if case .none = record { true } else { false }
    }
}

private let header = "t_seconds,x,y,z\n"

@Suite struct TraceReaderTests {
    @Test func `a trace gives its samples and their times as written`() throws {
        let contents = try Contents(header + "0.50,0,9.81,0\n1e0,-1.5,+2.25,.5\n")
        #expect(contents.errors == [])
        #expect(contents.times == ["0.50", "1e0"])
        #expect(
            contents.samples == [
                AccelerometerSample(time: 0.5, acceleration: Vector3(0, 9.81, 0)),
                AccelerometerSample(time: 1, acceleration: Vector3(-1.5, 2.25, 0.5)),
            ]
        )
    }

    @Test(arguments: [
        "t_seconds,x,y,z\r\n1,2,3,4\r\n2,2,3,4\r\n", "t_seconds,x,y,z\n1,2,3,4\n2,2,3,4", header + "1,2,3,4\n2,2,3,4\r",
        header + "1,2,3,4\n2,2,3,4\n\n\r\n\n", header + "1,2,3,4\n2,2,3,4\n\r",
    ])
    func `line ends of either kind, none, and blank lines at the end are fine`(text: String) throws {
        let contents = try Contents(text)
        #expect(contents.errors == [])
        #expect(contents.times == ["1", "2"])
    }

    @Test func `numbers that are not finite are samples, but not times`() throws {
        let lines = ["1,nan,-inf,INFINITY", "2,-NaN,1e999,0", "nan,0,0,0", "1e999,0,0,0", "-inf,0,0,0"]
        let contents = try Contents(header + lines.joined(separator: "\n"))
        #expect(contents.samples.count == 2)
        #expect(contents.samples[0].acceleration.x.isNaN)
        #expect(contents.samples[0].acceleration.y == -.infinity)
        #expect(contents.samples[0].acceleration.z == .infinity)
        #expect(contents.samples[1].acceleration.y == .infinity)
        #expect(contents.errors.map(\.fault) == [.timeNotFinite, .timeNotFinite, .timeNotFinite])
        #expect(contents.errors.map(\.line) == [4, 5, 6])
    }

    static let faults: [(String, TraceError.Fault)] = [
        ("1,2,3", .wrongFieldCount(3)), ("1,2,3,4,5", .wrongFieldCount(5)), ("1,2,3,4,", .wrongFieldCount(5)),
        ("hello", .wrongFieldCount(1)), (",,,", .notANumber(.time, "")), ("1,2,3,", .notANumber(.z, "")),
        ("1,2,,4", .notANumber(.y, "")), ("1,x,3,4", .notANumber(.x, "x")),
        ("0x1p3,2,3,4", .notANumber(.time, "0x1p3")), ("1,0x10,3,4", .notANumber(.x, "0x10")),
        ("1, 2,3,4", .notANumber(.x, " 2")), ("1,2 ,3,4", .notANumber(.x, "2 ")), ("1,2,3,4 ", .notANumber(.z, "4 ")),
        ("1,1e,3,4", .notANumber(.x, "1e")), ("1,1e+,3,4", .notANumber(.x, "1e+")), ("1,.,3,4", .notANumber(.x, ".")),
        ("1,+-2,3,4", .notANumber(.x, "+-2")), ("1,2,3,nan(0)", .notANumber(.z, "nan(0)")),
        ("1,.nan,3,4", .notANumber(.x, ".nan")), ("1,2,-.inf,4", .notANumber(.y, "-.inf")),
        ("1,infi,3,4", .notANumber(.x, "infi")), ("1,2,3\r,4", .notANumber(.y, "3\r")),
        ("1,2,\u{0},4", .notANumber(.y, "\u{0}")), ("", .wrongFieldCount(0)),
        ("t_seconds,x,y,z", .notANumber(.time, "t_seconds")), (String(repeating: "1", count: 4097), .lineTooLong),
        (String(repeating: "1,", count: 100_000), .lineTooLong),
    ]

    @Test(arguments: faults)
    func `a malformed line is reported with its number, and reading goes on`(
        line: String,
        fault: TraceError.Fault
    ) throws {
        let contents = try Contents(header + "1,2,3,4\n" + line + "\n2,2,3,4\n")
        #expect(contents.times == ["1", "2"])
        #expect(contents.errors == [TraceError(line: 3, fault: fault)])
        #expect(contents.lines == [2, 3, 4])
    }

    @Test func `a file whose first line is too long for a header is not read on`() throws {
        let contents = try Contents(String(repeating: "0", count: 70_000) + "\n" + header + "1,2,3,4\n")
        #expect(contents.errors == [TraceError(line: 1, fault: .missingHeader)])
        #expect(contents.samples == [])
    }

    @Test func `the longest line is still read`() throws {
        let time = "1." + String(repeating: "0", count: 4096 - 8)
        let contents = try Contents(header + time + ",2,3,4\r\n")
        #expect(contents.errors == [])
        #expect(contents.times == [time])
    }

    @Test(arguments: ["", "\n", "\r\n\n", "1,2,3,4\n", "t,x,y,z\n", "t_seconds,x,y,z,\n", "\u{FEFF}t_seconds,x,y,z\n"])
    func `a missing header is reported on its line`(text: String) throws {
        let contents = try Contents(text)
        #expect(contents.errors == [TraceError(line: 1, fault: .missingHeader)])
        #expect(contents.samples == [])
    }

    @Test func `blank lines within a trace are each reported`() throws {
        let contents = try Contents(header + "1,2,3,4\n\n\r\n2,2,3,4\n\n")
        #expect(contents.lines == [2, 3, 4, 5])
        #expect(contents.errors.map(\.fault) == [.wrongFieldCount(0), .wrongFieldCount(0)])
    }

    @Test func `what cannot be read is an error with its name`() throws {
        #expect(throws: SystemError("open", "/nonexistent", errno: .notFound)) {
            _ = try FileDescriptor.open(reading: "/nonexistent").rawValue
        }
        #expect(throws: SystemError("read", "/", errno: Errno(EISDIR))) {
            var reader = TraceReader(try FileDescriptor.open(reading: "/"), name: "/")
            _ = try reader.next()
        }
    }

    @Test func `a trace longer than the buffer comes whole`() throws {
        var text = header
        for step in 0..<20_000 { text += "\(Double(step) / 15),\(step % 7),9.80665,-0.25\n" }
        let contents = try Contents(text)
        #expect(contents.errors == [])
        #expect(contents.samples.count == 20_000)
        #expect(contents.samples.map(\.time) == (0..<20_000).map { Double($0) / 15 })
        #expect(contents.lines == Array(2...20_001))
    }

    @Test(arguments: UInt64(1)...8)
    func `numbers read as the nearest Double`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var texts: [String] = []
        for _ in 0..<5000 {
            switch random.next() % 4 {
            case 0: texts.append("\(Double(bitPattern: random.next() & ~(1 << 62)))")
            case 1: texts.append("\(Double.random(in: -20...20, using: &random))")
            case 2:
                let digits = (0..<random.next() % 25 + 1).map { _ in "\(random.next() % 10)" }.joined()
                texts.append("-\(digits).\(random.next())e\(Int(random.next() % 80) - 40)")
            default: texts.append("\(Int64(bitPattern: random.next()) >> 40)e\(Int(random.next() % 50) - 25)")
            }
        }
        let contents = try Contents(header + texts.map { "0,\($0),0,0\n" }.joined())
        #expect(contents.errors == [])
        for (text, sample) in zip(texts, contents.samples) {
            let expected = try #require(Double(text))
            let value = sample.acceleration.x
            guard value.bitPattern == expected.bitPattern else {
                Issue.record("seed \(seed): \(text) read as \(value)")
                return
            }
        }
    }
}

// MARK: - Random lines

@Suite struct RandomTraceTests {
    /// What the format says of a line, worked out another way.
    static func isSample(_ line: [UInt8]) -> Bool {
        var line = line
        if line.last == 0x0d { line.removeLast() }
        guard line.count <= 4096 else { return false }
        let number = /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf(inity)?)/
            .ignoresCase().matchingSemantics(.unicodeScalar).asciiOnlyDigits()
        let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == 4, fields.allSatisfy({ $0.wholeMatch(of: number) != nil }) else { return false }
        return strtod(fields[0], nil).isFinite
    }

    @Test(arguments: UInt64(1)...5)
    func `2000 random lines each give one record, and the right one`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let lines = (0..<2000).map { _ in Self.line(&random) } + [Array("0,0,0,0".utf8)]
        let contents = try Contents(file(Array(header.utf8) + lines.joined(separator: [0x0a]) + [0x0a]))
        #expect(contents.lines == Array(2...2002), "seed \(seed)")
        let expected = lines.indices.filter { Self.isSample(lines[$0]) }.map { $0 + 2 }
        let malformed = Set(contents.errors.map(\.line))
        #expect(contents.lines.filter { !malformed.contains($0) } == expected, "seed \(seed)")
    }

    @Test func `raw bytes with no regard for lines never crash`() throws {
        for seed in UInt64(1)...50 {
            var random = SplitMix(state: seed)
            let contents = try Contents(file((0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            #expect(!contents.errors.isEmpty, "seed \(seed)")
        }
    }

    /// A valid line, a mutation of one or raw bytes; never with a line feed in it.
    static func line(_ random: inout SplitMix) -> [UInt8] {
        let value = { (random: inout SplitMix) in Double.random(in: -20...20, using: &random) }
        var line = Array("\(value(&random)),\(value(&random)),\(value(&random)),\(value(&random))".utf8)
        let pieces = [
            ",", "-", "e", "E5", ".", "nan", "inf", "0x1", "\r", " ", "\u{0}", "ä", "1e999", "99999999999999",
        ]
        switch random.next() % 4 {
        case 0: break
        case 1:
            line = (0..<random.next() % 60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case 2 where random.next() % 20 == 0:
            line += Array(repeating: UInt8(ascii: "0"), count: Int(random.next() % 3000))
        default:
            for _ in 0...random.next() % 3 {
                let place = Int(random.next() % UInt64(line.count + 1))
                switch random.next() % 3 {
                case 0: line.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].utf8, at: place)
                case 1 where place < line.count: line.remove(at: place)
                default: if place < line.count { line[place] = UInt8(truncatingIfNeeded: random.next()) }
                }
            }
        }
        return line.map { $0 == 0x0a ? 0x0b : $0 }
    }
}

// MARK: - Writing

@Suite struct TraceWriterTests {
    @Test func `what is written reads back bit for bit`() throws {
        var random = SplitMix(state: 7)
        let special: [Double] = [
            0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e308, 9.80665, 0.1, 1e22,
        ]
        let samples = (0..<5000).map { step in
            func value() -> Double {
                let bits = random.next()
                return bits % 5 == 0 ? special[Int(bits / 5 % 10)] : Double(bitPattern: random.next())
            }
            return AccelerometerSample(time: Double(step) / 15, acceleration: Vector3(value(), value(), value()))
        }
        let descriptor = try file([])
        let reading = FileDescriptor(owning: dup(descriptor.rawValue))
        var writer = try TraceWriter(OutputFile(descriptor, name: "trace"))
        for sample in samples { try writer.write(sample) }
        try writer.flush()
        lseek(reading.rawValue, 0, SEEK_SET)
        let contents = try Contents(reading)
        #expect(contents.errors == [])
        try #require(contents.samples.count == samples.count)
        for (read, written) in zip(contents.samples, samples) {
            #expect(read.time == written.time)
            for path in [\Vector3.x, \.y, \.z] {
                let (read, written) = (read.acceleration[keyPath: path], written.acceleration[keyPath: path])
                #expect(read.bitPattern == written.bitPattern || read.isNaN && written.isNaN)
            }
        }
    }

    @Test func `a full disk is an error`() throws {
        var writer = try TraceWriter(OutputFile.create("/dev/full"))
        do throws(SystemError) {
            try writer.flush()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == SystemError("write", "/dev/full", errno: Errno(ENOSPC)))
        }
    }
}

@Suite struct TraceClockTests {
    @Test func `a trace begins at 0 and counts whole microseconds`() {
        var clock = TraceClock()
        #expect([98_765.432_1, 98_765.432_1, 98_765.498_766_66].map { clock.time(at: $0) } == [0, 0, 0.066_667])
    }
}
