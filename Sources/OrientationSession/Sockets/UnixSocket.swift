// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import POSIX
import SystemdBus

/// What is wrong with a message, as words that follow the socket's name.
struct MessageError: Error {
    let problem: String

    init(_ problem: String) { self.problem = problem }
}

extension JSONValue {
    convenience init(message: [UInt8]) throws(MessageError) {
        do throws(JSONError) {
            try self.init(message)
        } catch {
            throw MessageError("sent \(error)")
        }
    }
}

/// A client's connection to a Unix stream socket; no call waits for the server.
final class UnixSocket {
    /// The longest message that is accepted, in bytes.
    static let limit = 1 << 20

    /// Seconds for the server to send something after a message to it.
    private static let longestAnswer = 8.0

    /// Returns the size of the first message in what was received; nil if it is not complete.
    ///
    /// The first `known` bytes contain no end of it: they were there at the last call.
    typealias Framing = (_ received: ArraySlice<UInt8>, _ known: Int) throws(MessageError) -> Int?

    /// The framing of messages that are lines, with their newlines.
    static func line(in received: ArraySlice<UInt8>, known: Int) -> Int? {
        received.dropFirst(known).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - received.startIndex }
    }

    private let path: String
    private let descriptor: FileDescriptor
    private var source: EventSource?
    private let framing: Framing
    private let onMessage: ([UInt8]) throws(MessageError) -> Void
    private let onEnd: (String) -> Void
    private var failure: SystemError?
    private var timer: Timer?
    /// Whether the server has ended the connection.
    private(set) var isClosed = false

    /// What was received after the last message, and how much of it the framing knows.
    private(set) var rest: [UInt8] = []
    private var known = 0

    /// Connects; throws if nobody listens there.
    ///
    /// `onMessage` gets what the server sends, and ends the connection by an error; `onEnd` is called once, when the
    /// connection ends, with a whole message, and may release this object. Both are called from the loop.
    init(
        connectingTo path: String,
        loop: EventLoop,
        framing: @escaping Framing,
        onMessage: @escaping ([UInt8]) throws(MessageError) -> Void,
        onEnd: @escaping (String) -> Void
    ) throws(SystemError) {
        self.path = path
        self.framing = framing
        self.onMessage = onMessage
        self.onEnd = onEnd
        descriptor = FileDescriptor(owning: try checkSystem("connect to", path, orientd_connect_without_waiting(path)))
        source = try loop.watch(descriptor.rawValue, owned(by: self) { $0.read() })
        timer = try loop.timer(owned(by: self) { $0.end("\(path) does not answer") })
    }

    /// Sends a message, which must fit into the socket's buffer; a failure ends the connection, from the loop.
    func send(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        let count = retryingInterrupted {
            CLinux.send(descriptor.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if count == bytes.count {
            timer?.arm(after: Self.longestAnswer)
            return
        }
        failure = SystemError("write to", path, errno: count < 0 ? .current : .again)
        // The next read reports the failure: no handler is called from here.
        shutdown(descriptor.rawValue, Int32(SHUT_RDWR))
    }

    private func read() {
        guard source != nil else { return }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = retryingInterrupted { CLinux.read(descriptor.rawValue, &bytes, bytes.count) }
        let error = Errno.current
        if count < 0, error == .again { return }
        if count <= 0 {
            isClosed = count == 0 && failure == nil
            let failure = failure ?? (count < 0 ? SystemError("read from", path, errno: error) : nil)
            return end(failure.map { "\($0)" } ?? "\(path) closed the connection")
        }
        rest += bytes[..<count]
        do throws(MessageError) {
            var start = 0
            while let size = try framing(rest[start...], known) {
                timer?.disarm()
                let message = Array(rest[start..<start + size])
                start = start + size
                known = 0
                try onMessage(message)
            }
            rest.removeFirst(start)
            known = rest.count
            if rest.count > Self.limit { throw MessageError("sent a message of more than \(Self.limit) bytes") }
        } catch {
            end("\(path) \(error.problem)")
        }
    }

    private func end(_ problem: String) {
        source = nil
        timer = nil
        onEnd(problem)
    }
}
