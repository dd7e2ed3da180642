// SPDX-License-Identifier: Apache-2.0

import JSON
import POSIX
import SystemdBus

/// Gives the built-in touch screens and pens of Hyprland the panel's transform, which they do not follow.
///
/// Hyprland forgets the transforms when it reads its configuration again, which its socket for events reports.
final class HyprlandInputs: InputMapper {
    /// What the devices are set to.
    private struct Target: Equatable {
        var output: String
        var transform: Transform
    }

    var onReload: () -> Void = {}
    private let loop: EventLoop
    private let log: Log
    private let hyprland: HyprlandSocket
    private var events: UnixSocket?

    private var wanted: Target?
    /// The last target that was tried, successfully or not.
    private var handled: Target?
    private var isBusy = false
    private var completions: [() -> Void] = []
    private var problem: ProblemLog
    private var refusedNames: Set<String> = []

    init(loop: EventLoop, log: Log) {
        self.loop = loop
        self.log = log
        hyprland = HyprlandSocket(loop: loop)
        problem = ProblemLog(log, consequence: "Hyprland's touch screens and pens do not follow the display")
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
        guard !isBusy else { return }
        guard let wanted, wanted != handled else {
            let ended = completions
            completions = []
            for completion in ended { completion() }
            return
        }
        if events == nil { connectEvents() }
        handled = wanted
        isBusy = true
        hyprland.send("j/devices") { [self] reply in
            do throws(MessageError) {
                switch reply {
                case .text(let text): setNext(of: try builtInDevices(in: Array(text.utf8)), to: wanted)
                case .failure(let problem): finishAttempt(problem)
                }
            } catch {
                finishAttempt("Hyprland \(error.problem)")
            }
        }
    }

    /// Ends the current attempt; after a problem the next one is made when the panel changes.
    private func finishAttempt(_ problem: String?) {
        isBusy = false
        if let problem {
            hyprland.language = nil
            self.problem.report(problem)
        } else {
            self.problem.solved()
        }
        update()
    }

    /// The names of the built-in touch screens and pen tablets in the reply to `devices`.
    private func builtInDevices(in reply: [UInt8]) throws(MessageError) -> [String] {
        let list = try JSONValue(message: reply)
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
                guard known.isBuiltIn(kind, where: { HyprlandCommand.matches(name, $0.name) }) else { continue }
                if HyprlandCommand.isPlain(name) {
                    names.append(name)
                } else if refusedNames.insert(name).inserted {
                    log.warning("\(name) is not rotated: the name could be read as a command")
                }
            }
        }
        return names
    }

    /// Sets the first of these devices, and then the others.
    private func setNext(of devices: [String], to target: Target) {
        guard let device = devices.first else { return finishAttempt(nil) }
        let options = [("transform", "\(target.transform.rawValue)"), ("output", target.output)]
        let next: (String?) -> Void = { [self] problem in
            if let problem { return finishAttempt("Hyprland does not rotate \(device): \(problem)") }
            setNext(of: Array(devices.dropFirst()), to: target)
        }
        hyprland.evaluate(
            HyprlandCommand.script(device, options),
            orElse: { [self] in setNext(of: options, of: device, completion: next) },
            completion: next
        )
    }

    /// Sets the first of these options where the configuration is in hyprlang, and then the others.
    private func setNext(
        of options: [(String, String)],
        of device: String,
        completion: @escaping (String?) -> Void
    ) {
        guard let option = options.first else { return completion(nil) }
        hyprland.send(HyprlandCommand.keyword(device, option)) { [self] reply in
            switch reply {
            case .text("ok"):
                hyprland.language = .hyprlang
                setNext(of: Array(options.dropFirst()), of: device, completion: completion)
            case .text(let problem), .failure(let problem): completion(problem)
            }
        }
    }

    // MARK: - Events

    private func connectEvents() {
        do throws(SystemError) {
            events = try UnixSocket(
                connectingTo: HyprlandSocket.folder + "/.socket2.sock",
                loop: loop,
                framing: UnixSocket.line,
                onMessage: { [unowned(unsafe) self] line in
                    if line.starts(with: "configreloaded>>".utf8) { reloaded() }
                },
                onEnd: { [unowned(unsafe) self] problem in
                    events = nil
                    handled = nil
                    hyprland.language = nil
                    self.problem.report(problem)
                }
            )
        } catch {
            problem.report("\(error)")
        }
    }

    /// The new configuration may be in another language.
    private func reloaded() {
        hyprland.language = nil
        handled = nil
        update()
        onReload()
    }
}
