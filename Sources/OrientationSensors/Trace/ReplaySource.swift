// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// A recorded trace, played at the pace it was recorded at; a recording's events of other kinds are passed over.
///
/// Stopping holds it where it is. A malformed line ends it: what follows cannot be trusted. A pipe whose writer pauses
/// is waited for in the loop.
package final class ReplaySource: SensorSource {
    /// The most samples that are played in one turn of the loop, however many are due.
    private static let batch = 64

    package var onEvent: ((SourceEvent) -> Void)?
    package let mode = SensorMode.replay
    package let sampleRate = 0.0

    private let path: String
    private let loop: EventLoop
    private let descriptor: FileDescriptor
    private var reader: TraceReader
    private var timer: Timer?
    private var isPlaying = false

    /// Tells when a pipe can be read; nil while nothing is waited for.
    private var readable: EventSource?

    /// The sample that is to come next; nil while it cannot be read yet.
    private var next: AccelerometerSample?

    /// What is added to the trace's times for those of the loop; nil before the first sample is played.
    private var shift: Double?

    /// Opens the trace and, unless a program has still to write it, reads its first sample; throws when there is none.
    package init(path: String, loop: EventLoop) throws(SystemError) {
        self.path = path
        self.loop = loop
        descriptor = try FileDescriptor.open(withoutWaiting: path)
        reader = TraceReader(descriptor, name: path)
        timer = try loop.timer(owned(by: self) { $0.play() })
        // Without a writer, there seems to be nothing in it.
        guard !descriptor.isPipe else { return }
        do throws(SystemError) {
            switch try nextRecord() {
            case .sample(let first): next = first
            case .malformed(let error):
                throw SystemError("replay", path, errno: .invalid, reason: "line \(error.line): \(error)")
            case .event, nil: throw SystemError("find samples in", path, errno: .noData)
            }
        } catch {
            // Nobody has typed anything on a terminal yet.
            guard error.errno == .again else { throw error }
        }
    }

    package var isClosed: Bool { !isPlaying }

    package func start() {
        guard !isPlaying else { return }
        isPlaying = true
        shift = nil
        onEvent?(.report(.started(warnings: [])))
        if next == nil { waitForWriter() } else { play() }
    }

    package func stop() {
        isPlaying = false
        readable = nil
        timer?.disarm()
    }

    /// Plays what is due and waits for what is not; the loop gets its turn between two batches.
    private func play() {
        for _ in 0..<Self.batch {
            guard isPlaying, let next else { return }
            let shift = shift ?? loop.now - next.time
            self.shift = shift
            let wait = next.time + shift - loop.now
            guard wait <= 0 else {
                timer?.arm(after: wait, slack: 0)
                return
            }
            let sample = AccelerometerSample(time: next.time + shift, acceleration: next.acceleration)
            onEvent?(.sample(sample))
            advance()
        }
        if isPlaying, next != nil { timer?.arm(after: 0, slack: 0) }
    }

    private func advance() {
        next = nil
        do throws(SystemError) {
            switch try nextRecord() {
            case .sample(let sample): next = sample
            case .malformed(let error): end(.report(.failed("\(path):\(error.line): \(error)")))
            case .event, nil: end(.ended)
            }
        } catch {
            if error.errno == .again { waitForWriter() } else { end(.report(.failed("\(error)"))) }
        }
    }

    /// The next record that is no event; nil at the end.
    private func nextRecord() throws(SystemError) -> TraceReader.Record? {
        while let record = try reader.next() {
            if case .event = record { continue }
            return record
        }
        return nil
    }

    private func waitForWriter() {
        do throws(SystemError) {
            readable = try loop.watch(descriptor.rawValue, owned(by: self) { $0.readMore() })
        } catch {
            end(.report(.failed("cannot wait for more of \(path): \(error.errno)")))
        }
    }

    private func readMore() {
        readable = nil
        advance()
        play()
    }

    private func end(_ event: SourceEvent) {
        isPlaying = false
        onEvent?(event)
    }
}
