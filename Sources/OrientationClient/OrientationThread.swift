// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// A thread that runs a connection as long as this value exists.
final class OrientationThread: Sendable {
    let mailbox: Mailbox<OrientationConnection.Job>

    init(
        busAddress: String?,
        onProblem: @escaping @Sendable (OrientationError) -> Void
    ) throws(OrientationError) {
        let connection = try OrientationConnection(busAddress: busAddress)
        connection.onProblem = onProblem
        mailbox = connection.mailbox
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

    /// Runs `body` on the thread, and returns what it completes with.
    func perform<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                OrientationConnection, @escaping (Result<Value, OrientationError>) -> Void
            ) -> Void
    ) async throws(OrientationError) -> Value {
        let result = await withCheckedContinuation { continuation in
            mailbox.send { connection in body(connection) { continuation.resume(returning: $0) } }
        }
        return try result.get()
    }
}
