// SPDX-License-Identifier: Apache-2.0

/// What is to be done after an event, with all that is to be published.
///
/// A sample that changes nothing allocates nothing.
public struct Effects: Sendable {
    /// A state to write now; it must be on the disk before a call is answered.
    public var save: SavedState?
    /// Requests that no longer exist.
    public var released: [RotationRequest.ID] = []
    /// A request that is new or has changed.
    public var request: ClientRequest?
    /// A change of the interface: to be announced before the new status (will), and after it (did).
    public var transition: Transition?
    /// Why the interface is shown as it is, as a sentence for people; empty without a transition.
    public var explanation = ""
    /// What a person has commanded (rotate, align, lock or unlock), if that changed nothing that is shown.
    public var confirmation: Confirmation?
    /// The new values that clients see; nil if none has changed.
    public var status: ManagerStatus?
    /// The filtered gravity in g; (0, 0, 0) while unknown.
    public var gravity = Vector3.zero
    /// What net.hadess.SensorProxy reports.
    public var proxied = ProxiedReading()
    /// Whether claims can be answered: an edge or a face was seen since sampling began, or none is to be expected.
    public var hasFirstAnswer = false
    /// Why a client's call changed nothing.
    public var refusal: RotationRefusal?
    /// What is to be done with the sensors, and what has changed of them, in the order of time.
    package var actions: [SensorTable.Action] = []
    /// What the virtual tablet switch is to say; unknown where there is to be none.
    public var tabletSwitch = TabletMode.unknown
    /// When to deliver ``Event/deadlinePassed(_:)``, in place of any earlier time; nil for never.
    public var deadline: Deadline?
    /// A step in the life of the process.
    public var step: Step?
    /// What a resting sensor reads in g, where that is far from 1 g; it now counts as 1 g.
    ///
    /// Less than ``OrientationClassifier/leastReference`` tells no orientation.
    public var wrongScale: Double?
    /// The angle of the hinge in degrees by which the tablet switch turned out to be wrong.
    public var contradictingAngle: Double?

    public init() {}

    public enum Step: Hashable, Sendable {
        /// Everything that clients ask for first is known: tell the service manager.
        case ready
        /// Let the machine sleep once all sensors are closed.
        case suspend
        case resume
        /// Answer waiting calls, and exit once all sensors are closed.
        case end
        /// Exit at once: stopping the sensors takes too long.
        case exit
    }
}

/// A request with the client that holds it.
public struct ClientRequest: Hashable, Sendable {
    public let id: RotationRequest.ID
    public let request: RotationRequest
    public let client: String
}

/// The orientation that net.hadess.SensorProxy reports.
public struct ProxiedReading: Hashable, Sendable {
    /// The edge to turn displays by, portrait being the display's own top up.
    public var edge = DeviceOrientation.unknown
    public var tilt = Tilt.undefined

    public init() {}
}

/// A moment that the machine waits for.
public struct Deadline: Hashable, Sendable {
    public enum Purpose: String, NamedValue {
        /// A device does not answer, or the next scan is due.
        case sensors
        /// The end of the time that the first search for sensors, switches and chassis may take.
        case ready
        /// The next repetition of a silent sensor's last sample.
        case silence
        /// The end of the time at rest after which a sensor is read more rarely.
        case doze
        /// The end of a check of the tablet switch.
        case switchCheck = "switch-check"
        /// The time for the virtual tablet switch to say `tablet` no longer.
        case virtualSwitch = "virtual-switch"
        /// The time to save the orientation that is shown.
        case save
        /// The end of the time that stopping the sensors may take.
        case exit
    }

    public var purpose: Purpose
    /// In seconds, on the clock of the events.
    public var time: Double
    /// How much later is good enough, in seconds.
    public var slack = Self.usualSlack

    /// The lateness of what should be on time, so that the kernel can combine wake-ups.
    public static let usualSlack = 0.001
}
