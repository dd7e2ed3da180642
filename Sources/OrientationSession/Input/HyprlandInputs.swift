// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// Gives the built-in touch screens and pens of Hyprland the panel's transform, which they do not follow.
///
/// Hyprland takes one request a connection; its other socket reports when it has read its configuration again, which
/// forgets the transforms.
final class HyprlandInputs: InputMapper {
    /// What the devices are set to.
    private struct Target: Equatable {
        var output: String
        var transform: Transform
    }

    /// The language of the configuration, which decides about that of the requests.
    private enum Language {
        case hyprlang, lua
    }

    var onReload: () -> Void = {}
    private let folder: String
    private let loop: EventLoop
    private let log: Log
    private var request: HyprlandRequest?
    private var events: UnixSocket?
    private var lines = LineBuffer()
    /// Nil until a request has shown it.
    private var language: Language?

    private var wanted: Target?
    /// The last target that was tried, successfully or not.
    private var handled: Target?
    private var completions: [() -> Void] = []
    private var hasReported = false
    private var refusedNames: Set<String> = []

    init(loop: EventLoop, log: Log) {
        folder = HyprlandRequest.folder
        self.loop = loop
        self.log = log
    }

    func follow(_ panel: Output) {
        wanted = Target(output: panel.name, transform: panel.transform)
        update()
    }

    func end(with panel: Output, completion: @escaping () -> Void) {
        completions.append(completion)
        follow(panel)
    }

    // MARK: - Devices

    private func update() {
        guard request == nil else { return }
        guard let wanted, wanted != handled else {
            let ended = completions
            completions = []
            for completion in ended { completion() }
            return
        }
        if events == nil { connectEvents() }
        handled = wanted
        send("j/devices") { [unowned(unsafe) self] reply in
            do throws(MessageError) {
                setNext(of: try Self.builtInDevices(in: reply, reportRefused), to: wanted)
            } catch {
                failed("Hyprland \(error.problem)")
            }
        }
    }

    /// The names of the built-in touch screens and pen tablets in the reply to `devices`.
    private static func builtInDevices(
        in reply: [UInt8],
        _ reportRefused: (String) -> Void
    ) throws(MessageError) -> [String] {
        let list: JSONValue
        do throws(JSONError) {
            list = try JSONValue(reply)
        } catch {
            throw MessageError("sent \(error) in its list of devices")
        }
        let known: [InputDevice]
        do throws(SystemError) {
            known = try InputDevice.all()
        } catch {
            throw MessageError("has devices, but \(error)")
        }
        var names: [String] = []
        for (member, kind) in [("touch", InputDevice.Kind.touchScreen), ("tablets", .tablet)] {
            guard let devices = list[member]?.list else {
                throw MessageError("sent a list of devices without \(member)")
            }
            // The tools and pads of a tablet are listed without a name of their own.
            for name in devices.compactMap({ $0["name"]?.text }) {
                let placement = known.placement(kind) { HyprlandCommand.matches(name, $0.name) }
                guard placement == .builtIn else { continue }
                if HyprlandCommand.isPlain(name) { names.append(name) } else { reportRefused(name) }
            }
        }
        return names
    }

    private func reportRefused(_ name: String) {
        guard refusedNames.insert(name).inserted else { return }
        log.warning("\(name) is not rotated: the name could be read as a command")
    }

    /// Sets the first of these devices, and then the others.
    private func setNext(of devices: [String], to target: Target) {
        guard let device = devices.first else {
            hasReported = false
            return update()
        }
        let options = [("transform", "\(target.transform.rawValue)"), ("output", target.output)]
        set(device, options) { [unowned(unsafe) self] in setNext(of: Array(devices.dropFirst()), to: target) }
    }

    private func set(_ device: String, _ options: [(String, String)], completion: @escaping () -> Void) {
        guard let option = options.first else { return completion() }
        if language == .lua {
            return send(HyprlandCommand.evaluation(device, options)) { [unowned(unsafe) self] reply in
                check(reply, device, completion)
            }
        }
        send(HyprlandCommand.keyword(device, option)) { [unowned(unsafe) self] reply in
            if language == nil, HyprlandCommand.asksForEvaluation(reply) {
                language = .lua
                return set(device, options, completion: completion)
            }
            check(reply, device) { [unowned(unsafe) self] in
                language = .hyprlang
                set(device, Array(options.dropFirst()), completion: completion)
            }
        }
    }

    private func check(_ reply: [UInt8], _ device: String, _ completion: () -> Void) {
        let text = String(decoding: reply, as: UTF8.self)
        guard text.utf8.starts(with: "ok".utf8) else {
            return failed("Hyprland does not rotate \(device): \(text.isEmpty ? "the reply is empty" : text)")
        }
        completion()
    }

    // MARK: - Sockets

    private func send(_ text: String, completion: @escaping ([UInt8]) -> Void) {
        do throws(SystemError) {
            request = try HyprlandRequest(text, loop: loop) { [unowned(unsafe) self] in
                request = nil
                switch $0 {
                case .reply(let bytes): withExtendedLifetime(self) { completion(bytes) }
                case .failure(let problem): withExtendedLifetime(self) { failed(problem) }
                }
            }
        } catch {
            failed("\(error)")
        }
    }

    /// Gives up until the panel changes again.
    private func failed(_ problem: String) {
        language = nil
        report(problem)
        update()
    }

    private func report(_ problem: String) {
        if !hasReported { log.warning("\(problem); Hyprland's touch screens and pens do not follow the display") }
        hasReported = true
    }

    private func connectEvents() {
        lines = LineBuffer()
        do throws(SystemError) {
            events = try UnixSocket(
                connectingTo: folder + "/.socket2.sock",
                loop: loop,
                onData: { [unowned(unsafe) self] bytes in withExtendedLifetime(self) { read(bytes) } },
                onEnd: { [unowned(unsafe) self] problem in withExtendedLifetime(self) { eventsEnded(problem) } }
            )
        } catch {
            report("\(error)")
        }
    }

    private func read(_ bytes: [UInt8]) {
        do throws(MessageError) {
            guard try lines.take(bytes).contains(where: { $0.starts(with: "configreloaded>>".utf8) }) else { return }
            // The new configuration may be in another language.
            language = nil
            handled = nil
            update()
            onReload()
        } catch {
            eventsEnded("\(folder)/.socket2.sock \(error.problem)")
        }
    }

    private func eventsEnded(_ problem: String) {
        events = nil
        handled = nil
        language = nil
        report(problem)
    }
}
