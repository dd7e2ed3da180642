// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore

/// Where samples come from.
package enum SourceChoice: Hashable, Sendable {
    /// The accelerometers of a libiio context.
    case iio(uri: String)
    case replay(path: String)
    case simulation

    /// This machine's own sensors.
    package static let local = SourceChoice.iio(uri: "local:")

    /// Understands `auto`, `iio`, `iio:URI`, `replay:FILE` and `simulate`; nil for anything else.
    package init?(_ text: String) {
        if text == "auto" || text == "iio" {
            self = .local
        } else if text == "simulate" {
            self = .simulation
        } else if let uri = text.dropping(prefix: "iio:"), !uri.isEmpty {
            self = .iio(uri: uri)
        } else if let path = text.dropping(prefix: "replay:"), !path.isEmpty {
            self = .replay(path: path)
        } else {
            return nil
        }
    }
}

/// What the daemon is told to do; each value has the default that the manual states.
package struct Configuration: Hashable, Sendable {
    /// Nil where hostnamed is to be asked.
    package var idiom: Idiom?
    /// Nil where it is to be found out from the display.
    package var naturalOrientation: DeviceOrientation?
    /// Nil where the idiom tells.
    package var supportedOrientations: InterfaceOrientationMask?
    /// Nil where the idiom tells.
    package var autorotate: AutorotateMode?
    /// Nil for the natural one.
    package var laptopOrientation: InterfaceOrientation?
    package var reportsFace = false
    package var classifier = ClassifierChoice.robust
    package var source = SourceChoice.local
    /// In Hz.
    package var rate = 15.0
    package var convention = SensorFrame.Convention.desktop
    /// Nil where the sensor's name tells.
    package var faceUp: SensorFrame.FaceUp?

    /// Whether to serve `net.hadess.SensorProxy`; nil where that depends on whether iio-sensor-proxy is installed.
    package var servesSensorProxy: Bool?

    /// The orientations that applications support, by their ids.
    package var applicationMasks: [String: InterfaceOrientationMask] = [:]

    package init() {}

    /// Understands a rate in Hz; nil for what is none from 1 to 1000.
    package static func rate(_ text: String) -> Double? {
        guard let rate = number(text), (1...1000).contains(rate) else { return nil }
        return rate
    }
}

// MARK: - What follows from it

// `chassis` is hostnamed's answer, nil where there is none; a configured idiom counts instead, and a machine of which
// nothing is known is a tablet.

extension Configuration {
    /// Returns what it says about the interface of a machine whose display's own top up is called `natural`.
    package func rotation(chassis: Idiom?, natural: DeviceOrientation) -> RotationConfiguration {
        RotationConfiguration(
            supported: supportedOrientations ?? idiom(chassis).supportedOrientations,
            natural: natural,
            laptop: laptopOrientation,
            applicationMasks: applicationMasks
        )
    }

    /// Returns the mode of autorotation that holds where none was set at run time.
    ///
    /// `tellsTabletMode` is whether something tells what the machine is used as.
    package func autorotateMode(chassis: Idiom?, tellsTabletMode: Bool) -> AutorotateMode {
        autorotate ?? idiom(chassis).autorotate(tellsTabletMode: tellsTabletMode)
    }

    private func idiom(_ chassis: Idiom?) -> Idiom {
        idiom ?? chassis ?? .tablet
    }
}

/// The two classifiers of the core.
package enum ClassifierChoice: Hashable, Sendable {
    case robust
    case base

    package var constants: OrientationClassifier.Constants {
        switch self {
        case .robust: .robust
        case .base: .base
        }
    }
}

/// Reads a decimal number that takes up all of `text`.
package func number(_ text: String) -> Double? {
    // strtod also takes white space in front, hexadecimal numbers and words.
    guard !text.isEmpty, text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return text.withCString { start in
        var end: UnsafeMutablePointer<CChar>?
        let value = strtod(start, &end)
        guard let end, end.pointee == 0, value.isFinite else { return nil }
        return value
    }
}

extension String {
    /// The rest of the string after `prefix`; nil for a string that does not begin with it.
    func dropping(prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
