// SPDX-License-Identifier: Apache-2.0

/// The rule that keeps the interface as it is shown.
public enum RotationRule: UInt8, NamedValue, Hashable, Sendable {
    /// It follows the device.
    case device
    /// What the device, the lock or laptop mode say is not allowed at present.
    case mask
    case lock
    case manual
    case laptop
    /// The request that is asked does not autorotate.
    case fixed
    /// Autorotation is off.
    case never
    /// The request that is asked is shown at what it prefers although device and application forbid it.
    case preferred
    /// The request that is asked was pushed and does not support this: that changes with the next turn.
    case waiting
    /// It was chosen earlier, is still allowed, and nothing has turned it since.
    case kept
    /// The device is not followed while the lid is closed or the machine sleeps.
    case paused
    /// The device has not been read yet.
    case unknown

    /// The name on the bus.
    public var name: String {
        switch self {
        case .device: "device"
        case .mask: "mask"
        case .lock: "lock"
        case .manual: "manual"
        case .laptop: "laptop"
        case .fixed: "fixed"
        case .never: "never"
        case .preferred: "preferred"
        case .waiting: "waiting"
        case .kept: "kept"
        case .paused: "paused"
        case .unknown: "unknown"
        }
    }

    /// Says it in a sentence: `held by the lock`.
    ///
    /// `asked` is what the asked request says, nil where none is asked; `mask` the effective one.
    public func sentence(
        asked: (application: String, supported: InterfaceOrientationMask)?,
        mask: InterfaceOrientationMask
    ) -> String {
        let who = asked?.application ?? "this device"
        return switch self {
        case .device: "follows the device"
        // Where the application supports something else, the configuration or another call has bounded it.
        case .mask: "\(who) \(asked.map { $0.supported == mask } ?? true ? "allows" : "is allowed") \(mask) only"
        case .lock: "held by the lock"
        case .manual: "rotated by hand"
        case .laptop: "in use as a laptop"
        case .fixed: "\(who) does not autorotate"
        case .never: "autorotation is off"
        case .preferred: "\(who) prefers it"
        case .waiting: "\(who) turns with the next rotation"
        case .kept: "allowed, and nothing has turned it since"
        case .paused: "the lid is closed, or the machine goes to sleep"
        case .unknown: "the device has not been read yet"
        }
    }
}
