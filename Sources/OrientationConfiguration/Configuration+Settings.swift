// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

extension Configuration: Configurable {
    package static let program = "orientd"

    package static let settings: [Setting<Configuration>] = [
        Setting("Orientation", "Idiom", .nameOrAuto { $1(&$0.machine.idiom) }) {
            """
            The type of this machine, which determines the defaults of SupportedOrientations and Autorotate. With \
            _auto_, it is the chassis type of *systemd-hostnamed*(8); other types count as a tablet.
            """
        },
        Setting("Orientation", "NaturalOrientation", .naturalOrientation) {
            """
            The device orientation in which the top of the built-in display is up. With _auto_, it is landscape-left if \
            the preferred mode of the display is wider than high, otherwise portrait.
            """
        },
        Setting("Orientation", "SupportedOrientations", .supportedOrientations) {
            """
            The interface orientations that this device supports; they limit those that programs request. These are \
            orientations of the interface: _landscape-left_ is upright while the device is in landscape-right. With \
            _auto_, all, and on a handset all but upside down.
            """
        },
        Setting("Orientation", "Autorotate", .nameOrAuto { $1(&$0.machine.autorotate) }) {
            """
            When the interface follows the device. With _tablet-mode_, not while a convertible is used as a laptop. \
            With _never_, only on request: by hand, by the lock or by programs. With _auto_, it is _tablet-mode_ \
            as long as a person sets what the machine is used as (*orientctl tablet-mode*), and from when a tablet \
            switch or a way to measure the hinge is found (its sensor, or an accelerometer in each half) until orientd \
            ends. Otherwise the chassis type decides: tablet-mode on a convertible, never on a laptop, otherwise \
            always. A mode set at run time with *orientctl autorotate* is saved and takes precedence.
            """
        },
        Setting("Orientation", "LaptopOrientation", .nameOrAuto { $1(&$0.machine.laptopOrientation) }) {
            """
            The interface orientation while a convertible is used as a laptop and Autorotate is _tablet-mode_. With \
            _auto_, the one in which the top of the built-in display is up, or the edge to which the kernel turns its \
            console: it knows some computers whose display is mounted turned.
            """
        },
        Setting("Orientation", "ReportFace", .boolean { $1(&$0.machine.reportsFace) }) {
            "Whether DeviceOrientation is face-up or face-down while the device lies flat."
        },
        Setting("Orientation", "Classifier", .name { $1(&$0.machine.classifier) }) {
            """
            How the orientation is derived from gravity. With _robust_, by evidence over some time, so that the \
            orientation does not flap while the device is shaken or held between two orientations; with _base_, by the \
            bare rule from every sample.
            """
        },
        Setting("Tablet", "TabletSwitch", .boolean { $1(&$0.machine.virtualTabletSwitch) }) {
            """
            Whether to make a tablet switch for the desktop, where the kernel has none. It is made if the angle of the \
            hinge can be measured, or once *orientctl tablet-mode* has set the mode. While it is on, keyboard and \
            touchpad are off, and the desktop behaves as on a tablet. See *orientd-tablet-switch*(8).
            """
        },
        Setting("Tablet", "IgnoreTabletSwitch", .names { $1(&$0.ignoredTabletSwitches) }) {
            """
            The names of input devices whose tablet switch orientd ignores because it is wrong. The names are as in \
            /proc/bus/input/devices, separated by semicolons. If all are ignored, the angle of the hinge decides. \
            Desktops still read such a switch, and if there are several, such as this and the virtual one, they turn \
            the keyboard off by the one that they have found first.
            """
        },
        Setting("Tablet", "IgnoreLidSwitch", .names { $1(&$0.ignoredLidSwitches) }) {
            """
            The names of input devices whose lid switch orientd ignores because it is wrong. While the lid counts as \
            closed, the interface does not follow the device. The names are as in /proc/bus/input/devices, separated \
            by semicolons; *orientctl doctor* names a switch that says closed.
            """
        },
        Setting("Tablet", "TabletWithoutKeyboard", .boolean { $1(&$0.isTabletWithoutKeyboard) }) {
            """
            Whether this machine counts as a laptop while a keyboard is attached, and otherwise as a tablet. This is \
            for a tablet whose keyboard can be taken off, and that has no tablet switch. A keyboard on Bluetooth does \
            not count. GNOME and KDE look at keyboard and pointer themselves. Where the kernel lists a keyboard that \
            does not exist, this has no effect: *orientctl doctor* names the keyboards that count.
            """
        },
        Setting("Sensor", "Source", .source) {
            """
            Where samples come from. _auto_ and _iio_ use this machine's sensors, _ssc_ also those of its Qualcomm \
            sensor core that no udev rule names (see *orientd*(8)), _iio:URI_ the accelerometer at a libiio URI such as \
            ip:HOST, _replay:FILE_ a trace, and _simulate_ a simulated device that keeps turning.
            """
        },
        Setting("Sensor", "Rate", .rate) {
            """
            Samples per second. A sensor that runs slower is set to the lowest of its rates that is enough, or to its \
            highest if none is. One that runs faster, perhaps because another program has set it so, is left alone. A \
            sensor without a buffer is polled at this rate.
            """
        },
        Setting("Sensor", "Power", .name { $1(&$0.machine.power) }) {
            """
            How closely the sensor is read while the device rests. With _auto_, input devices, and sensor hubs that can, \
            report only changes; any other sensor is read every 0.2 seconds at rest, and every 0.72 seconds after half \
            a minute, and a movement is seen with that delay. With _responsive_, it is read at the full rate all the \
            time.
            """
        },
        Setting("Sensor", "Frame", .name { $1(&$0.convention) }) {
            """
            The frame that the mount matrix converts to. _desktop_ is as in systemd's hwdb, where an upright device \
            reads -9.81 on y, _kernel_ as in the kernel's mount-matrix document, where it reads +9.81.
            """
        },
        Setting("Sensor", "FaceUp", .nameOrAuto { $1(&$0.faceUp.display) }) {
            """
            The sign of z that the sensor in the display reads, after the mount matrix, while the display faces up: _+z_ \
            or _-z_. With _auto_, it follows from the matrix: +z if its determinant is positive, else -z; for HID sensors \
            the other way round. The four edges do not depend on it; the face and the angle of the hinge do. *orientctl \
            sensors* shows it. Drivers that mirror an axis, such as hp_accel on some models, need this setting.
            """
        },
        Setting("Sensor", "BaseFaceUp", .nameOrAuto { $1(&$0.faceUp.base) }) {
            """
            The same for the sensor in the base, while its underside faces up. With the lid closed, both sensors are \
            to read the same.
            """
        },
        Setting("Bus", "SensorProxy", .booleanOrAuto { $1(&$0.servesSensorProxy) }) {
            """
            Whether to provide _net.hadess.SensorProxy_ too, for desktops that support iio-sensor-proxy. With _auto_, \
            only if iio-sensor-proxy is not installed or is masked. If another service owns the name, orientd takes \
            it when that service ends.
            """
        },
        Setting("Bus", "SensorProxyOrientation", .name { $1(&$0.machine.proxiedOrientation) }) {
            """
            The orientation that _net.hadess.SensorProxy_ reports. With _interface_, how the interface is to be shown, \
            so that desktops follow the lock, the requests of programs and every other rule; with _device_, how the \
            device is held, as from iio-sensor-proxy. Both are the same while no rule applies.
            """
        },
        Setting(Application.section, "SupportedOrientations", .applicationMask { $1(&$0.machine.applicationMasks) }) {
            """
            The interface orientations that an application supports, unless it sets others itself. _ID_ is the \
            application's id, as in *[Application org.example.Player]*; each application has its own section.
            """
        },
    ]
}

extension SettingType<Configuration> {
    fileprivate static let naturalOrientation = orAuto(
        InterfaceOrientation.choice,
        { DeviceOrientation(name: $0).flatMap { $0.isEdge ? $0 : nil } },
        { $1(&$0.machine.naturalOrientation) }
    )

    fileprivate static let supportedOrientations = orAuto(
        InterfaceOrientationMask.values,
        { InterfaceOrientationMask($0) },
        { $1(&$0.machine.supportedOrientations) }
    )

    fileprivate static func names(_ field: @escaping Field<[String]>) -> SettingType<Configuration> {
        value(
            "the word none, or names separated by semicolons",
            standard: "none",
            { text in
                let names = text.utf8.split(separator: UInt8(ascii: ";")).map { String(Substring(trimmed($0))) }
                    .filter { !$0.isEmpty }
                return text == "none" ? [] : names.isEmpty ? nil : names
            },
            field
        )
    }

    fileprivate static let source = value(
        SourceChoice.choices,
        standard: "auto",
        { SourceChoice($0) },
        { $1(&$0.source) }
    )

    fileprivate static let rate = value(
        "a number of Hz from 1 to 1000",
        standard: "15",
        { Configuration.rate($0) },
        { $1(&$0.rate) }
    )
}
