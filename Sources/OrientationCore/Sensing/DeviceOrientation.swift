// SPDX-License-Identifier: Apache-2.0

/// How the device is held; the raw values are those of UIDeviceOrientation.
public enum DeviceOrientation: UInt8, NamedValue, Hashable, Sendable {
    case unknown = 0
    case portrait = 1
    case portraitUpsideDown = 2

    /// The top is to the left, the right edge up.
    case landscapeLeft = 3

    /// The top is to the right, the left edge up.
    case landscapeRight = 4
    case faceUp = 5
    case faceDown = 6

    /// The name on the bus, on the command line and in files.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .portrait: "portrait"
        case .portraitUpsideDown: "portrait-upside-down"
        case .landscapeLeft: "landscape-left"
        case .landscapeRight: "landscape-right"
        case .faceUp: "face-up"
        case .faceDown: "face-down"
        }
    }
}

// MARK: - The four edges

extension DeviceOrientation {
    /// Counter-clockwise quarter turns from portrait, 0 to 3; nothing where no edge is up.
    public var quarterTurns: Int? {
        switch self {
        case .portrait: 0
        case .landscapeLeft: 1
        case .portraitUpsideDown: 2
        case .landscapeRight: 3
        case .unknown, .faceUp, .faceDown: nil
        }
    }

    /// Creates the edge that so many counter-clockwise quarter turns from portrait lead to.
    ///
    /// Any number will do: it counts modulo 4.
    public init(quarterTurns: Int) {
        switch quarterTurns & 3 {
        case 0: self = .portrait
        case 1: self = .landscapeLeft
        case 2: self = .portraitUpsideDown
        default: self = .landscapeRight
        }
    }

    /// Whether one of the four edges is up.
    public var isEdge: Bool { quarterTurns != nil }

    /// Returns what an edge of the sensor's frame, whose normal is portrait, is called on this device.
    ///
    /// `natural` is what the panel's own top up is called. Every edge turns with it; where either is no edge the
    /// orientation keeps its name.
    public func named(natural: DeviceOrientation) -> DeviceOrientation {
        guard let turns = quarterTurns, let offset = natural.quarterTurns else { return self }
        return DeviceOrientation(quarterTurns: turns + offset)
    }
}
