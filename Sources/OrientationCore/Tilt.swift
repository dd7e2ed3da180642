// SPDX-License-Identifier: Apache-2.0

/// How far the screen leans back or forward, as net.hadess.SensorProxy tells it.
public enum Tilt: UInt8, NamedValue, Hashable, Sendable {
    /// Nothing is known yet.
    case undefined
    /// Upright, to 20° either way.
    case vertical
    case tiltedUp
    case tiltedDown
    /// Flat, from 70° on.
    case faceUp
    case faceDown

    /// The name on the bus.
    public var name: String {
        switch self {
        case .undefined: "undefined"
        case .vertical: "vertical"
        case .tiltedUp: "tilted-up"
        case .tiltedDown: "tilted-down"
        case .faceUp: "face-up"
        case .faceDown: "face-down"
        }
    }

    /// The tangents of the angles, in whole degrees, at which 20 becomes 21 and 69 becomes 70.
    private static let leastTangent = (tilted: 0.373885, flat: 2.674621)

    /// Creates the tilt of a reading of any length: z out of the screen, positive for a screen that faces up.
    ///
    /// Undefined for a reading that is zero or not finite.
    public init(_ reading: Vector3) {
        let across = (reading.x * reading.x + reading.y * reading.y).squareRoot()
        let along = abs(reading.z)
        guard reading.isFinite, across + along > 0 else {
            self = .undefined
            return
        }
        if along < Self.leastTangent.tilted * across {
            self = .vertical
        } else if along < Self.leastTangent.flat * across {
            self = reading.z > 0 ? .tiltedUp : .tiltedDown
        } else {
            self = reading.z > 0 ? .faceUp : .faceDown
        }
    }
}
