// SPDX-License-Identifier: Apache-2.0

/// The user's rotation lock.
public enum RotationLock: Hashable, Sendable {
    case off
    /// Holds what was shown when it was set, or what was chosen by hand since.
    case current
    /// Holds one orientation, as a phone's portrait lock does.
    case orientation(InterfaceOrientation)

    /// The name on the bus, on the command line and in files.
    public var name: String {
        switch self {
        case .off: "off"
        case .current: "current"
        case .orientation(let orientation): orientation.name
        }
    }

    /// Finds the lock of that exact name.
    public init?(name: String) {
        switch name {
        case "off":
            self = .off
        case "current":
            self = .current
        default:
            guard let orientation = InterfaceOrientation(name: name) else { return nil }
            self = .orientation(orientation)
        }
    }
}

extension RotationLock: CustomStringConvertible {
    public var description: String { name }
}
