// SPDX-License-Identifier: Apache-2.0

/// The half of a convertible that contains an accelerometer.
public enum SensorLocation: String, NamedValue {
    case display
    case base
    /// No source says; treated as the display, since most machines have one accelerometer only.
    case unknown

    /// The half of the machine that it is used for.
    public var role: AccelerometerRole { self == .base ? .base : .display }

    /// Creates the location from udev's property `ACCEL_LOCATION`; nil for any other text.
    public init?(udev text: String) { self.init(text, display: "display", base: "base") }

    /// Creates the location from the kernel's label of the device; nil for any other text.
    public init?(label text: String) { self.init(text, display: "accel-display", base: "accel-base") }

    /// Creates the location from the attribute `location` of Chromebooks; nil for any other text.
    public init?(attribute text: String) { self.init(text, display: "lid", base: "base") }

    private init?(_ text: String, display: String, base: String) {
        guard text == display || text == base else { return nil }
        self = text == display ? .display : .base
    }
}
