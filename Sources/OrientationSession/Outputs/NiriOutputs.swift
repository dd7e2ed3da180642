// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// The outputs of niri, over its IPC.
///
/// This IPC does not report changes of outputs.
final class NiriOutputs: OutputBackend {
    private enum Request {
        /// `endsChange` is set for the request that follows a change.
        case outputs(endsChange: Bool)
        case change
    }

    private let onEvent: (OutputEvent) -> Void
    private var socket: UnixSocket?
    /// The requests that niri has not answered yet, in the order of the answers.
    private var pending: [Request] = []
    /// Why a part of the current change was refused.
    private var refusal: String?

    init(_ path: String, loop: EventLoop, onEvent: @escaping (OutputEvent) -> Void) throws(SystemError) {
        self.onEvent = onEvent
        socket = try UnixSocket(
            connectingTo: path,
            loop: loop,
            framing: UnixSocket.line,
            onMessage: owned(by: self) { outputs, line throws(MessageError) in
                try outputs.handle(JSONValue(message: line))
            },
            onEnd: { onEvent(.lost("niri: \($0)")) }
        )
        requestOutputs()
    }

    // MARK: - Requests

    func requestOutputs() { requestOutputs(endsChange: false) }

    private func requestOutputs(endsChange: Bool) { send("\"Outputs\"", .outputs(endsChange: endsChange)) }

    func apply(_ change: OutputChange) {
        refusal = nil
        for (output, transform) in change.transforms.sorted(by: { $0.key < $1.key }) {
            let name = JSONValue.quoted(transform.niriName)
            send("{\"Transform\":{\"transform\":\(name)}}", of: output)
        }
        for (output, place) in change.positions.sorted(by: { $0.key < $1.key }) {
            let position = "{\"Specific\":{\"x\":\(place.x),\"y\":\(place.y)}}"
            send("{\"Position\":{\"position\":\(position)}}", of: output)
        }
        requestOutputs(endsChange: true)
    }

    private func send(_ action: String, of output: String) {
        send("{\"Output\":{\"output\":\(JSONValue.quoted(output)),\"action\":\(action)}}", .change)
    }

    private func send(_ text: String, _ request: Request) {
        pending.append(request)
        socket?.send(Array((text + "\n").utf8))
    }

    // MARK: - Replies

    private func handle(_ reply: JSONValue) throws(MessageError) {
        guard !pending.isEmpty else { throw MessageError("sent a reply that nobody asked for") }
        switch pending.removeFirst() {
        case .outputs(let endsChange):
            guard let listed = reply["Ok"]?["Outputs"]?.members else { throw MessageError("sent no list of outputs") }
            var outputs: [Output] = []
            // The order in the list is arbitrary.
            for (name, value) in listed.sorted(by: { $0.key < $1.key }) {
                guard let output = Output(niri: name, value) else {
                    throw MessageError("sent an invalid description of the output \(name)")
                }
                outputs.append(output)
            }
            onEvent(.outputs(outputs))
            if endsChange { onEvent(.changeEnded(refusal.map { .refused($0) } ?? .reported)) }
        case .change: try changeAnswered(reply)
        }
    }

    private func changeAnswered(_ reply: JSONValue) throws(MessageError) {
        if let problem = reply["Err"]?.text {
            refusal = refusal ?? "niri refused it: \(problem)"
        } else if let result = reply["Ok"]?["OutputConfigChanged"]?.text {
            if result == "OutputWasMissing" { refusal = refusal ?? "niri has no such output" }
        } else {
            throw MessageError("sent no result of a change")
        }
    }
}

extension Transform {
    private static let niriNames = [
        "Normal", "90", "180", "270", "Flipped", "Flipped90", "Flipped180", "Flipped270",
    ]

    var niriName: String { Self.niriNames[Int(rawValue)] }
}

extension Output {
    /// Reads niri's description of an output; nil if it is invalid.
    init?(niri name: String, _ value: JSONValue) {
        guard let logical = value["logical"] else { return nil }
        guard !logical.isNull else {
            self.init(name: name, isEnabled: false)
            return
        }
        self.init(name, logical, Transform.allCases.first { $0.niriName == logical["transform"]?.text })
        let size = Extent(width: self.width, height: self.height).transformed(transform)
        self.logical = size
        self.width = Int((Double(size.width) * scale).rounded())
        self.height = Int((Double(size.height) * scale).rounded())
        // The logical size is rounded; the mode's is not.
        guard let mode = value["current_mode"]?.integer else { return }
        guard let modes = value["modes"]?.list, modes.indices.contains(mode),
            let width = modes[mode]["width"]?.integer, let height = modes[mode]["height"]?.integer
        else { return nil }
        self.width = width
        self.height = height
    }
}
