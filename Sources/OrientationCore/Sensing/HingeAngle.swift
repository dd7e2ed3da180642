// SPDX-License-Identifier: Apache-2.0

/// The angle of a convertible's hinge, and the tablet mode that follows from it.
///
/// It is 0° with the lid closed, 180° with both halves in one plane and 360° folded back to back.
package struct HingeAngle: Sendable {
    /// The degrees by which a reading may lie outside 0° to 360°: drivers round their scales, and read 360.00001°.
    private static let tolerance = 0.5
    /// The angles in degrees that decide at once; beyond them a closed lid and a folded tablet look the same.
    private static let decisive = 20.0...340.0
    /// Seconds for which a greater angle must last to be that of a tablet.
    private static let foldedDuration = 2.0
    /// The greatest angle of a laptop and the least of a tablet, in degrees; in between the last mode stays.
    private static let limits = (laptop: 160.0, tablet: 200.0)
    /// The most degrees by which a reading differs from the one before it, unless the next reading confirms it.
    ///
    /// Hinge sensors give false zeros now and then, and jump between 360° and 0°.
    private static let greatestStep = 30.0
    /// Seconds without a usable reading after which the angle is unknown.
    private static let patience = 5.0

    /// The mode by the last angle that decides; unknown before that.
    private(set) var tabletMode = TabletMode.unknown
    /// In degrees; nil while nothing measures it, or two readings of a hinge sensor have not agreed yet.
    private(set) var angle: Double?
    private var lastReading: Double?
    /// When a reading was usable, or reading began; nil until the first reading.
    private var lastUse: Double?
    /// Since when the angle is greater than all that decide at once.
    private var foldedSince: Double?

    // The accelerometers.
    /// The edge of the panel that is opposite the hinge, in the frame of the panel.
    var laptopEdge = DeviceOrientation.portrait
    private var readings = PerRole<Vector3?>(nil)
    /// Whether a reading of one half waits to be compared.
    private var hasHalf = true

    /// Whether the base lies on its underside.
    var isBaseDown: Bool { readings.base.map { -$0.z >= 0.95 * $0.magnitude } ?? false }

    /// Forgets the mode, when its changes can no longer be seen.
    mutating func forgetMode() { tabletMode = .unknown }

    /// The angle from 0° to 360° that a hinge sensor reads; nil for a reading that is none.
    ///
    /// Just outside it is the end that is nearer: a machine that is folded flat must not look closed.
    package static func angle(ofReading degrees: Double) -> Double? {
        // False for NaN.
        guard (-tolerance...360 + tolerance).contains(degrees) else { return nil }
        return min(max(degrees, 0), 360)
    }

    /// Adds the reading of a hinge sensor in degrees at a time in seconds.
    mutating func add(_ reading: Double, at time: Double) {
        guard let degrees = Self.angle(ofReading: reading) else { return ignore(at: time) }
        let isConfirmed = [angle, lastReading].contains { other in
            guard let other else { return false }
            let difference = abs(other - degrees)
            return min(difference, 360 - difference) <= Self.greatestStep
        }
        lastReading = degrees
        guard isConfirmed else { return ignore(at: time) }
        use(degrees, at: time)
    }

    private mutating func use(_ degrees: Double, at time: Double) {
        angle = degrees
        lastReading = degrees
        lastUse = time
        foldedSince = degrees > Self.decisive.upperBound ? foldedSince ?? time : nil
        if Self.decisive.contains(degrees), degrees <= Self.limits.laptop { tabletMode = .laptop }
        let isTablet = foldedSince.map { time - $0 >= Self.foldedDuration } ?? (degrees >= Self.limits.tablet)
        if isTablet { tabletMode = .tablet }
    }

    /// Ignores a reading that tells nothing; after some time of these, nothing is known of the angle any more.
    private mutating func ignore(at time: Double) {
        let start = lastUse ?? time
        lastUse = start
        if time - start >= Self.patience {
            angle = nil
            foldedSince = nil
        }
    }

    // MARK: - Two accelerometers

    /// The greatest difference in m/s² between the magnitudes of the two; above it, one half is being moved.
    ///
    /// Cheap chips read up to 0.1 g too much or too little on an axis.
    private static let greatestDifference = 2.5

    /// The least force across the hinge, in m/s², with a usable direction: gravity with the hinge 15° from vertical.
    private static let leastAcross = 2.5

    /// Adds a reading of the accelerometer of one half in m/s², in the device frame of its own half.
    ///
    /// The base's frame equals the display's while the lid is closed: z out of the underside. Every other reading is
    /// compared with the last one of the other half, which may be silent while nothing changes.
    mutating func add(_ acceleration: Vector3, of role: AccelerometerRole, at time: Double) {
        readings[role] = acceleration.upright(from: laptopEdge)
        guard let display = readings.display, let base = readings.base else { return }
        hasHalf.toggle()
        if !hasHalf { compare(display, base, at: time) }
    }

    /// Forgets a reading of an accelerometer, when the next one of the other half is not of the same time.
    mutating func dropReading(of role: AccelerometerRole) {
        readings[role] = nil
        hasHalf = true
    }

    /// Forgets the angle but not the mode: reading began or ended.
    mutating func restart() {
        angle = nil
        lastReading = nil
        lastUse = nil
        foldedSince = nil
        readings = PerRole(nil)
        hasHalf = true
    }

    /// Both halves measure the same force, so the angle between the two readings is that of the hinge.
    private mutating func compare(_ display: Vector3, _ base: Vector3, at time: Double) {
        // False where a reading is not finite.
        guard abs(display.magnitude - base.magnitude) <= Self.greatestDifference,
            display.magnitude >= Self.leastAcross
        else { return ignore(at: time) }
        let (displayAcross, baseAcross) = (display.acrossHinge, base.acrossHinge)
        guard min(displayAcross.magnitude, baseAcross.magnitude) >= Self.leastAcross else {
            // The machine is held like a book: the angle stays.
            lastUse = time
            return
        }
        let degrees = Self.degrees(sine: baseAcross.cross(displayAcross).x, cosine: baseAcross.dot(displayAcross))
        // A hub at rest gives one reading, and no false ones.
        if angle == nil { use(degrees, at: time) } else { add(degrees, at: time) }
    }

    /// The angle from 0° to 360° with this sine and cosine, both times any factor above 0.
    ///
    /// The arc tangent to 0.001°: Abramowitz and Stegun, Handbook of Mathematical Functions, 4.4.49.
    private static func degrees(sine: Double, cosine: Double) -> Double {
        let isSteep = abs(sine) > abs(cosine)
        let tangent = isSteep ? abs(cosine / sine) : abs(sine / cosine)
        let square = tangent * tangent
        let series =
            (((0.0208351 * square - 0.0851330) * square + 0.1801410) * square - 0.3302995) * square + 0.9998660
        let acute = tangent * series * 180 / .pi
        let upper = isSteep ? 90 - acute : acute
        let half = cosine < 0 ? 180 - upper : upper
        return sine < 0 ? 360 - half : half
    }
}

extension Vector3 {
    /// The vector in a frame that is turned so that this edge, in the frame of the panel, is the top one.
    fileprivate func upright(from edge: DeviceOrientation) -> Vector3 {
        switch edge {
        case .landscapeLeft: Vector3(-y, x, z)
        case .landscapeRight: Vector3(y, -x, z)
        case .portraitUpsideDown: Vector3(-x, -y, z)
        case .portrait, .unknown, .faceUp, .faceDown: self
        }
    }

    /// The part of a force that is perpendicular to the hinge.
    fileprivate var acrossHinge: Vector3 { Vector3(0, y, z) }
}
