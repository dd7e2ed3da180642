// SPDX-License-Identifier: Apache-2.0

/// A counter-clockwise turn of what an output shows, relative to the panel, as wl_output names it.
public enum OutputTransform: UInt8, NamedValue, Hashable, Sendable {
    case normal
    case rotated90
    case rotated180
    case rotated270

    /// The name on the bus and on the command line.
    public var name: String {
        switch self {
        case .normal: "normal"
        case .rotated90: "90"
        case .rotated180: "180"
        case .rotated270: "270"
        }
    }

    /// Creates the transform that keeps the picture upright on a device that is followed.
    ///
    /// Both orientations carry the device's own names. There is no answer where either is no edge.
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
