// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationCore
import POSIX
import SystemdBus

/// Gives the built-in touch screens and pens of Hyprland the panel's transform, which they do not follow.
///
/// Hyprland's transform replaces udev's matrix of the device, so the transform that is sent contains it.
///
/// Hyprland forgets the transforms when it reads its configuration again, which its socket for events reports. It does
/// not report new devices, which udev does, nor what a device is bound to: that is left alone where devices may belong
/// to several panels.
final class HyprlandInputs: InputMapper {
    /// Seconds between the searches for a new device that udev has reported, and how many there are.
    private static let search = (seconds: 0.5, most: 10)

    var onEvent: (OutputEvent) -> Void = { _ in }
    private let folder: String
    private let loop: EventLoop
    private let log: Log
    private let hyprland: HyprlandSocket
    private var events: UnixSocket?

    private var wanted: InputTarget?
    /// The last target that was tried, successfully or not.
    private var handled: InputTarget?
    private var isBusy = false
    /// What the devices follow; nil if nothing is to be restored at the end.
    private var followed: InputTarget?
    private var completion: ((Bool) -> Void)?
    private var problem: ProblemLog
    private var refusedNames: Set<String> = []
    private var monitor: DeviceMonitor?
    private var searchTimer: Timer?
    /// To connect to the socket for events.
    private var attempts = Attempts()
    private var connectionTimer: Timer?
    /// How often a device that udev has reported is still to be looked for.
    private var searches = 0

    /// `folder` has Hyprland's sockets.
    init(_ folder: String, loop: EventLoop, log: Log) {
        self.folder = folder
        self.loop = loop
        self.log = log
        hyprland = HyprlandSocket(in: folder, loop: loop)
        problem = ProblemLog(log, consequence: "Hyprland's touch screens and pens do not follow the display")
        do throws(SystemError) {
            searchTimer = try loop.timer(owned(by: self) { $0.mapAgain(searches: $0.searches - 1) })
            connectionTimer = try loop.timer(owned(by: self) { $0.update() })
            let onChange: (DeviceMonitor.Change, Device) -> Void = owned(by: self) { inputs, change, device in
                guard change == .added, InputDevice(device) != nil else { return }
                inputs.mapAgain(searches: HyprlandInputs.search.most)
            }
            monitor = try DeviceMonitor(subsystem: "input", loop: loop, onChange)
        } catch {
            log.warning("\(error); touch screens that are found later follow the display from its next rotation on")
        }
    }

    func follow(_ target: InputTarget) {
        wanted = target.transform == nil ? nil : target
        update()
    }

    func end(with target: InputTarget, completion: @escaping (Bool) -> Void) {
        self.completion = completion
        follow(target)
    }

    private func mapAgain(searches: Int) {
        self.searches = searches
        handled = nil
        update()
    }

    // MARK: - Devices

    private func update() {
        guard !isBusy else { return }
        if events == nil { connectEvents() }
        guard let wanted, wanted != handled else {
            let ended = completion
            completion = nil
            ended?(wanted == nil || followed == nil || followed == wanted)
            return
        }
        handled = wanted
        isBusy = true
        hyprland.send("j/devices", completion: owned(by: self) { $0.set(devicesIn: $1, to: wanted) })
    }

    /// Ends the current attempt; after a problem the next one is made when the panel changes.
    private func finishAttempt(_ problem: String?) {
        isBusy = false
        if problem == nil { followed = handled } else { hyprland.isLua = nil }
        // Hyprland hears of a new device when this process does, but opens it first.
        if searches > 0 { searchTimer?.arm(after: Self.search.seconds) }
        self.problem.update(problem)
        update()
    }

    /// The names of the built-in touch screens and pen tablets in the reply to `devices`, with what corrects them.
    private func builtInDevices(
        in reply: [UInt8],
        for target: InputTarget
    ) throws(MessageError) -> [(name: String, CalibrationMatrix)] {
        let list = try JSONValue(message: reply)
        let known = InputDevice.all.serving(isAlone: target.isAlone)
        var found: [(name: String, CalibrationMatrix)] = []
        for (member, kind) in [("touch", InputDevice.Kind.touchScreen), ("tablets", .tablet)] {
            guard let devices = list[member]?.list else {
                throw MessageError("sent a list of devices without \(member)")
            }
            // The tools and pads of a tablet are listed without a name of their own.
            for name in devices.compactMap({ $0["name"]?.text }) {
                guard known.isBuiltIn(kind, where: { HyprlandCommand.matches(name, $0.name) }) else { continue }
                if HyprlandCommand.isPlain(name) {
                    let device = known.first { $0.kind == kind && HyprlandCommand.matches(name, $0.name) }
                    found.append((name, device?.calibration ?? .identity))
                } else if refusedNames.insert(name).inserted {
                    log.warning("\(name) is not rotated: the name could be read as a command")
                }
            }
        }
        let isComplete = known.builtIn.allSatisfy { device in
            let listed = found.filter { HyprlandCommand.matches($0.name, device.name) }
            return listed.count >= known.filter { $0.name == device.name && $0.kind == device.kind }.count
        }
        if isComplete { searches = 0 }
        return found
    }

    private func set(devicesIn reply: HyprlandSocket.Reply, to target: InputTarget) {
        do throws(MessageError) {
            switch reply {
            case .text(let text): set(try builtInDevices(in: Array(text.utf8), for: target), to: target)
            case .failure(let problem): finishAttempt(problem)
            }
        } catch {
            finishAttempt("Hyprland \(error.problem)")
        }
    }

    private func set(_ devices: [(name: String, CalibrationMatrix)], to target: InputTarget) {
        guard !devices.isEmpty, let transform = target.transform else { return finishAttempt(nil) }
        let output = target.output.map { ("output", $0) }
        let options = devices.map { name, calibration in
            (name, [("transform", "\(transform.after(calibration).rawValue)")] + [output].compactMap { $0 })
        }
        let keywords = options.flatMap { name, options in options.map { HyprlandCommand.keyword(name, $0) } }
        let completion: (String?) -> Void = owned(by: self) { inputs, problem in
            let names = devices.map { $0.name }.joined(separator: ", ")
            inputs.finishAttempt(problem.map { "Hyprland does not rotate \(names): \($0)" })
        }
        hyprland.evaluate(
            options.map { HyprlandCommand.script("device", ("name", $0), $1) }.joined(separator: " "),
            orElse: owned(by: self) { $0.hyprland.send(keywords, completion) },
            completion: completion
        )
    }

    // MARK: - Events

    private func connectEvents() {
        do throws(SystemError) {
            events = try UnixSocket(
                connectingTo: folder + "/.socket2.sock",
                loop: loop,
                framing: UnixSocket.line,
                onMessage: owned(by: self) { inputs, event in
                    inputs.attempts = Attempts()
                    if event.starts(with: "configreloaded>>".utf8) { inputs.reloaded() }
                },
                onEnd: owned(by: self) { $0.eventsEnded($1) }
            )
        } catch {
            problem.update("\(error)")
            connectLater()
        }
    }

    private func connectLater() {
        attempts.fail(at: loop.now)
        connectionTimer?.arm(after: attempts.next - loop.now)
    }

    private func reloaded() {
        // The new configuration may be in another language.
        hyprland.isLua = nil
        handled = nil
        update()
        onEvent(.reloaded)
    }

    private func eventsEnded(_ problem: String) {
        events = nil
        handled = nil
        hyprland.isLua = nil
        self.problem.update(problem)
        connectLater()
    }
}
