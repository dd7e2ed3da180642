// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX

/// Writes a trace, header first, so that reading it gives back the same numbers bit for bit.
///
/// Whoever writes ends with `flush`: samples go through a buffer.
package struct TraceWriter: ~Copyable {
    private var file: OutputFile

    /// Writes the header to a file that is empty so far.
    package init(_ file: consuming OutputFile) throws(SystemError) {
        try file.write(TraceFormat.header + "\n")
        self.file = file
    }

    package mutating func write(_ sample: AccelerometerSample) throws(SystemError) {
        try file.write("\(TraceFormat.text(sample.time)),\(TraceFormat.text(sample.acceleration))\n")
    }

    package mutating func write(_ event: RecordedEvent, at time: Double) throws(SystemError) {
        try file.write("\(TraceFormat.text(time)),\(event.text)\n")
    }

    /// Hands everything written so far to the system.
    package mutating func flush() throws(SystemError) { try file.flush() }
}
