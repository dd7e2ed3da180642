// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// A key of the configuration file, with its documentation.
struct Setting {
    let section: String
    let key: String
    let type: SettingType
    /// What it does, in scdoc(5) markup.
    let help: String

    init(_ section: String, _ key: String, _ type: SettingType, help: () -> String) {
        self.section = section
        self.key = key
        self.type = type
        self.help = help()
    }

    /// The placeholder for the sections of applications in the manual.
    static let applicationSection = "Application ID"

    /// The id in the name of an application's section, without blanks around it; nil for any other section.
    static func applicationID(in section: String) -> String? {
        guard let rest = section.dropping(prefix: "Application") else { return nil }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard rest.utf8.first.map(isBlank) ?? true else { return nil }
        let words = rest.utf8.drop(while: isBlank)
        guard let end = words.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: words[...end], as: UTF8.self)
    }

    /// Every key, by section.
    static let all: [Setting] = [
        Setting("Orientation", "Idiom", .nameOrAuto { $1(&$0.machine.idiom) }) {
            """
            The type of this machine, which determines the defaults of SupportedOrientations and Autorotate. With \
            _auto_, it is the chassis type of *systemd-hostnamed*(8); other types count as a tablet.
            """
        },
        Setting("Orientation", "NaturalOrientation", .naturalOrientation) {
            """
            The orientation in which the top of the built-in display is up. With _auto_, it is landscape-left if the \
            preferred mode of the display is wider than high, otherwise portrait.
            """
        },
        Setting("Orientation", "SupportedOrientations", .supportedOrientations) {
            """
            The interface orientations that this device supports; they limit those that programs request. These are \
            orientations of the interface: _landscape-left_ is upright while the device is in landscape-right. With \
            _auto_, all; on a handset all but upside down.
            """
        },
        Setting("Orientation", "Autorotate", .nameOrAuto { $1(&$0.machine.autorotate) }) {
            """
            When the interface follows the device. With _tablet-mode_, not while a convertible is used as a laptop. \
            With _never_, only on request: by hand, by the lock or by programs. With _auto_, tablet-mode on a \
            convertible, and on a laptop that has a tablet mode switch or an accelerometer in each half; never on any \
            other laptop; otherwise always. A mode set at run time with *orientctl autorotate* is saved and takes \
            precedence.
            """
        },
        Setting("Orientation", "LaptopOrientation", .nameOrAuto { $1(&$0.machine.laptopOrientation) }) {
            """
            The interface orientation while a convertible is used as a laptop and Autorotate is _tablet-mode_. With \
            _auto_, the one in which the top of the built-in display is up.
            """
        },
        Setting("Orientation", "ReportFace", .boolean { $1(&$0.machine.reportsFace) }) {
            "Whether DeviceOrientation is face-up or face-down while the device lies flat."
        },
        Setting("Orientation", "Classifier", .name { $1(&$0.machine.classifier) }) {
            """
            How the orientation is derived from gravity: _robust_ waits for evidence, so that the orientation does not \
            flap while the device is shaken or held between two orientations; _base_ applies the bare rule to every \
            sample.
            """
        },
        Setting("Sensor", "Source", .source) {
            """
            Where samples come from: _auto_ and _iio_ use this machine's accelerometer, _iio:URI_ one at a libiio URI \
            such as ip:HOST, _replay:FILE_ a recording, and _simulate_ a simulated device that keeps turning.
            """
        },
        Setting("Sensor", "Rate", .rate) {
            """
            Samples per second. The sensor is set to its lowest rate that is not lower, or else to its highest; a \
            sensor without a buffer is polled at this rate.
            """
        },
        Setting("Sensor", "Frame", .name { $1(&$0.convention) }) {
            """
            The frame that the mount matrix converts to: _desktop_ as in systemd's hwdb, where an upright device reads \
            -9.81 on y, or _kernel_ as in the kernel's mount-matrix document, where it reads +9.81.
            """
        },
        Setting("Sensor", "FaceUp", .nameOrAuto { $1(&$0.faceUp) }) {
            """
            The sign of z while the display faces up. With _auto_, it is -z for HID sensors and those of Chromebooks \
            unless Frame is _kernel_, and +z for all others. The four edges do not depend on it.
            """
        },
        Setting("Bus", "SensorProxy", .booleanOrAuto { $1(&$0.servesSensorProxy) }) {
            """
            Whether to provide _net.hadess.SensorProxy_ too, for desktops that support iio-sensor-proxy. With _auto_, \
            only if iio-sensor-proxy is not installed or is masked. If another service owns the name, orientd takes \
            it when that service ends.
            """
        },
        Setting(applicationSection, "SupportedOrientations", .applicationMask) {
            """
            The interface orientations that an application supports, unless it sets others itself. _ID_ is the \
            application's id, as in *[Application org.example.Player]*; each application has its own section.
            """
        },
    ]
}

