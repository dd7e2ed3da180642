// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// A recorded trace, played at the pace it was recorded at.
///
/// Stopping holds it where it is. A line that is no sample is the end as well: what follows cannot be trusted.
package final class ReplaySource: SensorSource {
    /// The most samples that are played in one turn of the loop, however many are due.
    private static let batch = 64

    package var onEvent: ((SourceEvent) -> Void)?
    package let mode = SensorMode.replay
    package private(set) var sampleRate = 0.0

    private let loop: EventLoop
    private var reader: TraceReader
    private var timer: Timer?
    private var isPlaying = false

    /// The sample that is to come next.
    private var next: AccelerometerSample

    /// What is added to the trace's times for those of the loop.
    private var shift = 0.0

    /// Opens the trace and reads its first samples; throws when there are none.
    package init(path: String, loop: EventLoop) throws(SystemError) {
        self.loop = loop
        reader = TraceReader(try FileDescriptor.open(reading: path), name: path)
        guard case .sample(let first) = try reader.next() else {
            throw SystemError("find samples in", path, errno: .invalid)
        }
        next = first
        timer = try loop.timer { [unowned(unsafe) self] in play() }
    }

    package func start() {
        guard !isPlaying else { return }
        isPlaying = true
        shift = loop.now - next.time
        onEvent?(.started(warnings: []))
        play()
    }

    package func stop(completion: @escaping () -> Void) {
        isPlaying = false
        timer?.disarm()
        completion()
    }

    /// Plays what is due and waits for what is not; the loop gets its turn between two batches.
    private func play() {
        for _ in 0..<Self.batch where isPlaying {
            let wait = next.time + shift - loop.now
            guard wait <= 0 else {
                timer?.arm(after: wait, slack: 0)
                return
            }
            let sample = AccelerometerSample(time: next.time + shift, acceleration: next.acceleration)
            onEvent?(.sample(.acceleration(sample)))
            advance()
        }
        if isPlaying { timer?.arm(after: 0, slack: 0) }
    }

    private func advance() {
        do throws(SystemError) {
            switch try reader.next() {
            case .sample(let sample): next = sample
            case .malformed(let error): end(.failed("line \(error.line): \(error)"))
            case nil: end(.ended)
            }
        } catch {
            end(.failed("\(error)"))
        }
    }

    private func end(_ event: SourceEvent) {
        isPlaying = false
        onEvent?(event)
    }
}
