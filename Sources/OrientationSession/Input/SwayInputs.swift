// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// Maps the built-in touch screens and pens of sway to the panel; sway then transforms them with it.
///
/// sway does not tell what a device is mapped to. So it leaves them alone where they may belong to several panels, and
/// where sway maps them itself: from 1.11 on, those of the platform to the only built-in output, unless the user's
/// configuration maps them.
final class SwayInputs: InputMapper {
    private static let kinds: [String: InputDevice.Kind] = ["touch": .touchScreen, "tablet_tool": .tablet]

    var onEvent: (OutputEvent) -> Void = { _ in }
    private let path: String
    private let loop: EventLoop
    private let log: Log

    private var socket: UnixSocket?
    private var attempts = Attempts()
    private var timer: Timer?
    private var output: String?
    private var isAlone = false
    /// Whether sway maps devices to the only built-in output; nil until it has said its version.
    private var mapsItself: Bool?
    /// The devices that were mapped, or refused.
    private var handled: Set<String> = []
    /// The devices whose mapping sway has not answered yet, in the order of the answers.
    private var pending: [String] = []
    private var problem: ProblemLog

    /// `path` is that of sway's socket.
    init(_ path: String, loop: EventLoop, log: Log) {
        self.path = path
        self.loop = loop
        self.log = log
        problem = ProblemLog(log, consequence: "sway's touch screens and pens are not mapped to the display")
        timer = try? loop.timer(owned(by: self) { if $0.socket == nil { $0.connect() } })
    }

    func follow(_ target: InputTarget) {
        guard target.output != output || target.isAlone != isAlone || socket == nil else { return }
        output = target.output
        isAlone = target.isAlone
        if socket == nil { connect() } else { mapAll() }
    }

    /// The devices stay mapped to their only panel: the user's configuration may have mapped them to it before.
    func end(with target: InputTarget, completion: @escaping (Bool) -> Void) { completion(true) }

    // MARK: - Connection

    private func connect() {
        pending = []
        mapsItself = nil
        do throws(SystemError) {
            socket = try UnixSocket(
                connectingTo: path,
                loop: loop,
                framing: SwayMessage.size,
                onMessage: owned(by: self) { inputs, bytes throws(MessageError) in
                    try inputs.handle(SwayMessage(bytes))
                },
                onEnd: owned(by: self) { $0.lost($1) }
            )
            send(.getVersion)
            send(.subscribe, "[\"input\",\"workspace\"]")
        } catch {
            lost("\(error)")
        }
    }

    private func lost(_ reason: String) {
        socket = nil
        problem.update(reason)
        attempts.fail(at: loop.now)
        timer?.arm(after: attempts.next - loop.now)
    }

    private func send(_ kind: SwayMessage.Kind, _ text: String = "") {
        socket?.send(SwayMessage(kind: kind.rawValue, payload: Array(text.utf8)).bytes)
    }

    private func handle(_ message: SwayMessage) throws(MessageError) {
        let value = try JSONValue(message: message.payload)
        switch SwayMessage.Kind(rawValue: message.kind) {
        case .getVersion:
            guard let major = value["major"]?.integer, let minor = value["minor"]?.integer else {
                throw MessageError("sent no version")
            }
            mapsItself = major > 1 || minor >= 11
        case .subscribe:
            guard value["success"]?.flag == true else { throw MessageError("refused to report input devices") }
            guard mapsItself != nil else { throw MessageError("sent no version") }
            mapAll()
        case .getInputs:
            try map(value)
            problem.update(nil)
            attempts = Attempts()
        case .runCommand:
            guard let result = value.list?.first, !pending.isEmpty else { throw MessageError("sent no valid result") }
            let identifier = pending.removeFirst()
            guard result["success"]?.flag != true else { return }
            log.warning("sway does not map \(identifier): \(result["error"]?.text ?? "no reason is given")")
        case .inputEvent:
            guard let change = value["change"]?.text, let device = value["input"] else {
                throw MessageError("sent an event without a change")
            }
            if change == "added" || change == "removed", let identifier = device["identifier"]?.text {
                handled.remove(identifier)
            }
            if change == "added" { send(.getInputs) }
        case .workspaceEvent:
            switch value["change"]?.text {
            case "reload":
                mapAll()
                onEvent(.reloaded)
            case "focus": if let output = value["current"]?["output"]?.text { onEvent(.workspace(outputs: [output])) }
            default: break
            }
        case nil: throw MessageError("sent a message of type \(message.kind), which nobody asked for")
        }
    }

    // MARK: - Mapping

    /// Maps all devices again, for another output, or because sway has forgotten what was set over its socket.
    private func mapAll() {
        handled = []
        send(.getInputs)
    }

    /// Maps the built-in ones of the devices in a list to the output.
    private func map(_ list: JSONValue) throws(MessageError) {
        guard let list = list.list else { throw MessageError("sent no list of input devices") }
        guard let output else { return }
        let known = InputDevice.all.serving(isAlone: isAlone)
        for device in list {
            guard let identifier = device["identifier"]?.text, let type = device["type"]?.text else {
                throw MessageError("sent an input device without identifier and type")
            }
            guard let kind = Self.kinds[type], handled.insert(identifier).inserted else { continue }
            let (vendor, product) = (device["vendor"]?.integer ?? 0, device["product"]?.integer ?? 0)
            let name = device["name"]?.text ?? ""
            guard known.isBuiltIn(kind, where: { ($0.vendor, $0.product, $0.name) == (vendor, product, name) }) else {
                continue
            }
            let isMapped = known.contains { $0.name == name && Self.mapsItself($0.path) }
            if mapsItself == true, isMapped, Output(name: output).isBuiltIn { continue }
            guard let command = Self.command(mapping: identifier, to: output) else {
                log.warning("\(identifier) is not mapped to \(output): the name could be read as a command")
                continue
            }
            pending.append(identifier)
            send(.runCommand, command)
        }
    }

    /// Whether sway maps a device with this ID_PATH of udev to the only built-in output: as it does not one on USB.
    private static func mapsItself(_ path: String) -> Bool {
        path.begins(with: "platform-") || path.begins(with: "pci-") && path.includes("-platform-")
    }

    /// The command that maps a device; nil if a name contains what sway would read as more than a name.
    static func command(mapping identifier: String, to output: String) -> String? {
        let isPlain = (identifier + output).utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F && !"\"\\;$".utf8.contains(byte)
        }
        return isPlain ? "input \"\(identifier)\" map_to_output \"\(output)\"" : nil
    }
}
