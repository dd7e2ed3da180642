// SPDX-License-Identifier: Apache-2.0

/// When the device turns the interface.
public enum AutorotateMode: UInt8, NamedValue, Hashable, Sendable {
    case always
    /// Not while the machine is a laptop.
    case tabletMode
    /// Only the sensor is without effect: locks, requests and rotating by hand work.
    case never

    /// The name on the bus, on the command line and in files.
    public var name: String {
        switch self {
        case .always: "always"
        case .tabletMode: "tablet-mode"
        case .never: "never"
        }
    }
}
