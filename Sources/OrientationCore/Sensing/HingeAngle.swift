// SPDX-License-Identifier: Apache-2.0

/// Derives the tablet mode from the hinge angle of a convertible with an accelerometer in each half.
///
/// Both halves measure the same force, so the angle between the two readings is the hinge angle: 0° with the lid closed,
/// when both read the same, 180° with both halves in one plane, 360° folded back to back.
struct HingeAngle: Sendable {
    /// The sine of 20°; comparing sines avoids an arc tangent.
    ///
    /// 20° to 160° is a laptop, 200° to 340° a tablet. In between the last answer stays: around 180° for hysteresis, and
    /// around 0° because that looks the same as 360°.
    private static let leastSine = 0.342020143

    /// The greatest difference in m/s² between the two magnitudes; above it, one half is being moved.
    private static let greatestDifference = 1.0

    /// The least force across the hinge, in m/s², with a usable direction: gravity with the hinge 15° from vertical.
    private static let leastAcross = 2.5

    /// The mode by the last conclusive readings; unknown before those.
    private(set) var tabletMode = TabletMode.unknown

    /// The last reading of each half; nil since reading began or stopped.
    ///
    /// Only readings of the same time may be compared, so a half that stops being read loses its last reading.
    var readings = PerRole<Vector3?>(nil) {
        didSet { if let display = readings.display, let base = readings.base { update(display: display, base: base) } }
    }

    /// Forgets the mode, when its changes can no longer be seen.
    mutating func forget() { tabletMode = .unknown }

    /// Adds simultaneous readings of both accelerometers in m/s², each in the device frame of its own half.
    ///
    /// The base's frame equals the display's while the lid is closed: x along the hinge, z out of the underside.
    /// Inconclusive readings change nothing.
    mutating func update(display: Vector3, base: Vector3) {
        // False where a reading is not finite.
        guard abs(display.magnitude - base.magnitude) <= Self.greatestDifference else { return }
        let (displayAcross, baseAcross) = (display.acrossHinge, base.acrossHinge)
        guard min(displayAcross.magnitude, baseAcross.magnitude) >= Self.leastAcross else { return }
        let sine = baseAcross.cross(displayAcross).x / (baseAcross.magnitude * displayAcross.magnitude)
        if abs(sine) >= Self.leastSine { tabletMode = sine > 0 ? .laptop : .tablet }
    }
}

extension Vector3 {
    /// The part of a force that is perpendicular to the hinge.
    fileprivate var acrossHinge: Vector3 { Vector3(0, y, z) }
}
