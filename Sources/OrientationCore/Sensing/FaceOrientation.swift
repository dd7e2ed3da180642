// SPDX-License-Identifier: Apache-2.0

/// Which way the screen faces while the device lies flat.
public enum FaceOrientation: UInt8, NamedValue, Hashable, Sendable {
    /// The device does not lie flat.
    case none
    case faceUp
    case faceDown

    /// The name on the bus, on the command line and in files.
    public var name: String {
        switch self {
        case .none: "none"
        case .faceUp: "face-up"
        case .faceDown: "face-down"
        }
    }

    /// The face as a device orientation, for who wants both in one; nothing while the device does not lie flat.
    public var deviceOrientation: DeviceOrientation? {
        switch self {
        case .none: nil
        case .faceUp: .faceUp
        case .faceDown: .faceDown
        }
    }
}
