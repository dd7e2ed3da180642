// SPDX-License-Identifier: Apache-2.0

/// The orientation of the interface; the raw values are those of UIInterfaceOrientation.
///
/// The content turns against the device: on a device in landscape-left the interface is in landscape-right, so equal
/// raw values of the two types belong together.
public enum InterfaceOrientation: UInt8, NamedValue {
    case portrait = 1, portraitUpsideDown, landscapeRight, landscapeLeft

    public var name: String {
        switch self {
        case .portrait: "portrait"
        case .portraitUpsideDown: "portrait-upside-down"
        case .landscapeRight: "landscape-right"
        case .landscapeLeft: "landscape-left"
        }
    }

    /// Creates the orientation in which the content is upright on a device held so; nil unless an edge is up.
    public init?(following device: DeviceOrientation) { self.init(rawValue: device.rawValue) }

    /// The device orientation for which this orientation is upright.
    public var device: DeviceOrientation { DeviceOrientation(rawValue: rawValue) ?? .unknown }

    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}
