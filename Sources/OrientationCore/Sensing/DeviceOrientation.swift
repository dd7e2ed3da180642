// SPDX-License-Identifier: Apache-2.0

/// How the device is held; the raw values are those of UIDeviceOrientation.
public enum DeviceOrientation: UInt8, NamedValue {
    case unknown, portrait, portraitUpsideDown
    /// The top is to the left, the right edge up.
    case landscapeLeft
    /// The top is to the right, the left edge up.
    case landscapeRight
    case faceUp, faceDown

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

    // MARK: - The four edges

    /// Counter-clockwise quarter turns from portrait, 0 to 3; nil unless an edge is up.
    public var quarterTurns: Int? {
        switch self {
        case .portrait: 0
        case .landscapeLeft: 1
        case .portraitUpsideDown: 2
        case .landscapeRight: 3
        case .unknown, .faceUp, .faceDown: nil
        }
    }

    /// Creates the edge that is this many counter-clockwise quarter turns from portrait, modulo 4.
    public init(quarterTurns: Int) {
        self = Self.edges[quarterTurns & 3]
    }

    private static let edges: [DeviceOrientation] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight]

    /// Whether one of the four edges is up.
    public var isEdge: Bool { quarterTurns != nil }

    /// Converts an edge of the sensor's frame, in which the panel's own top up is portrait, to the device's name.
    ///
    /// `natural` is the device's name for the panel's own top up. Returns the orientation itself unless both are edges.
    public func named(natural: DeviceOrientation) -> DeviceOrientation {
        guard let turns = quarterTurns, let offset = natural.quarterTurns else { return self }
        return DeviceOrientation(quarterTurns: turns + offset)
    }

    /// Converts the device's name for an edge to the sensor's frame: the opposite of ``named(natural:)``.
    public func sensed(natural: DeviceOrientation) -> DeviceOrientation {
        guard let turns = quarterTurns, let offset = natural.quarterTurns else { return self }
        return DeviceOrientation(quarterTurns: turns - offset)
    }
}
