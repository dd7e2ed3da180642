// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Lets the built-in touch screens and pens follow the panel.
protocol InputMapper: AnyObject {
    /// Is called with what the compositor reports besides input devices.
    var onEvent: (OutputEvent) -> Void { get set }

    /// Makes the devices follow; called whenever the panel or its transform changes.
    func follow(_ target: InputTarget)

    /// Makes the devices follow the restored panel; calls `completion` with whether they do.
    func end(with target: InputTarget, completion: @escaping (Bool) -> Void)
}

/// What the built-in touch screens and pens are to follow.
struct InputTarget: Hashable {
    /// The output that they belong to; nil if there are several built-in panels, as compositors do not tell to which of
    /// them a device is mapped.
    var output: String?
    /// The transform that each output has to which they can belong and that is on; nil if these differ.
    var transform: Transform?
    /// Whether the output is the only one, and no built-in panel, as on a tablet whose panel is connected by HDMI.
    var isAlone = false

    /// `rotated` are the outputs that the agent rotates.
    init(_ rotated: [Output], among outputs: [Output]) {
        let names = rotated.map { $0.name }
        let others = outputs.filter { $0.isBuiltIn && !names.contains($0.name) }
        guard !others.contains(where: { $0.isShown }) else { return }
        output = names.count == 1 && others.isEmpty ? names[0] : nil
        isAlone = outputs.isAlone(output ?? "")
        transform = rotated.allSatisfy { $0.transform == rotated[0].transform } ? rotated.first?.transform : nil
    }
}

extension Surroundings {
    /// Returns what maps the devices of this session; nil where the user's configuration has to do that.
    func inputMapper(loop: EventLoop, log: Log) -> (any InputMapper)? {
        guard hasInputMapper else { return nil }
        if let path = path(of: .sway) { return SwayInputs(path, loop: loop, log: log) }
        if let folder = path(of: .hyprland) { return HyprlandInputs(folder, loop: loop, log: log) }
        log.warning("\(unreachable); touch screens and pens are not mapped")
        return nil
    }

    /// Whether devices are mapped over the compositor's own socket, if that answers.
    var hasInputMapper: Bool { compositor == .sway || compositor == .hyprland }

    /// Why the compositor's own socket is not used.
    var unreachable: String {
        let name = compositor.map { $0 == .hyprland ? "Hyprland" : $0.rawValue } ?? "the compositor"
        guard let variable = compositor?.variable, let value = environment(variable) else {
            return "no socket of \(name) answers"
        }
        return "no socket of \(name) answers, such as \(variable)=\(value)"
    }
}