/// The values that a key takes, and how they are stored.
struct SettingType: Sendable {
    /// Calls its second argument with one field of the configuration; Embedded Swift has no key paths.
    typealias Field<Value> = @Sendable (inout Configuration, (inout Value) -> Void) -> Void

    /// The accepted values, for the manual and for messages.
    let values: String
    /// The default; nil if there is none.
    let standard: String?
    /// Stores a value for an application, or for the whole configuration if its id is empty; false for an invalid value.
    let store: @Sendable (_ configuration: inout Configuration, _ text: String, _ application: String) -> Bool

    /// Values that `parse` accepts; it returns nil for all others.
    private static func value<Value>(
        _ values: String,
        standard: String,
        _ parse: @escaping @Sendable (String) -> Value?,
        _ field: @escaping Field<Value>
    ) -> SettingType {
        SettingType(values: values, standard: standard) { configuration, text, _ in
            guard let value = parse(text) else { return false }
            field(&configuration) { $0 = value }
            return true
        }
    }

    /// Values that `parse` accepts, and `auto`, which is stored as nil.
    private static func orAuto<Value>(
        _ values: String,
        _ parse: @escaping @Sendable (String) -> Value?,
        _ field: @escaping Field<Value?>
    ) -> SettingType {
        value("auto, \(values)", standard: "auto", { $0 == "auto" ? .some(nil) : parse($0).map { .some($0) } }, field)
    }

    static func name<Value: NamedValue & SendableMetatype>(_ field: @escaping Field<Value>) -> SettingType {
        var configuration = Configuration()
        var standard = ""
        field(&configuration) { standard = $0.name }
        return value(Value.names, standard: standard, { Value(name: $0) }, field)
    }

    static func nameOrAuto<Value: NamedValue & SendableMetatype>(_ field: @escaping Field<Value?>) -> SettingType {
        orAuto(Value.names, { Value(name: $0) }, field)
    }

    static let naturalOrientation = orAuto(
        InterfaceOrientation.names,
        { DeviceOrientation(name: $0).flatMap { $0.isEdge ? $0 : nil } },
        { $1(&$0.machine.naturalOrientation) }
    )

    private static let masks = "all, all-but-upside-down, landscape, or a comma-separated list of orientations"
    static let supportedOrientations = orAuto(
        masks,
        { InterfaceOrientationMask($0) },
        { $1(&$0.machine.supportedOrientations) }
    )
    static let applicationMask = SettingType(values: masks, standard: nil) { configuration, text, application in
        guard let mask = InterfaceOrientationMask(text) else { return false }
        configuration.machine.applicationMasks[application] = mask
        return true
    }

    static let source = value(
        "auto, iio, iio:URI, replay:FILE, simulate",
        standard: "auto",
        { SourceChoice($0) },
        { $1(&$0.source) }
    )
    static let rate = value(
        "a number of Hz from 1 to 1000",
        standard: "15",
        { Configuration.rate($0) },
        { $1(&$0.rate) }
    )

    static func boolean(_ field: @escaping Field<Bool>) -> SettingType {
        value("yes, no", standard: "no", isTrue, field)
    }

    static func booleanOrAuto(_ field: @escaping Field<Bool?>) -> SettingType {
        orAuto("yes, no", isTrue, field)
    }

    /// Accepts the Booleans of systemd's configuration files.
    @Sendable private static func isTrue(_ text: String) -> Bool? {
        switch text {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}
