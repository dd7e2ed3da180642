// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Lets the built-in touch screens and pens follow the panel.
protocol InputMapper: AnyObject {
    /// Is called when the compositor has read its configuration again, which may reset outputs as well.
    var onReload: () -> Void { get set }

    /// Makes the devices follow the panel; called whenever the panel or its transform changes.
    func follow(_ panel: Output)

    /// Makes the devices follow the restored panel; calls `completion` when they do, or when that has failed.
    func end(with panel: Output, completion: @escaping () -> Void)
}

extension Compositor {
    func inputMapper(loop: EventLoop, log: Log) -> any InputMapper {
        switch self {
        case .sway: SwayInputs(loop: loop, log: log)
        case .hyprland: HyprlandInputs(loop: loop, log: log)
        case .niri, .labwc, .wayfire, .river: UserMappedInputs(self, log: log)
        }
    }
}

/// Logs the line that the user must add to the compositor's configuration to map touch screens and pens.
final class UserMappedInputs: InputMapper {
    var onReload: () -> Void = {}
    private let compositor: Compositor
    private let log: Log
    private var hasAdvised = false

    init(_ compositor: Compositor, log: Log) {
        (self.compositor, self.log) = (compositor, log)
    }

    func follow(_ panel: Output) {
        guard !hasAdvised else { return }
        hasAdvised = true
        do throws(SystemError) {
            let touchScreen = try InputDevice.all().builtIn.first { $0.kind == .touchScreen }
            let setting = touchScreen.flatMap { InputSetting(for: $0, on: panel.name, in: compositor) }
            guard let setting, !setting.isPresent else { return }
            log.info("for touch to follow \(panel.name), add to \(setting)")
        } catch {
            log.warning("\(error); touch screens are unknown")
        }
    }

    func end(with panel: Output, completion: @escaping () -> Void) { completion() }
}
