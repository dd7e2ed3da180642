// SPDX-License-Identifier: Apache-2.0

/// The counter-clockwise rotation of an output relative to the panel, as in wl_output.
public enum OutputTransform: String, NamedValue {
    case normal
    case rotated90 = "90"
    case rotated180 = "180"
    case rotated270 = "270"

    /// Creates the transform that shows the picture upright on a device held so; nil unless both are edges.
    ///
    /// `natural` is the device orientation in which the panel's own top is up.
    public init?(following orientation: DeviceOrientation, natural: DeviceOrientation) {
        guard let turns = orientation.quarterTurns, let offset = natural.quarterTurns else { return nil }
        // The picture turns against the device.
        switch (offset - turns) & 3 {
        case 0: self = .normal
        case 1: self = .rotated90
        case 2: self = .rotated180
        default: self = .rotated270
        }
    }
}
