// SPDX-License-Identifier: Apache-2.0

/// A device that a scan found.
public struct FoundDevice: Hashable, Sendable {
    /// Unique since the start; a sensor that returns keeps it.
    public var number = 0
    public var kind = SensorKind.accelerometer
    public var location = SensorLocation.display
    public var name = ""
    /// The directory of the device.
    public var path = ""
    /// Whether it counts only where there is no better one.
    public var isSubstitute = false
    public var canBuffer = false
    public var canPoll = false
    /// In Hz.
    public var rate = 0.0
    /// Whether it can be used; otherwise only its kind is known, and ``DeviceEvent/undescribed(_:)`` follows.
    public var isDescribed = true
    /// The sensor's own sign of z while the display faces up; nil for others than accelerometers.
    public var faceUp: SensorFrame.FaceUp?
    /// What that sign follows from, for people who read a recording.
    public var faceUpReason: SensorFrame.FaceUpReason?

    public init() {}

    public var use: SensorUse { SensorUse(kind, kind == .accelerometer ? location.role : .display) }

    package var identity: SensorIdentity { SensorIdentity(name: name, location: location, path: path) }

    /// How it can be read; nil where it cannot be described.
    package var traits: DeviceTraits? {
        guard isDescribed else { return nil }
        return DeviceTraits(canBuffer: canBuffer, canPoll: canPoll, mayBeSilent: kind != .accelerometer, rate: rate)
    }
}
