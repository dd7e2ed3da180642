// SPDX-License-Identifier: Apache-2.0

/// Tells a laptop from a tablet by how far a convertible is opened, from an accelerometer in each half.
///
/// Both halves feel the same force, so the angle by which the base sees it turned is that of the hinge: 0° with the lid
/// closed, when both read alike, 180° with both halves in one plane, 360° folded back to back.
public struct HingeAngle: Sendable {
    /// The sine of 20°, in place of an arc tangent.
    ///
    /// From 20° to 160° it is a laptop and from 200° to 340° a tablet. In between the last answer stays: around 180° so
    /// that a hand that trembles changes nothing, and around 0° since that cannot be told from 360°.
    private static let leastSine = 0.342020143

    /// The greatest difference in m/s² between how much the two read: above that, one of them is being knocked about.
    private static let greatestDifference = 1.0

    /// The least force across the hinge, in m/s², that has a direction: that of gravity with the hinge 15° from vertical.
    private static let leastAcross = 2.5

    /// What the last readings of use have told; unknown before those.
    public private(set) var tabletMode = TabletMode.unknown

    public init() {}

    /// Takes what the two accelerometers read at one time in m/s², each in the device frame of its own half.
    ///
    /// That of the base is the display's while the lid is closed: x along the hinge, z out of the underside. Readings that
    /// tell nothing change nothing.
    public mutating func update(display: Vector3, base: Vector3) {
        guard display.isFinite, base.isFinite,
            abs(display.magnitude - base.magnitude) <= Self.greatestDifference
        else { return }
        let (displayAcross, baseAcross) = (display.acrossHinge, base.acrossHinge)
        guard min(displayAcross.magnitude, baseAcross.magnitude) >= Self.leastAcross else { return }
        let sine = baseAcross.cross(displayAcross).x / (baseAcross.magnitude * displayAcross.magnitude)
        if sine >= Self.leastSine {
            tabletMode = .laptop
        } else if sine <= -Self.leastSine {
            tabletMode = .tablet
        }
    }
}

extension Vector3 {
    /// The part of a force that opens or closes a hinge.
    fileprivate var acrossHinge: Vector3 { Vector3(0, y, z) }
}
