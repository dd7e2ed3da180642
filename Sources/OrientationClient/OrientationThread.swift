// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// A thread that runs a connection as long as this value exists.
final class OrientationThread: Sendable {
    let mailbox: Mailbox<OrientationConnection.Job>
    let channel: StateChannel

    init(
        busAddress: String?,
        onProblem: @escaping @Sendable (OrientationError) -> Void
    ) throws(OrientationError) {
        let connection = try OrientationConnection(busAddress: busAddress)
        connection.onProblem = onProblem
        (mailbox, channel) = (connection.mailbox, connection.channel)
        connection.thread = self
        do throws(SystemError) {
            pthread_detach(try startThread("start a thread") { connection.run() })
        } catch {
            throw OrientationError(.failed, "\(error)")
        }
    }

    deinit {
        mailbox.send { $0.stop() }
    }

    /// Runs `body` on the thread, and returns what it completes with, unless the task is cancelled before.
    ///
    /// A value that comes too late for the task is released.
    func perform<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                OrientationConnection, @escaping (Result<Value, OrientationError>) -> Void
            ) -> Void
    ) async throws(OrientationError) -> Value {
        let call = PendingCall<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mailbox.send { connection in
                    if call.begin(continuation) { body(connection) { call.complete($0) } }
                }
            }
        } onCancel: {
            mailbox.send { _ in call.complete(.failure(.cancelled)) }
        }
        return try result.get()
    }
}

/// A call that a task waits for; it completes once, with the first result.
// Sendable unchecked: the jobs of the connection's thread serialise it.
private final class PendingCall<Value: Sendable>: @unchecked Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Result<Value, OrientationError>, Never>)
        case complete
    }

    private var state = State.new

    /// Returns false, and completes the task, if that was cancelled already.
    func begin(_ continuation: CheckedContinuation<Result<Value, OrientationError>, Never>) -> Bool {
        if case .complete = state {
            continuation.resume(returning: .failure(.cancelled))
            return false
        }
        state = .waiting(continuation)
        return true
    }

    func complete(_ result: Result<Value, OrientationError>) {
        if case .waiting(let continuation) = state { continuation.resume(returning: result) }
        state = .complete
    }
}
