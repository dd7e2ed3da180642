// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Lets the built-in touch screens and pens follow the panel.
protocol InputMapper: AnyObject {
    /// Takes the panel, whenever it or its transform changes.
    func follow(_ panel: Output)

    /// Takes the restored panel; `completion` is called once the devices follow it, or cannot.
    func end(with panel: Output, completion: @escaping () -> Void)
}

/// The mappers, by compositor.
enum InputMapping {
    /// The mapper for the session that the environment describes; nil if its devices follow without help.
    static func mapper(
        _ backend: BackendChoice,
        loop: EventLoop,
        log: Log
    ) throws(SystemError) -> (any InputMapper)? {
        guard backend != .x11 else { return nil }
        return switch Compositor.detected {
        case .sway: try SwayInputs(loop: loop, log: log)
        case .hyprland: HyprlandInputs(loop: loop, log: log)
        case .niri, .labwc, .wayfire, .river: UserMappedInputs(log: log)
        case nil: nil
        }
    }
}

/// Names the line of the compositor's configuration that maps built-in touch screens and pens.
final class UserMappedInputs: InputMapper {
    private let log: Log
    private var hasAdvised = false

    init(log: Log) {
        self.log = log
    }

    func follow(_ panel: Output) {
        guard !hasAdvised else { return }
        hasAdvised = true
        do throws(SystemError) {
            guard let device = try InputDevice.all().builtIn.first,
                let advice = Compositor.detected?.inputSetting(for: device, on: panel.name)
            else { return }
            log.info("touch follows \(panel.name) with this in \(advice.file): \(advice.line)")
        } catch {
            log.warning("\(error); touch screens are unknown")
        }
    }

    func end(with panel: Output, completion: @escaping () -> Void) { completion() }
}
