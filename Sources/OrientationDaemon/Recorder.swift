// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX

/// Writes every event that the machine handles as a trace, for `orientctl replay`.
final class Recorder {
    private let log: Log
    private var writer: TraceWriter?

    /// Creates the file; `-` is standard output.
    init(path: String, log: Log) throws(SystemError) {
        self.log = log
        writer = try TraceWriter(path == "-" ? .standardOutput() : try .create(path))
    }

    func write(_ configuration: MachineConfiguration, _ saved: SavedState?) {
        for (id, mask) in configuration.applicationMasks.sorted(by: { $0.key < $1.key }) {
            write(.application(id, mask), at: 0)
        }
        write(.start(configuration, saved), at: 0)
    }

    func write(_ event: Event, at time: Double) {
        guard case .sample(_, let sample) = event else {
            write(.event(event), at: time)
            return flush()
        }
        write(.event(event), at: sample.time)
    }

    /// Writes what is buffered; a failure ends the recording, and the daemon goes on.
    func flush() { attempt { writer throws(SystemError) in try writer.flush() } }

    private func write(_ event: RecordedEvent, at time: Double) {
        attempt { writer throws(SystemError) in try writer.write(event, at: time) }
    }

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
