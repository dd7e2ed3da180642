// SPDX-License-Identifier: Apache-2.0

import POSIX

/// The state now and after each change.
///
/// Nothing comes before orientd has answered for the first time. A slow reader gets the newest state, not each of them.
/// The sequence goes on while orientd is restarted; it fails with ``OrientationError/Code/disconnected``, and ends when its
/// task is cancelled or its ``OrientationConnection`` ends.
public struct OrientationStates: AsyncSequence, Sendable {
    public typealias Element = OrientationState
    public typealias Failure = OrientationError
    typealias Stream = AsyncStream<Result<OrientationState, OrientationError>>

    private let mailbox: Mailbox<OrientationConnection.Job>
    /// The claim, or the thread that the states come from.
    private let kept: (any AnyObject & Sendable)?

    init(_ mailbox: Mailbox<OrientationConnection.Job>, keeping kept: (any AnyObject & Sendable)?) {
        self.mailbox = mailbox
        self.kept = kept
    }

    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingNewest(1))
        mailbox.send { $0.add(continuation) }
        return AsyncIterator(states: stream.makeAsyncIterator(), kept: kept)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: Stream.AsyncIterator
        fileprivate let kept: (any AnyObject & Sendable)?

        /// Waits for the next state; nil after the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(OrientationError) -> OrientationState? {
            try await states.next(isolation: actor)?.get()
        }

        /// Waits for the next state; nil after the end.
        public mutating func next() async throws(OrientationError) -> OrientationState? {
            try await next(isolation: nil)
        }
    }
}
