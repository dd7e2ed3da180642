// SPDX-License-Identifier: Apache-2.0

/// The values that `org.orientd1.Manager` publishes: of the sensor, the device and the interface.
public struct ManagerStatus: Hashable, Sendable {
    public var hasAccelerometer = false
    public var sensorState = SensorState.none
    public var deviceOrientation = DeviceOrientation.unknown
    public var faceOrientation = FaceOrientation.none
    public var naturalOrientation: DeviceOrientation

    public var interfaceOrientation: InterfaceOrientation
    public var interfaceReason = InterfaceReason.startup
    public var interfaceRule = RotationRule.unknown
    /// The request that decides, by the name of its property on D-Bus; nil if there is none.
    public var askedRequest: RotationRequest.ID?
    /// How an output is turned that shows the interface so.
    public var outputTransform = OutputTransform.normal
    public var supportedOrientations = InterfaceOrientationMask.all
    public var rotationLock = RotationLock.off
    public var autorotate = AutorotateMode.always
    public var autorotateSource = AutorotateSource.default
    public var tabletMode = TabletMode.unknown
    public var tabletModeSource = TabletModeSource.none
    /// The angle of the hinge in whole degrees, from 0 to 360; -1 while nothing measures it.
    public var hingeAngle = -1.0
    /// Whether the angle contradicts the tablet switch.
    public var isSwitchContradicted = false

    /// The claims of all clients of org.orientd1.
    public var claims: UInt32 = 0
    /// The unique names of those who claim the accelerometer over net.hadess.SensorProxy, in the order of their claims.
    public var sensorProxyClients: [String] = []

    /// Creates the status of a device that nothing is known of, shown in its natural position.
    public init(naturalOrientation: DeviceOrientation) {
        self.naturalOrientation = naturalOrientation
        interfaceOrientation = InterfaceOrientation(following: naturalOrientation) ?? .portrait
    }

    /// Creates the status of a machine whose sensors nothing is known of.
    public init(_ policy: RotationPolicy) {
        self.init(naturalOrientation: policy.configuration.natural)
        update(from: policy)
    }

    /// Copies what the policy has decided.
    public mutating func update(from policy: RotationPolicy) {
        naturalOrientation = policy.configuration.natural
        interfaceOrientation = policy.shown
        interfaceReason = policy.reason
        interfaceRule = policy.rule
        askedRequest = policy.decidingRequest?.id
        outputTransform = OutputTransform(following: policy.shown.device, natural: naturalOrientation) ?? .normal
        supportedOrientations = policy.effectiveMask
        rotationLock = policy.lock
        autorotate = policy.autorotate
        tabletMode = policy.tabletMode
    }
}
