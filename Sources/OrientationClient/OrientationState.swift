// SPDX-License-Identifier: Apache-2.0

import OrientationBus
@_exported public import OrientationCore

/// How the device is held and how its interface is shown, as orientd publishes it at one moment.
public struct OrientationState: Hashable, Sendable {
    /// Whether orientd runs; if not, the other properties have their last values.
    public private(set) var isServiceRunning: Bool

    /// Whether there is an accelerometer that can determine the orientation.
    public private(set) var hasAccelerometer: Bool

    /// What that accelerometer does; it is ``SensorState/sampling`` while somebody claims it.
    public private(set) var sensorState: SensorState

    /// How the device is held, as `UIDevice.orientation`: one of the four edges, or `unknown` until the first is known.
    ///
    /// It keeps its value while the device lies flat, and while nobody claims the sensor. With `ReportFace=yes` in
    /// orientd.conf(5) it can also be `faceUp` and `faceDown`.
    public private(set) var deviceOrientation: DeviceOrientation

    /// Which way the screen faces while the device lies flat.
    public private(set) var faceOrientation: FaceOrientation

    /// The device orientation in which the display's own top is up.
    public private(set) var naturalOrientation: DeviceOrientation

    /// How the interface is shown.
    ///
    /// It turns against the device: on a device in `landscapeLeft`, an interface that follows it is in `landscapeRight`.
    public private(set) var interfaceOrientation: InterfaceOrientation

    /// What caused the last change of ``interfaceOrientation``.
    public private(set) var interfaceReason: InterfaceReason

    /// The rule that decides ``interfaceOrientation``.
    public private(set) var interfaceRule: RotationRule

    /// The interface orientations that the device, the application and its request allow now.
    public private(set) var supportedInterfaceOrientations: InterfaceOrientationMask

    /// How an output is turned that shows the interface in ``interfaceOrientation``.
    public private(set) var outputTransform: OutputTransform

    /// The user's rotation lock; the device orientation is determined under a lock too.
    public private(set) var rotationLock: RotationLock

    /// When the device turns the interface.
    public private(set) var autorotate: AutorotateMode

    /// How a convertible is being used.
    public private(set) var tabletMode: TabletMode

    init(_ status: ManagerStatus, isServiceRunning: Bool) {
        self.isServiceRunning = isServiceRunning
        hasAccelerometer = status.hasAccelerometer
        sensorState = status.sensorState
        deviceOrientation = status.deviceOrientation
        faceOrientation = status.faceOrientation
        naturalOrientation = status.naturalOrientation
        interfaceOrientation = status.interfaceOrientation
        interfaceReason = status.interfaceReason
        interfaceRule = status.interfaceRule
        supportedInterfaceOrientations = status.supportedOrientations
        outputTransform = status.outputTransform
        rotationLock = status.rotationLock
        autorotate = status.autorotate
        tabletMode = status.tabletMode
    }

    /// The same state after orientd has ended.
    var afterEnd: OrientationState {
        var state = self
        state.isServiceRunning = false
        return state
    }
}
