// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX

/// Where samples come from.
package enum SourceChoice: Hashable, Sendable {
    /// The accelerometers of a libiio context.
    case iio(uri: String)
    /// This machine's own sensors, and all those of its Qualcomm sensor core.
    case sensorCore
    case replay(path: String)
    case simulation

    /// What can be given, for messages and the manual.
    package static let choices = "auto, iio, ssc, " + others

    /// What can be given where orientd is not needed to read the sensor.
    package static let recordable = "auto, iio, " + others

    private static let others = "iio:URI such as iio:ip:HOST, replay:FILE or simulate"

    package static let local = SourceChoice.iio(uri: "local:")

    /// The libiio context; nil for a recording or a simulation.
    package var uri: String? {
        if case .iio(let uri) = self { uri } else { self == .sensorCore ? "local:" : nil }
    }

    package var isLocal: Bool { uri == "local:" }

    /// The beginnings of libiio's URIs.
    private static let backends = ["local:", "ip:", "usb:", "serial:"]

    /// Parses `auto`, `iio`, `iio:URI`, `ssc`, `replay:FILE` and `simulate`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "auto", "iio": self = .local
        case "ssc": self = .sensorCore
        case "simulate": self = .simulation
        default:
            if let uri = text.dropping(prefix: "iio:"), Self.backends.contains(where: uri.begins) {
                self = .iio(uri: uri)
            } else if let path = text.dropping(prefix: "replay:"), !path.isEmpty {
                self = .replay(path: path)
            } else {
                return nil
            }
        }
    }
}

/// The daemon's settings, with the defaults that orientd.conf(5) documents.
package struct Configuration: Hashable, Sendable {
    /// The file that is read unless another is named.
    package static let standardPath = "/etc/orientd/orientd.conf"

    package var machine = MachineConfiguration()
    package var source = SourceChoice.local
    /// In Hz.
    package var rate = 15.0
    package var convention = SensorFrame.Convention.desktop
    /// The sign of z of each half; nil if it follows from the mount matrix.
    package var faceUp = PerRole<SensorFrame.FaceUp?>(nil)

    /// The names of input devices whose tablet switch is ignored.
    package var ignoredTabletSwitches: [String] = []
    /// The names of input devices whose lid switch is ignored.
    package var ignoredLidSwitches: [String] = []
    package var isTabletWithoutKeyboard = false

    /// Whether to serve `net.hadess.SensorProxy`; nil if it depends on whether iio-sensor-proxy is installed.
    package var servesSensorProxy: Bool?

    package init() {}

    /// Parses a rate in Hz; nil unless it is from 1 to 1000.
    package static func rate(_ text: String) -> Double? {
        guard let rate = number(text), (1...1000).contains(rate) else { return nil }
        return rate
    }
}

/// Parses a decimal number; nil if `text` is anything else.
package func number(_ text: String) -> Double? {
    // strtod also accepts leading white space, hexadecimal numbers and words.
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return text.withCString { start in
        guard let (value, end) = scanNumber(start), end.pointee == 0, value.isFinite else { return nil }
        return value
    }
}
