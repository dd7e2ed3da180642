// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// Maps the built-in touch screens and pens of sway to the panel; sway then transforms them with it.
final class SwayInputs: InputMapper {
    /// Seconds between attempts to connect, and how many there are.
    private static let retry = (seconds: 1.0, most: 30)

    /// A touch screen or pen tablet as sway reports it.
    private struct Input {
        let identifier, name: String
        let vendor, product: Int
        let kind: InputDevice.Kind
    }

    private enum Request {
        case subscription, inputs
        /// With the device's identifier.
        case mapping(String)
    }

    var onReload: () -> Void = {}
    private let loop: EventLoop
    private let log: Log
    private var timer: Timer?
    private var attempts = 0

    private var socket: UnixSocket?
    /// What was asked and not answered yet; sway answers in order.
    private var pending: [Request] = []
    private var inputs: [Input] = []
    private var output: String?
    /// The devices that were mapped, or refused.
    private var handled: Set<String> = []
    private var problem: ProblemLog

    init(loop: EventLoop, log: Log) throws(SystemError) {
        self.loop = loop
        self.log = log
        problem = ProblemLog(log, consequence: "sway's touch screens and pens are not mapped to the display")
        timer = try loop.timer { [unowned(unsafe) self] in
            attempts += 1
            if socket == nil { connect() }
        }
    }

    func follow(_ panel: Output) {
        guard panel.name != output else { return }
        output = panel.name
        handled = []
        attempts = 0
        if socket == nil { connect() } else { mapInputs() }
    }

    /// A mapping does not depend on the transform, and stays.
    func end(with panel: Output, completion: @escaping () -> Void) { completion() }

    // MARK: - Connection

    private func connect() {
        guard let path = environment("SWAYSOCK"), !path.isEmpty else { return problem.report("SWAYSOCK is not set") }
        (pending, inputs, handled) = ([], [], [])
        do throws(SystemError) {
            socket = try UnixSocket(
                connectingTo: path,
                loop: loop,
                framing: SwayMessage.next,
                onMessage: { [unowned(unsafe) self] bytes throws(MessageError) in try handle(SwayMessage(bytes)) },
                onEnd: { [unowned(unsafe) self] problem in lost(problem) }
            )
            send(.init(.subscribe, "[\"input\",\"workspace\"]"), .subscription)
        } catch {
            lost("\(error)")
        }
    }

    private func lost(_ reason: String) {
        socket = nil
        problem.report(reason)
        if attempts < Self.retry.most { timer?.arm(after: Self.retry.seconds) }
    }

    private func send(_ message: SwayMessage, _ request: Request) {
        pending.append(request)
        socket?.send(message.bytes)
    }

    // MARK: - Messages

    private func handle(_ message: SwayMessage) throws(MessageError) {
        let value = try JSONValue(message: message.payload)
        if message.kind == SwayMessage.Kind.inputEvent.rawValue { return try inputChanged(value) }
        if message.kind == SwayMessage.Kind.workspaceEvent.rawValue {
            if value["change"]?.text == "reload" { reloaded() }
            return
        }
        guard !pending.isEmpty else { throw MessageError("sent a reply that nobody asked for") }
        switch (pending.removeFirst(), SwayMessage.Kind(rawValue: message.kind)) {
        case (.subscription, .subscribe):
            guard value["success"]?.flag == true else { throw MessageError("refused to report input devices") }
            send(.init(.getInputs), .inputs)
        case (.inputs, .getInputs):
            guard let list = value.list else { throw MessageError("sent no list of input devices") }
            for element in list { try add(element) }
            problem.solved()
            attempts = 0
            mapInputs()
        case (.mapping(let identifier), .runCommand):
            guard let result = value.list?.first else { throw MessageError("sent no result of a command") }
            guard result["success"]?.flag != true else { return }
            log.warning("sway does not map \(identifier): \(result["error"]?.text ?? "no reason is given")")
        default: throw MessageError("sent a reply of type \(message.kind), which nobody asked for")
        }
    }

    /// Maps all devices again: sway forgets what was set over its socket.
    private func reloaded() {
        handled = []
        mapInputs()
        onReload()
    }

    private func inputChanged(_ event: JSONValue) throws(MessageError) {
        guard let change = event["change"]?.text, let device = event["input"] else {
            throw MessageError("sent an event without a change")
        }
        guard change == "added" || change == "removed", let identifier = device["identifier"]?.text else { return }
        inputs.removeAll { $0.identifier == identifier }
        handled.remove(identifier)
        guard change == "added" else { return }
        try add(device)
        mapInputs()
    }

    private func add(_ value: JSONValue) throws(MessageError) {
        guard let identifier = value["identifier"]?.text, let type = value["type"]?.text else {
            throw MessageError("sent an input device without identifier and type")
        }
        let kinds: [String: InputDevice.Kind] = ["touch": .touchScreen, "tablet_tool": .tablet]
        guard let kind = kinds[type] else { return }
        inputs.append(
            Input(
                identifier: identifier,
                name: value["name"]?.text ?? "",
                vendor: value["vendor"]?.integer ?? 0,
                product: value["product"]?.integer ?? 0,
                kind: kind
            )
        )
    }

    // MARK: - Mapping

    private func mapInputs() {
        guard let output, inputs.contains(where: { !handled.contains($0.identifier) }) else { return }
        let known: [InputDevice]
        do throws(SystemError) {
            known = try InputDevice.all()
        } catch {
            return log.warning("\(error); touch screens and pens are not mapped to the display")
        }
        for input in inputs where handled.insert(input.identifier).inserted {
            let placement = known.placement(
                vendor: input.vendor,
                product: input.product,
                name: input.name,
                kind: input.kind
            )
            guard placement == .builtIn else { continue }
            guard let command = Self.command(mapping: input.identifier, to: output) else {
                log.warning("\(input.identifier) is not mapped to \(output): the name could be read as a command")
                continue
            }
            send(.init(.runCommand, command), .mapping(input.identifier))
        }
    }

    /// The command that maps a device; nil if sway could read more than names in it.
    static func command(mapping identifier: String, to output: String) -> String? {
        let isPlain = (identifier + output).utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F && !"\"\\;$".utf8.contains(byte)
        }
        return isPlain ? "input \"\(identifier)\" map_to_output \"\(output)\"" : nil
    }
}
