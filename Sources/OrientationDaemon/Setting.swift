// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// A key of the configuration: everything that the reader, the manual page and the messages know of it.
struct Setting {
    let section: String
    let key: String
    /// The values it takes, as the manual shows them.
    let values: String
    let standard: String
    /// What it does, in the markup of scdoc(5).
    let help: String
    /// Stores a value; false for one that the key does not take.
    let store: @Sendable (inout Configuration, String) -> Bool

    /// Every key there is.
    static let all: [Setting] = [
        Setting(
            section: "Orientation",
            key: "NaturalOrientation",
            values: "auto, portrait, portrait-upside-down, landscape-left, landscape-right",
            standard: "auto",
            help: """
                The name of the orientation in which the built-in display's own top is up. With _auto_, a display \
                whose preferred mode is wider than high is landscape-left, any other portrait.
                """
        ) { configuration, text in
            if text == "auto" {
                configuration.naturalOrientation = nil
                return true
            }
            guard let edge = DeviceOrientation(name: text), edge.isEdge else { return false }
            configuration.naturalOrientation = edge
            return true
        },
        Setting(
            section: "Orientation",
            key: "ReportFace",
            values: "yes, no",
            standard: "no",
            help: "Whether DeviceOrientation itself reads face-up and face-down while the device lies flat."
        ) { configuration, text in
            guard let value = boolean(text) else { return false }
            configuration.reportsFace = value
            return true
        },
        Setting(
            section: "Orientation",
            key: "Classifier",
            values: "robust, base",
            standard: "robust",
            help: """
                How gravity becomes an orientation: _robust_ waits for evidence, so that a device held between two \
                orientations, or shaken, does not make it flap; _base_ is the bare rule on every sample.
                """
        ) { configuration, text in
            switch text {
            case "robust": configuration.classifier = .robust
            case "base": configuration.classifier = .base
            default: return false
            }
            return true
        },
        Setting(
            section: "Sensor",
            key: "Source",
            values: "auto, iio, iio:URI, replay:FILE, simulate",
            standard: "auto",
            help: """
                Where samples come from: _auto_ and _iio_ are this machine's accelerometer, _iio:URI_ one behind a URI \
                of libiio, such as ip:HOST, _replay:FILE_ a recording, _simulate_ a device that turns by itself.
                """
        ) { configuration, text in
            guard let source = SourceChoice(text) else { return false }
            configuration.source = source
            return true
        },
        Setting(
            section: "Sensor",
            key: "Rate",
            values: "a number of Hz from 1 to 1000",
            standard: "15",
            help: """
                Samples a second. The sensor is set to the lowest rate it offers that is no lower, else to its highest; \
                one without a buffer is polled at this rate.
                """
        ) { configuration, text in
            guard let rate = Configuration.rate(text) else { return false }
            configuration.rate = rate
            return true
        },
        Setting(
            section: "Sensor",
            key: "Frame",
            values: "desktop, kernel",
            standard: "desktop",
            help: """
                The axes that the mount matrix leads to: _desktop_ as in systemd's hwdb, where an upright device reads \
                -9.81 on y, or _kernel_ as in the kernel's mount-matrix document, where it reads +9.81.
                """
        ) { configuration, text in
            switch text {
            case "desktop": configuration.convention = .desktop
            case "kernel": configuration.convention = .kernel
            default: return false
            }
            return true
        },
        Setting(
            section: "Sensor",
            key: "FaceUp",
            values: "auto, +z, -z",
            standard: "auto",
            help: """
                The sign of z while the display faces up. With _auto_ it is -z for HID sensors and Chromebooks' unless \
                Frame is _kernel_, +z for all others. The four edges never depend on it.
                """
        ) { configuration, text in
            switch text {
            case "auto": configuration.faceUp = nil
            case "+z": configuration.faceUp = .positiveZ
            case "-z": configuration.faceUp = .negativeZ
            default: return false
            }
            return true
        },
    ]

    /// Understands what systemd's own files take for yes and no.
    private static func boolean(_ text: String) -> Bool? {
        switch text {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}
