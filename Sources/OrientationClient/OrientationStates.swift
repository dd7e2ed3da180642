// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The state now and after each change.
///
/// Nothing comes before orientd has answered for the first time. A slow reader gets the newest state, not each of them.
/// The sequence goes on while orientd is restarted; it fails with ``OrientationError/Code/disconnected``, and ends when
/// its task is cancelled or its ``OrientationConnection`` ends.
public struct OrientationStates: AsyncSequence, Sendable {
    public typealias Element = OrientationState
    public typealias Failure = OrientationError

    private let channel: StateChannel
    /// The claim or the service that the states come from.
    private let kept: (any AnyObject & Sendable)?

    init(_ channel: StateChannel, keeping kept: (any AnyObject & Sendable)?) {
        self.channel = channel
        self.kept = kept
    }

    /// Starts with the present state; each iterator gets every later one.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(states: channel.makeStream().makeAsyncIterator(), kept: kept)
    }

    /// Waits for one state after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: StateChannel.Stream.AsyncIterator
        fileprivate let kept: (any AnyObject & Sendable)?

        /// Waits for the next state; nil after the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(OrientationError) -> OrientationState? {
            try await states.next(isolation: actor)?.get()
        }
    }
}

/// Hands the states of a connection to its iterators, on any thread.
final class StateChannel: Sendable {
    typealias Stream = AsyncStream<Result<OrientationState, OrientationError>>

    private struct Content {
        var streams: [Int: Stream.Continuation] = [:]
        var lastID = 0
        /// What a new stream begins with.
        var last: Result<OrientationState, OrientationError>?
        var hasEnded = false
    }

    private let content = Mutex(Content())

    var streamCount: Int { content.withLock { $0.streams.count } }

    func makeStream() -> Stream {
        Stream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id: Int? = content.withLock { content in
                if let last = content.last { continuation.yield(last) }
                guard !content.hasEnded else { return nil }
                content.lastID += 1
                content.streams[content.lastID] = continuation
                return content.lastID
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                _ = self?.content.withLock { $0.streams.removeValue(forKey: id) }
            }
        }
    }

    func send(_ state: OrientationState) {
        content.withLock { content in
            guard !content.hasEnded else { return }
            content.last = .success(state)
            for continuation in content.streams.values { continuation.yield(.success(state)) }
        }
    }

    /// Ends the streams, and those that are made later, with the error if there is one.
    func end(_ error: OrientationError?) {
        let streams = content.withLock { content in
            defer { content.streams = [:] }
            content.last = error.map { .failure($0) }
            content.hasEnded = true
            return content.streams.values
        }
        for continuation in streams {
            if let error { continuation.yield(.failure(error)) }
            continuation.finish()
        }
    }
}
