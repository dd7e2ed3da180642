// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// A key of the configuration: everything that the reader, the manual page and the messages know of it.
struct Setting {
    let section: String
    let key: String
    /// The values it takes, as the manual shows them.
    let values: String
    /// What holds without an assignment; nil where that is nothing at all.
    let standard: String?
    /// What it does, in the markup of scdoc(5).
    let help: String
    /// Stores a value; false for one that the key does not take.
    ///
    /// The last argument is the application's id in a section `[Application ID]`, else empty.
    let store: @Sendable (inout Configuration, String, String) -> Bool

    /// What the manual calls the sections that are named for an application each.
    static let applicationSection = "Application ID"

    /// The id in the name of an application's section, without blanks around it; nil for the name of any other section.
    static func applicationID(in section: String) -> String? {
        guard let rest = section.dropping(prefix: "Application") else { return nil }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard rest.utf8.first.map(isBlank) ?? true else { return nil }
        let words = rest.utf8.drop(while: isBlank)
        guard let end = words.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: words[...end], as: UTF8.self)
    }

    private static let edges = "portrait, portrait-upside-down, landscape-left, landscape-right"
    private static let masks = "all, all-but-upside-down, landscape, or orientations with commas between them"

    /// Every key there is, section by section.
    static let all: [Setting] = [
        Setting(
            section: "Orientation",
            key: "Idiom",
            values: "auto, handset, tablet, convertible, laptop",
            standard: "auto",
            help: """
                What this machine is; defaults of SupportedOrientations and Autorotate follow from it. With _auto_, \
                *systemd-hostnamed*(8) is asked for the chassis, and a machine that is none of these counts as a tablet.
                """
        ) { configuration, text, _ in
            choose(&configuration.machine.idiom, text) { Idiom(name: $0) }
        },
        Setting(
            section: "Orientation",
            key: "NaturalOrientation",
            values: "auto, \(edges)",
            standard: "auto",
            help: """
                The name of the orientation in which the built-in display's own top is up. With _auto_, a display \
                whose preferred mode is wider than high is landscape-left, any other portrait.
                """
        ) { configuration, text, _ in
            choose(&configuration.machine.naturalOrientation, text) { name in
                DeviceOrientation(name: name).flatMap { $0.isEdge ? $0 : nil }
            }
        },
        Setting(
            section: "Orientation",
            key: "SupportedOrientations",
            values: "auto, \(masks)",
            standard: "auto",
            help: """
                The orientations that the interface may take on this device; what programs ask for is bounded by it. \
                They are orientations of the interface: _landscape-left_ is what a person sees upright who holds the \
                device in landscape-right. With _auto_, all; on a handset all but upside down.
                """
        ) { configuration, text, _ in
            choose(&configuration.machine.supportedOrientations, text) { InterfaceOrientationMask($0) }
        },
        Setting(
            section: "Orientation",
            key: "Autorotate",
            values: "auto, always, tablet-mode, never",
            standard: "auto",
            help: """
                When turning the device turns the interface: _tablet-mode_ means not while a convertible is used as a \
                laptop; _never_ leaves rotating by hand, the lock and the requests of programs at work. With _auto_, \
                tablet-mode on a convertible, and on a laptop that has a switch for it or an accelerometer in each \
                half; never on another laptop, else always. A mode set at run time, with *orientctl autorotate*, is \
                remembered and wins over this one.
                """
        ) { configuration, text, _ in
            choose(&configuration.machine.autorotate, text) { AutorotateMode(name: $0) }
        },
        Setting(
            section: "Orientation",
            key: "LaptopOrientation",
            values: "auto, \(edges)",
            standard: "auto",
            help: """
                The orientation of the interface while a convertible is used as a laptop and Autorotate is \
                _tablet-mode_. With _auto_, the one in which the built-in display's own top is up.
                """
        ) { configuration, text, _ in
            choose(&configuration.machine.laptopOrientation, text) { InterfaceOrientation(name: $0) }
        },
        Setting(
            section: "Orientation",
            key: "ReportFace",
            values: "yes, no",
            standard: "no",
            help: "Whether DeviceOrientation itself reads face-up and face-down while the device lies flat."
        ) { configuration, text, _ in
            guard let value = boolean(text) else { return false }
            configuration.machine.reportsFace = value
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
        ) { configuration, text, _ in
            guard let classifier = ClassifierChoice(name: text) else { return false }
            configuration.machine.classifier = classifier
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
        ) { configuration, text, _ in
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
        ) { configuration, text, _ in
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
        ) { configuration, text, _ in
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
        ) { configuration, text, _ in
            choose(&configuration.faceUp, text) { SensorFrame.FaceUp(name: $0) }
        },
        Setting(
            section: "Bus",
            key: "SensorProxy",
            values: "auto, yes, no",
            standard: "auto",
            help: """
                Whether to serve _net.hadess.SensorProxy_ too, for the desktops that know iio-sensor-proxy. With \
                _auto_, where iio-sensor-proxy is not installed, or is masked. Another service that has the name keeps \
                it until it ends.
                """
        ) { configuration, text, _ in
            choose(&configuration.servesSensorProxy, text, boolean)
        },
        Setting(
            section: applicationSection,
            key: "SupportedOrientations",
            values: masks,
            standard: nil,
            help: """
                The orientations of the interface that an application supports, unless it sets others itself. _ID_ is \
                the application's, as in *[Application org.example.Player]*; each application has a section of its own.
                """
        ) { configuration, text, application in
            guard let mask = InterfaceOrientationMask(text) else { return false }
            configuration.machine.applicationMasks[application] = mask
            return true
        },
    ]

    /// Stores the value that `text` stands for, or nil for `auto`; false where it stands for none.
    private static func choose<Value>(_ choice: inout Value?, _ text: String, _ value: (String) -> Value?) -> Bool {
        if text == "auto" {
            choice = nil
            return true
        }
        guard let value = value(text) else { return false }
        choice = value
        return true
    }

    /// Understands what systemd's own files take for yes and no.
    private static func boolean(_ text: String) -> Bool? {
        switch text {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}
