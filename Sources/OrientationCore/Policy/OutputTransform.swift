// SPDX-License-Identifier: Apache-2.0

/// The counter-clockwise rotation of an output relative to the panel, as in wl_output.
public enum OutputTransform: String, NamedValue {
    case normal
    case rotated90 = "90", rotated180 = "180", rotated270 = "270"

    /// Creates the transform that shows the picture upright on a device held so; nil unless both are edges.
    ///
    /// `natural` is the device orientation in which the panel's own top is up.
    public init?(following orientation: DeviceOrientation, natural: DeviceOrientation) {
        guard let turns = orientation.quarterTurns, let offset = natural.quarterTurns else { return nil }
        // The picture turns against the device.
        self = Self.allCases[(offset - turns) & 3]
    }
}
