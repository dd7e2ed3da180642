// SPDX-License-Identifier: Apache-2.0

/// The rule that explains what is shown; ``sentence(deciding:mask:)`` says what each means.
public enum RotationRule: String, NamedValue {
    /// The interface follows the device.
    case device
    /// The mask forbids what would be shown without it: by the device, the lock or laptop mode, or as before.
    case mask
    /// The lock holds it.
    case lock
    /// It was rotated by hand.
    case manual
    /// The machine is used as a laptop.
    case laptop
    /// The deciding request does not autorotate.
    case fixed
    /// The autorotate mode is `never`.
    case never
    /// The deciding request prefers it, although device and application forbid it.
    case preferred
    /// The deciding request was pushed and does not support it; the next rotation of the device that may turn the
    /// interface, or SetNeedsUpdate, changes it.
    case waiting
    /// Another orientation would be upright, but this one is allowed, and nothing has turned it since it was shown.
    case kept
    /// The lid is closed, or the machine goes to sleep.
    case paused
    /// Nothing is known of the device yet.
    case unknown

    /// Returns the rule as a sentence for people, such as `held by the lock`.
    ///
    /// `deciding` describes the deciding request, if any; `mask` is the effective mask.
    public func sentence(
        deciding: (application: String, supported: InterfaceOrientationMask)?,
        mask: InterfaceOrientationMask
    ) -> String {
        let who = deciding?.application ?? "this device"
        return switch self {
        case .device: "follows the device"
        // If the application supports something else, another mask restricts it.
        case .mask:
            "\(who) \(deciding.map { $0.supported == mask ? "allows" : "is allowed" } ?? "supports") \(mask) only"
        case .lock: "held by the lock"
        case .manual: "rotated by hand"
        case .laptop: "in use as a laptop"
        case .fixed: "\(who) does not autorotate"
        case .never: "autorotation is off"
        case .preferred: "\(who) prefers \(mask) and does not autorotate"
        case .waiting: "\(who) turns with the next rotation"
        case .kept: deciding.map { "\($0.application) allows it, and nothing has turned it since" } ?? "left as it was"
        case .paused: "the lid is closed, or the machine goes to sleep"
        case .unknown: "the device has not been read yet"
        }
    }
}
