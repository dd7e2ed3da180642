// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors

/// The hinge between a display and a base that has an accelerometer as well.
final class Hinge: SensorSupervisorDelegate {
    private var angle = HingeAngle()

    /// What each half read last; nil since it has begun to be read.
    private var display: Vector3?
    private var base: Vector3?

    /// Called when the machine is used as something else, or the sensor of the base is another or none.
    private let onChange: () -> Void

    init(onChange: @escaping () -> Void) {
        self.onChange = onChange
    }

    /// What the angle tells the machine is used as.
    var tabletMode: TabletMode { angle.tabletMode }

    /// Forgets what the machine was used as: nothing tells of changes any more.
    func forget() {
        angle = HingeAngle()
    }

    /// Prepares for readings of the display.
    func displayBegan() {
        display = nil
    }

    func displayRead(_ acceleration: Vector3) {
        display = acceleration
        update()
    }

    private func update() {
        guard let display, let base else { return }
        let before = tabletMode
        angle.update(display: display, base: base)
        if tabletMode != before { onChange() }
    }

    // MARK: - The base

    func samplingBegan(rate: Double, mayFallSilent: Bool, faceUp: SensorFrame.FaceUp) {
        base = nil
    }

    func received(_ measurement: Measurement) {
        guard case .acceleration(let sample) = measurement else { return }
        base = sample.acceleration
        update()
    }

    func sensorChanged(_ kind: SensorKind) {
        // Whatever has happened to it, what it read before is no match for what the display reads now.
        base = nil
        onChange()
    }
}
