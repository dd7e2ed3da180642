// SPDX-License-Identifier: Apache-2.0

/// How closely an accelerometer is read.
public enum SensingLevel: String, NamedValue {
    /// Every reading, at the full rate.
    case stream
    /// The device rests: only readings that show motion are needed, and soon.
    case watch
    /// It has rested for a while: a sensor that must be read to see motion is read more rarely.
    case doze
}

/// What the readings of an accelerometer are needed for.
public enum SensingPurpose: Hashable, Sendable {
    /// The orientation of the device.
    case orientation
    /// The orientation, and the angle of the hinge that keeps a folded tablet's keyboard off.
    case orientationAndKeyboard
    /// The angle of the hinge alone.
    case angle
}

/// A sensing level, with what counts as motion at rest.
public struct Sensing: Hashable, Sendable {
    public var level = SensingLevel.stream
    /// The pose at rest, in m/s² in the device frame; it stays fixed, so that slow turns add up.
    public var reference = Vector3.zero
    /// The least difference from the pose that counts as motion, on any axis, in m/s².
    public var threshold = 0.0
    /// The change between two reports that the sensor itself is asked for, in m/s², where it has such a setting.
    public var sensitivity = 0.0

    /// Whether readings that change nothing that is announced may come later, several at a time.
    public var allowsBatches = false

    public var purpose = SensingPurpose.orientation

    /// Whether only the angle of the hinge is needed.
    public var measuresOnlyAngle: Bool { purpose == .angle }

    /// Seconds between two readings at most; the longest ``period``.
    ///
    /// The second reading that finds nothing comes after five seconds of silence, and notices it.
    public static let longestPeriod = 2.5

    /// Seconds without a reading of a device at rest at most; the longest ``longestSilence``.
    static let longestSilenceAtRest = 30.0

    /// Every reading counts, at once.
    public static let stream = Sensing()

    public init() {}

    /// Seconds between two readings where the sensor is read by timer; nil where every reading counts.
    public var period: Double? {
        switch level {
        case .stream: measuresOnlyAngle ? 0.5 : nil
        case .watch: measuresOnlyAngle ? Self.longestPeriod : 0.2
        case .doze: measuresOnlyAngle ? Self.longestPeriod : 0.72
        }
    }

    /// Seconds after which a reading of a polled device at rest reaches the loop although nothing moves.
    public var longestSilence: Double {
        switch purpose {
        // Sooner while the halves are compared: a tablet switch is checked for ten seconds.
        case .orientation: allowsBatches ? Self.longestSilenceAtRest : 10
        case .orientationAndKeyboard: Self.longestPeriod
        // Less than a period, so that every reading passes although intervals vary.
        case .angle: Self.longestPeriod / 2
        }
    }

    /// Whether a reading in m/s² differs from the pose at rest; always true while streaming.
    public func showsMotion(_ acceleration: Vector3) -> Bool {
        guard level != .stream else { return true }
        // False where the reading is not finite.
        return (acceleration - reference).greatestComponent >= threshold
    }
}
