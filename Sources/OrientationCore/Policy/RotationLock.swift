// SPDX-License-Identifier: Apache-2.0

/// The user's rotation lock.
public enum RotationLock: NamedValue {
    case off
    /// Holds what was shown when it was set, or what Rotate or, except in laptop mode, AlignToDevice chose since.
    case current
    /// Holds one orientation, as a phone's portrait lock does.
    case orientation(InterfaceOrientation)

    public static var allCases: [RotationLock] {
        [.off, .current] + InterfaceOrientation.allCases.map { .orientation($0) }
    }

    public var name: String {
        switch self {
        case .off: "off"
        case .current: "current"
        case .orientation(let orientation): orientation.name
        }
    }
}
