// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// A client's connection to a Unix stream socket; no call waits for the server.
final class UnixSocket {
    /// For messages.
    let path: String
    private let descriptor: FileDescriptor
    private var source: EventSource?
    private let onData: ([UInt8]) -> Void
    private let onEnd: (String) -> Void
    private var failure: SystemError?

    /// Connects; throws if nobody listens there.
    ///
    /// `onData` gets what the server sends; `onEnd` is called once, when the connection ends, with a whole message. Both
    /// are called from the loop, and may release this object.
    init(
        connectingTo path: String,
        loop: EventLoop,
        onData: @escaping ([UInt8]) -> Void,
        onEnd: @escaping (String) -> Void
    ) throws(SystemError) {
        self.path = path
        self.onData = onData
        self.onEnd = onEnd
        descriptor = FileDescriptor(owning: try checkSystem("connect to", path, orientd_connect_without_waiting(path)))
        source = try loop.watch(descriptor.rawValue) { [unowned(unsafe) self] in withExtendedLifetime(self) { read() } }
    }

    /// Sends a message, which must fit into the socket's buffer; a failure ends the connection, from the loop.
    func send(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        let count = retryingInterrupted {
            CLinux.send(descriptor.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard count != bytes.count else { return }
        failure = SystemError("write to", path, errno: count < 0 ? .current : .again)
        // The next read reports the failure: no handler is called from here.
        shutdown(descriptor.rawValue, Int32(SHUT_RDWR))
    }

    private func read() {
        guard source != nil else { return }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = retryingInterrupted { CLinux.read(descriptor.rawValue, &bytes, bytes.count) }
        if count > 0 { return onData(Array(bytes[..<count])) }
        let error = Errno.current
        guard count == 0 || error != .again else { return }
        source = nil
        let failure = failure ?? (count < 0 ? SystemError("read from", path, errno: error) : nil)
        onEnd(failure.map { "\($0)" } ?? "\(path) closed the connection")
    }
}
