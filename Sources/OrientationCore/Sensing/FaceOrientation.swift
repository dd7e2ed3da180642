// SPDX-License-Identifier: Apache-2.0

/// Which way the screen faces while the device lies flat.
public enum FaceOrientation: String, NamedValue {
    /// The device does not lie flat.
    case none
    case faceUp = "face-up", faceDown = "face-down"

    /// The face as a device orientation; nil while the device does not lie flat.
    public var deviceOrientation: DeviceOrientation? {
        switch self {
        case .none: nil
        case .faceUp: .faceUp
        case .faceDown: .faceDown
        }
    }
}
