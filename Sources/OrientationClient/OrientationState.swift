// SPDX-License-Identifier: Apache-2.0

import OrientationBus
public import OrientationCore

/// How the device is held and how its interface is shown, as orientd publishes it at one moment.
public struct OrientationState: Hashable, Sendable {
    /// Whether orientd runs; if not, the other properties have their last values.
    public let isServiceRunning: Bool

    /// Whether there is an accelerometer that can determine the orientation.
    public var hasAccelerometer: Bool { status.hasAccelerometer }

    /// What that accelerometer does.
    ///
    /// It is ``SensorState/sampling`` while somebody needs it, be it for the angle of the hinge alone.
    public var sensorState: SensorState { status.sensorState }

    /// How the device is held, as `UIDevice.orientation`: one of the four edges, or `unknown` until the first is known.
    ///
    /// It keeps its value while the device lies flat, and while nobody claims the sensor and no request autorotates.
    /// With `ReportFace=yes` in orientd.conf(5) it can also be `faceUp` and `faceDown`.
    public var deviceOrientation: DeviceOrientation { status.deviceOrientation }

    /// Which way the screen faces while the device lies flat.
    public var faceOrientation: FaceOrientation { status.faceOrientation }

    /// The device orientation in which the display's own top is up.
    public var naturalOrientation: DeviceOrientation { status.naturalOrientation }

    /// How the interface is shown.
    ///
    /// It turns against the device: on a device in `landscapeLeft`, an interface that follows it is in
    /// `landscapeRight`.
    public var interfaceOrientation: InterfaceOrientation { status.interfaceOrientation }

    /// What caused the last change of ``interfaceOrientation``.
    public var interfaceReason: InterfaceReason { status.interfaceReason }

    /// The rule that decides ``interfaceOrientation``.
    public var interfaceRule: RotationRule { status.interfaceRule }

    /// The interface orientations that the device, the application and its request allow now; never empty.
    ///
    /// While ``interfaceRule`` is ``RotationRule/preferred``, it is the preferred orientation alone.
    public var supportedInterfaceOrientations: InterfaceOrientationMask { status.supportedOrientations }

    /// How an output is turned that shows the interface in ``interfaceOrientation``.
    public var outputTransform: OutputTransform { status.outputTransform }

    /// The user's rotation lock; the device orientation is determined under a lock too.
    public var rotationLock: RotationLock { status.rotationLock }

    /// When the device turns the interface.
    public var autorotate: AutorotateMode { status.autorotate }

    /// What has set the mode of autorotation.
    public var autorotateSource: AutorotateSource { status.autorotateSource }

    /// How a convertible is being used.
    public var tabletMode: TabletMode { status.tabletMode }

    /// What the tablet mode is derived from.
    public var tabletModeSource: TabletModeSource { status.tabletModeSource }

    /// The angle of the hinge in degrees, 0 closed and 360 folded back; nil while it is unknown or not measured.
    ///
    /// Nothing is measured while the lid is closed or the machine sleeps; ``tabletMode`` stays then. A claim of this
    /// library has it measured only where orientd needs it; `ClaimTabletMode` on D-Bus always does.
    public var hingeAngle: Double? { status.hingeAngle < 0 ? nil : status.hingeAngle }

    private let status: ManagerStatus

    init(_ status: ManagerStatus, isServiceRunning: Bool) {
        var status = status
        // What orientd counts of its clients is no change of the orientation.
        status.claims = 0
        status.sensorProxyClients = []
        status.askedRequest = nil
        status.isSwitchContradicted = false
        self.status = status
        self.isServiceRunning = isServiceRunning
    }

    /// The same state after orientd has ended.
    var afterEnd: OrientationState { OrientationState(status, isServiceRunning: false) }
}
