// SPDX-License-Identifier: Apache-2.0

/// How the interface is shown; the raw values are those of UIInterfaceOrientation.
///
/// The content turns against the device: on a device in landscape-left the interface is in landscape-right, so equal
/// raw values of the two belong together.
public enum InterfaceOrientation: UInt8, NamedValue, Hashable, Sendable {
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeRight = 3
    case landscapeLeft = 4

    /// The name on the bus, on the command line and in files.
    public var name: String {
        switch self {
        case .portrait: "portrait"
        case .portraitUpsideDown: "portrait-upside-down"
        case .landscapeRight: "landscape-right"
        case .landscapeLeft: "landscape-left"
        }
    }

    /// Creates the orientation in which the content is upright for a person who holds the device so.
    ///
    /// There is none for a device that is unknown or lies flat: the interface stays as it is.
    public init?(following device: DeviceOrientation) {
        self.init(rawValue: device.rawValue)
    }

    /// How a device is held for which this orientation is upright.
    public var device: DeviceOrientation {
        switch self {
        case .portrait: .portrait
        case .portraitUpsideDown: .portraitUpsideDown
        case .landscapeRight: .landscapeLeft
        case .landscapeLeft: .landscapeRight
        }
    }

    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}
