// SPDX-License-Identifier: Apache-2.0

/// An input of ``OrientationMachine``.
public enum Event: Hashable, Sendable {
    // MARK: Sensors

    /// A scan found a device, for the first time or again.
    indirect case deviceFound(FoundDevice)
    /// The device with this number was unplugged, or became another sensor, and why.
    indirect case deviceRemoved(Int, String)
    /// udev announced a device: the next scan may bring what was missing.
    case deviceAnnounced
    /// A scan has ended; whether another one may bring back a sensor that failed, or new ones.
    case scanned(mayReturn: RescanReason, retries: Bool)
    /// Something happened to the device with this number.
    case device(Int, DeviceEvent)
    /// Whether a client needs readings of a kind other than accelerometers.
    case needed(SensorKind, Bool)
    /// A sample of the accelerometer in use; its time is on the clock of the events.
    case sample(AccelerometerRole, AccelerometerSample)
    /// A reading of the sensor of the hinge's angle in degrees, which may be any number.
    case hingeAngle(Double)

    // MARK: Recordings and simulations

    /// Samples come from there, not from a device; its name.
    indirect case sourceFound(String)
    /// That source begins to deliver samples; in older recordings, any accelerometer does.
    case samplingBegan(AccelerometerRole, Sampling)
    /// No more samples come, and why; nil for the end of the recording.
    indirect case sourceEnded(String?)
    /// In older recordings: the first search for sensors has ended.
    case sensorsFound
    /// In older recordings: the accelerometer in use changed its state, or another one took its place.
    case sensorChanged(AccelerometerRole, SensorReport)
    /// In older recordings: the same of the sensor of the hinge's angle.
    case hingeSensor(SensorReport)

    // MARK: The machine

    /// A search for switches has succeeded.
    case switchesFound
    /// hostnamed has named the chassis; nil where it names none that matters, or does not answer.
    case chassisFound(Idiom?)
    /// The driver of the built-in display came after the start: ``MachineConfiguration/naturalOrientation`` and
    /// ``MachineConfiguration/laptopEdge``.
    case displayFound(natural: DeviceOrientation?, laptopEdge: DeviceOrientation)
    case lid(isClosed: Bool)
    /// Unknown while there is no tablet switch.
    case tabletSwitch(TabletMode)
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
    /// Nil returns to the configuration's mode, or the machine's.
    case setAutorotate(AutorotateMode?)
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

    public init(rate: Double, mayFallSilent: Bool, faceUp: SensorFrame.FaceUp) {
        self.rate = rate
        self.mayFallSilent = mayFallSilent
        self.faceUp = faceUp
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
