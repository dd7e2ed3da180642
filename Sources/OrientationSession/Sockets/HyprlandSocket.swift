// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Hyprland's socket for requests, which accepts one on each connection; they are sent one after the other.
final class HyprlandSocket {
    /// The path of the socket, below the folder of an instance.
    static let requests = "/.socket.sock"

    enum Reply {
        case text(String)
        /// With a whole message.
        case failure(String)
    }

    private let path: String
    private let loop: EventLoop
    private var requests: [(text: String, completion: (Reply) -> Void)] = []
    private var socket: UnixSocket?

    /// Whether the configuration is in Lua, as it can be since 0.55, which decides how Hyprland is changed.
    ///
    /// Nil until a reply has shown it.
    var isLua: Bool?

    init(in folder: String, loop: EventLoop) {
        path = folder + Self.requests
        self.loop = loop
    }

    /// Sends a request; `completion` is called from the loop, or at once if nobody listens.
    func send(_ text: String, completion: @escaping (Reply) -> Void) {
        requests.append((text, completion))
        if requests.count == 1 { connect() }
    }

    /// Changes Hyprland by a Lua script, and calls `completion` with nil or the problem.
    ///
    /// Calls `legacy` instead if the configuration is not in Lua, or if this is still unknown after the attempt.
    func evaluate(_ script: String, orElse legacy: @escaping () -> Void, completion: @escaping (String?) -> Void) {
        guard isLua != false else { return legacy() }
        let evaluated: (Reply) -> Void = owned(by: self) { socket, reply in
            switch reply {
            case .text("ok"):
                socket.isLua = true
                completion(nil)
            case .text("unknown request"):
                socket.isLua = false
                legacy()
            case .text(let text) where socket.isLua == true: completion(text)
            case .text, .failure: legacy()
            }
        }
        send("/eval " + script, completion: evaluated)
    }

    /// Sends these requests as one, so that no frame comes between them, where the configuration is in hyprlang; calls
    /// `completion` with nil or the first problem.
    func send(_ keywords: [String], _ completion: @escaping (String?) -> Void) {
        let answered: (Reply) -> Void = owned(by: self) { socket, reply in
            switch reply {
            case .text(let text):
                let problem = text.utf8.split(separator: UInt8(ascii: "\n")).first { !$0.elementsEqual("ok".utf8) }
                socket.isLua = problem == nil ? false : nil
                completion(problem.map { String(Substring($0)) })
            case .failure(let problem): completion(problem)
            }
        }
        send(keywords.count == 1 ? keywords[0] : "[[BATCH]]" + keywords.joined(separator: ";"), completion: answered)
    }

    private func connect() {
        guard let request = requests.first else { return }
        do throws(SystemError) {
            socket = try UnixSocket(
                connectingTo: path,
                loop: loop,
                framing: { _, _ in nil },
                onMessage: { _ in },
                onEnd: owned(by: self) { $0.ended($1) }
            )
            socket?.send(Array(request.text.utf8))
        } catch {
            finish(.failure("\(error)"))
        }
    }

    /// Hyprland closes the connection after the reply.
    private func ended(_ problem: String) {
        let (reply, isComplete) = (socket?.rest ?? [], socket?.isClosed ?? false)
        socket = nil
        if isComplete, !reply.isEmpty {
            finish(.text(String(decoding: reply, as: UTF8.self)))
        } else {
            finish(.failure(isComplete ? "\(problem) without a reply" : problem))
        }
    }

    private func finish(_ reply: Reply) {
        requests.removeFirst().completion(reply)
        if socket == nil { connect() }
    }
}
