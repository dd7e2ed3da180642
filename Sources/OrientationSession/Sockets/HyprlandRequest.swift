// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// One request to Hyprland, and its reply.
final class HyprlandRequest {
    /// The longest reply that is accepted, in bytes.
    private static let limit = 1 << 20

    /// The folder of Hyprland's sockets.
    static var folder: String {
        "\(environment("XDG_RUNTIME_DIR") ?? "")/hypr/\(environment("HYPRLAND_INSTANCE_SIGNATURE") ?? "")"
    }

    enum Result {
        case reply([UInt8])
        /// With a whole message.
        case failure(String)
    }

    private var socket: UnixSocket?
    private var reply: [UInt8] = []
    private let completion: (Result) -> Void

    /// Sends the request; `completion` is called from the loop, and may release this object.
    init(
        _ text: String,
        loop: EventLoop,
        completion: @escaping (Result) -> Void
    ) throws(SystemError) {
        self.completion = completion
        let path = Self.folder + "/.socket.sock"
        // The handlers need all members.
        socket = try UnixSocket(
            connectingTo: path,
            loop: loop,
            onData: { [unowned(unsafe) self] bytes in withExtendedLifetime(self) { read(bytes, path) } },
            onEnd: { [unowned(unsafe) self] problem in withExtendedLifetime(self) { ended(problem) } }
        )
        socket?.send(Array(text.utf8))
    }

    private func read(_ bytes: [UInt8], _ path: String) {
        reply += bytes
        guard reply.count > Self.limit else { return }
        socket = nil
        completion(.failure("\(path) sent a reply of more than \(Self.limit) bytes"))
    }

    /// Hyprland closes the connection after the reply.
    private func ended(_ problem: String) {
        socket = nil
        completion(reply.isEmpty ? .failure("\(problem) without a reply") : .reply(reply))
    }
}
