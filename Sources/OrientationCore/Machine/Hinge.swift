// SPDX-License-Identifier: Apache-2.0

/// The hinge between a display and a base that has an accelerometer as well.
///
/// Only readings of the same time may be compared, so a half that stops being read loses its last reading.
struct Hinge: Sendable {
    private var angle = HingeAngle()

    /// The last reading of each half; nil since reading began or stopped.
    var readings = PerRole<Vector3?>(nil) { didSet { update() } }

    /// What the angle says the machine is used as.
    var tabletMode: TabletMode { angle.tabletMode }

    /// Forgets the mode, when its changes can no longer be seen.
    mutating func forget() { angle = HingeAngle() }

    private mutating func update() {
        if let display = readings.display, let base = readings.base { angle.update(display: display, base: base) }
    }
}
