// SPDX-License-Identifier: Apache-2.0

/// An input of ``DeviceMachine``.
public enum DeviceEvent: Hashable, Sendable {
    // MARK: From discovery

    /// A scan found the device, for the first time or again.
    case found(DeviceTraits)
    /// A scan found the device, but one of its files does not answer, and why; ``found(_:)`` may follow.
    case undescribed(String)
    /// The device was unplugged.
    case removed

    // MARK: From the daemon

    /// Readings are needed.
    case start
    /// Readings are no longer needed.
    case stop
    case sense(Sensing)
    /// Readings are converted with another scaling from now on, which may have another sign of z.
    case rescaled(SensorFrame.FaceUp?)

    // MARK: From the device

    /// The job that was started last has ended.
    case finished(DeviceJobResult)
    /// A reading came; `showsMotion`: at rest, it differs from the pose.
    case reading(showsMotion: Bool)
    /// A reading failed, and why.
    case readFailed(DeviceReadFailure, String)
    /// Reading could not be started, and why.
    case unreadable(String)
    /// The time of ``DeviceMachine/deadline`` has come, or a reading by timer found nothing.
    case deadlinePassed
}

/// How a device can be read.
public struct DeviceTraits: Hashable, Sendable {
    /// Whether it offers scans; only opening the buffer shows whether they come.
    public var canBuffer: Bool
    /// Whether its values can be read one by one.
    public var canPoll: Bool
    /// Whether its buffer may be silent for any time while nothing changes.
    public var mayBeSilent: Bool
    /// The rate in Hz at which it is read from then on.
    public var rate: Double

    public init(canBuffer: Bool, canPoll: Bool, mayBeSilent: Bool, rate: Double) {
        self.canBuffer = canBuffer
        self.canPoll = canPoll
        self.mayBeSilent = mayBeSilent
        self.rate = rate
    }
}

/// How a reading failed.
public enum DeviceReadFailure: String, NamedValue {
    /// The chip has no new value yet (EAGAIN).
    case noValue = "no-value"
    /// The device is gone (ENODEV).
    case noDevice = "no-device"
    case error
}

/// A call that can block; a device has at most one of them under way.
package enum DeviceJob: Hashable, Sendable {
    /// Restore what a crash left, and set what every user of the device expects.
    case prepare
    /// Note the settings, set those for reading and, with `buffered`, start the buffer.
    case open(buffered: Bool)
    /// Set the change sensitivity, in m/s².
    case setSensitivity(Double)
    /// Make the buffer long enough for reading by timer.
    case extend
    /// Close the buffer, and leave the rest open for polling.
    case closeBuffer
    /// Close everything and restore the settings.
    case close
}

/// The result of a ``DeviceJob``.
public enum DeviceJobResult: Hashable, Sendable {
    /// The device is prepared, or a buffer or the device is closed, or the buffer is extended.
    case done(warnings: [String])
    case opened(DeviceOpening)
    /// The change sensitivity that the sensor has now, in m/s².
    case sensitivity(Double)
    case failed(String)
}

/// A device that was opened.
public struct DeviceOpening: Hashable, Sendable {
    /// Whether its buffer runs; otherwise it is polled.
    public var isBuffered = false
    /// In Hz; nil where the device has no such setting.
    public var rate: Double?
    /// Whether the device has a change sensitivity, which is 0 now.
    public var hasSensitivity = false
    public var warnings: [String] = []

    public init() {}
}

/// What is to be done after a ``DeviceEvent``.
package struct DeviceCommands: Hashable, Sendable {
    /// The device is gone: forget it and the job under way, and close what it left open without waiting.
    package var abandons = false
    /// How to read from now on.
    package var reading = DeviceReading.none
    /// How closely to read.
    package var sensing = Sensing.stream
    /// Readings a second that are to be expected, in Hz; 0 while unknown.
    package var sampleRate = 0.0
    /// A job to start.
    package var job: DeviceJob?
    /// Whether to compare the last scan with the values once; ``DeviceEvent/unreadable(_:)`` follows if they contradict.
    package var compares = false
    package var report: DeviceReport?

    package init() {}
}

/// How the loop gets readings.
package enum DeviceReading: Hashable, Sendable {
    case none
    /// Each scan wakes the loop.
    case scans
    /// The loop reads the buffer at the period of the sensing level.
    case timer
    /// The helper reads the values, at the configured rate or at the period of the sensing level.
    case poll
}

/// What happened to a device, for whoever uses it.
package enum DeviceReport: Hashable, Sendable {
    /// Sampling began, or goes on in another way.
    case started(warnings: [String])
    /// The device does not answer; readings may come again.
    case stalled(String)
    /// The device sent nothing for too long, and is opened anew; whether it counts as lost until it sends something.
    case silent(String, isLost: Bool)
    /// Sampling ended, and why; the device is used again after the next ``DeviceEvent/found(_:)``.
    case failed(String)
    /// The device was prepared, or is closed with its settings restored; it may be opened again at once.
    case closed(warnings: [String])
}
