// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// Reads an accelerometer for a command, until ``end(_:)``, a signal or the end of the source.
///
/// The sensor's settings are restored then.
final class SourceReader {
    let loop: EventLoop
    let source: any SensorSource

    /// Why reading ends.
    enum Ending {
        case complete
        case interrupted
        case failed(CommandError)
    }

    /// Nil while it reads.
    private(set) var ending: Ending?
    var isInterrupted: Bool { if case .interrupted = ending { true } else { false } }

    var onStart: () -> Void = {}
    var onSample: (AccelerometerSample) -> Void = { _ in }
    var onWarning: (String) -> Void = { complain("warning: \($0)") }

    init(_ source: any SensorSource, _ loop: EventLoop) {
        self.source = source
        self.loop = loop
    }

    /// Reads for so many seconds, or without a limit; throws the error that ended it.
    func run(seconds: Double? = nil) throws(CommandError) {
        let limit = try systemCall(loop.timer { [self] in end() })
        let termination = try systemCall(loop.onTermination { [self] in end(.interrupted) })
        if let seconds { limit.arm(after: seconds) }
        source.onEvent = { [self] event in handle(event) }
        source.start()
        _ = try systemCall(loop.run(keeping: limit, termination))
        // A second signal does not end the process before the command has said how it ended.
        if !isInterrupted { termination.cancel() }
        if case .failed(let error) = ending { throw error }
    }

    /// Explains why a source has failed, where the system's words do not say what to do.
    static func failure(_ reason: String) -> CommandError {
        if reason.includes("\(Errno.busy)") {
            return CommandError(reason + ": another program reads it, perhaps orientd", remedy: .stopService)
        }
        return CommandError(reason + (reason.includes("\(Errno.denied)") ? ": only root and orientd may read it" : ""))
    }

    private func handle(_ event: SourceEvent) {
        switch event {
        case .sample(let sample): onSample(sample)
        case .report(.started(let warnings)):
            warnings.forEach(onWarning)
            onStart()
        case .report(.closed(let warnings)):
            warnings.forEach(onWarning)
            if ending != nil { loop.exit() }
        case .report(.stalled(let problem)), .report(.silent(let problem, _)): onWarning(problem)
        case .report(.failed(let reason)): end(.failed(Self.failure(reason)))
        case .ended: end()
        }
    }

    /// Ends ``run(seconds:)`` once the sensor's settings are restored; the first reason counts, or a signal.
    func end(_ ending: Ending = .complete) {
        switch (self.ending, ending) {
        case (nil, _): self.ending = ending
        case (.complete, .interrupted):
            self.ending = ending
            return
        default: return
        }
        source.stop()
        if source.isClosed { loop.exit() }
    }
}
