// SPDX-License-Identifier: Apache-2.0

/// An input of ``OrientationMachine``.
public enum Event: Hashable, Sendable {
    // MARK: Sensors

    case sample(AccelerometerRole, AccelerometerSample)
    /// An accelerometer began to deliver samples, or did so anew with other properties.
    case samplingBegan(AccelerometerRole, Sampling)
    /// The accelerometer in use changed its state, or another one took its place.
    case sensorChanged(AccelerometerRole, SensorReport)

    // MARK: The machine

    /// The first search for sensors has ended.
    case sensorsFound
    /// A search for switches has succeeded.
    case switchesFound
    /// hostnamed has named the chassis; nil where it names none that matters, or does not answer.
    case chassisFound(Idiom?)
    case lid(isClosed: Bool)
    /// Unknown while there is no tablet switch.
    case tabletSwitch(TabletMode)
    /// The sensor of the hinge's angle changed its state, or another one took its place.
    case hingeSensor(SensorReport)
    /// A reading of that sensor in degrees, which may be any number.
    case hingeAngle(Double)
    /// The machine is about to sleep.
    case sleep
    case wake

    // MARK: Clients

    /// The number of claims through org.orientd1.
    case claims(UInt32)
    /// The number of claims of the tablet mode alone.
    case tabletModeClaims(UInt32)
    /// The clients of net.hadess.SensorProxy that claim the accelerometer, in the order of their claims.
    case proxyClaims([String])
    case setRotationLock(RotationLock)
    case rotate(InterfaceOrientation)
    case alignToDevice
    case setAutorotate(AutorotateMode)
    /// Unknown returns to what switches and hinge say.
    case setTabletMode(TabletMode)
    /// A nil mask returns to the configuration's.
    indirect case setApplicationMask(InterfaceOrientationMask?, appID: String, client: String)
    indirect case present(RotationRequest, client: String)
    indirect case update(RotationRequest.ID, to: RotationRequest, client: String)
    indirect case setNeedsUpdate(RotationRequest.ID, client: String)
    indirect case release(RotationRequest.ID, client: String)
    /// The client has left the bus.
    indirect case vanished(client: String)

    // MARK: The process

    /// The time of ``Effects/deadline`` has come.
    case deadlinePassed(Deadline.Purpose)
    /// The state of ``Effects/save`` could not be written.
    case saveFailed
    case shutdown

    /// The reason of the transition that an explicit command of a person may cause; nil for other events.
    var command: InterfaceReason? {
        switch self {
        case .rotate, .alignToDevice: .manual
        case .setRotationLock: .lock
        default: nil
        }
    }
}

/// The properties of a stream of samples.
public struct Sampling: Hashable, Sendable {
    /// In Hz; 0 where unknown.
    public var rate: Double
    /// Whether the device may report changes only, and is silent while it rests.
    public var mayFallSilent: Bool
    /// The sensor's own sign of z while the display faces up.
    public var faceUp: SensorFrame.FaceUp
    /// What that sign follows from, for people who read a recording; nil in recordings of before.
    public var faceUpReason: SensorFrame.FaceUpReason?

    public init(
        rate: Double,
        mayFallSilent: Bool,
        faceUp: SensorFrame.FaceUp,
        faceUpReason: SensorFrame.FaceUpReason? = nil
    ) {
        self.rate = rate
        self.mayFallSilent = mayFallSilent
        (self.faceUp, self.faceUpReason) = (faceUp, faceUpReason)
    }
}

/// The state of the accelerometer in use of one role.
public struct SensorReport: Hashable, Sendable {
    public var state: SensorState
    /// Whether the device is there, be it lost or not.
    public var isPresent: Bool
    /// Whether samples come, or may come soon.
    public var mayDeliver: Bool

    public init(state: SensorState = .none, isPresent: Bool = false, mayDeliver: Bool = true) {
        self.state = state
        self.isPresent = isPresent
        self.mayDeliver = mayDeliver
    }
}
