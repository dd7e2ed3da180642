// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX

/// Writes every event that the machine handles as a trace, for `orientctl replay`.
final class Recorder {
    /// Seconds of samples that a crash may lose.
    private static let flushPeriod = 1.0

    private let log: Log
    private var writer: TraceWriter?
    private var lastFlush = 0.0

    /// Creates the file, for its owner alone, as it holds the names of applications; `-` is standard output.
    ///
    /// The daemon never waits for the reader of a pipe: a pipe that takes no more ends the recording.
    init(path: String, log: Log) throws(SystemError) {
        self.log = log
        let path = path == "-" ? "/dev/stdout" : path
        writer = try TraceWriter(try .create(path, permissions: 0o600, waits: false))
    }

    func write(_ configuration: MachineConfiguration, _ saved: SavedState?) {
        for (id, mask) in configuration.applicationMasks.sorted(by: { $0.key < $1.key }) {
            write(.application(id, mask), at: 0)
        }
        write(.start(configuration, saved), at: 0)
    }

    /// Writes an event that happened at a time on the machine's clock; a sample has a time of its own.
    func write(_ event: RecordedEvent, at time: Double) {
        var written = time
        if case .event(.sample(_, let sample)) = event { written = sample.time }
        attempt { writer throws(SystemError) in try writer.write(event, at: written) }
        switch event {
        case .event(.sample), .event(.device(_, .reading)): guard time - lastFlush >= Self.flushPeriod else { return }
        default: break
        }
        lastFlush = time
        flush()
    }

    /// Writes what is buffered; a failure ends the recording, and the daemon goes on.
    func flush() { attempt { writer throws(SystemError) in try writer.flush() } }

    private func attempt(_ body: (inout TraceWriter) throws(SystemError) -> Void) {
        guard var writer = writer.take() else { return }
        do throws(SystemError) {
            try body(&writer)
            self.writer = consume writer
        } catch {
            log.error("\(error); the recording ends here")
        }
    }
}
