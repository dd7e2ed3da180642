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

    /// The tangents of the angles at which a tilt ends.
    private typealias Limits = (tilted: Double, flat: Double)

    /// In whole degrees, where 20 becomes 21 and 69 becomes 70; and 2° before.
    private static let limits: Limits = (0.373885, 2.674621)
    private static let lowerLimits: Limits = (0.334595, 2.414214)

    /// Creates the tilt under a gravity of any length; undefined for one that is zero or not finite.
    ///
    /// `faceUp` is the sign that the sensor itself gives to z while the screen faces up. net.hadess.SensorProxy takes
    /// every sensor's for positive, and so does this: one that has it negative is told as its mirror image. Coming
    /// back from it, the `previous` tilt stays for 2° more, lest a hand that trembles there changes it all the time.
    public init(_ gravity: Vector3, faceUp: SensorFrame.FaceUp, after previous: Tilt = .undefined) {
        let across = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
        let along = abs(gravity.z)
        guard gravity.isFinite, across + along > 0 else {
            self = .undefined
            return
        }
        let isUp = (gravity.z < 0) == (faceUp == .positiveZ)
        func tilt(_ limits: Limits) -> Tilt {
            if along < limits.tilted * across { return .vertical }
            if along < limits.flat * across { return isUp ? .tiltedUp : .tiltedDown }
            return isUp ? .faceUp : .faceDown
        }
        self = tilt(Self.lowerLimits) == previous ? previous : tilt(Self.limits)
    }
}
