// SPDX-License-Identifier: Apache-2.0

/// What brought the interface into its present orientation.
public enum InterfaceReason: UInt8, NamedValue, Hashable, Sendable {
    /// Nothing has changed it since the start.
    case startup
    /// The device was turned.
    case sensor
    /// The rotation lock was set or lifted.
    case lock
    /// A person rotated it, or aligned it with the device.
    case manual
    /// A client's request came, changed or went.
    case request
    /// The machine became a tablet, or a laptop.
    case tabletMode
    /// The configuration or the mode of autorotation was changed.
    case configuration

    /// The name on the bus.
    public var name: String {
        switch self {
        case .startup: "startup"
        case .sensor: "sensor"
        case .lock: "lock"
        case .manual: "manual"
        case .request: "request"
        case .tabletMode: "tablet-mode"
        case .configuration: "configuration"
        }
    }
}
