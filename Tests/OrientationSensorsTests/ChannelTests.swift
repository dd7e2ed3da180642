// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import Testing

@testable import OrientationSensors

@Suite struct ChannelTests {
    @Test(arguments: [
        ("in_accel_x", "accel", "x"), ("in_accel0_z", "accel", "z"), ("in_illuminance", "illuminance", ""),
        ("in_illuminance12", "illuminance", ""), ("in_intensity_both", "intensity", "both"), ("in_angl0", "angl", ""),
        ("in_rot_from_north_magnetic_tilt_comp", "rot", "from_north_magnetic_tilt_comp"), ("in_", "", ""),
        ("in__", "", ""), ("in_proximity3-proximity0", "proximity", "-proximity0"),
    ])
    func `the name of a channel has a type and a modifier`(name: String, type: String, modifier: String) {
        #expect(IIOChannel.parts(of: name) == (type, modifier))
    }

    @Test(
        arguments: [
            (
                SensorKind.accelerometer, ["in_accel_x", "in_accel_y", "in_accel_z"],
                ["in_accel_x", "in_accel_y", "in_accel_z"]
            ),
            (.accelerometer, ["in_accel_x", "in_accel_y", "in_anglvel_z"], nil),
            (.ambientLight, ["in_intensity_both", "in_illuminance"], ["in_illuminance"]),
            (.ambientLight, ["in_intensity_ir", "in_intensity_clear", "in_illuminance_ir"], ["in_intensity_clear"]),
            (.ambientLight, ["in_intensity_ir"], nil),
            (.proximity, ["in_proximity0", "in_proximity1"], ["in_proximity0"]),
            (
                .compass, ["in_rot_from_north_magnetic", "in_rot_from_north_true_tilt_comp"],
                ["in_rot_from_north_true_tilt_comp"]
            ),
            (.compass, ["in_rot_from_north_true", "in_rot_quaternion"], nil),
            (.hinge, ["in_angl0", "in_angl1", "in_accel_x"], ["in_angl0", "in_angl1"]),
        ] as [(SensorKind, [String], [String]?)]
    )
    func `the names of the channels tell what a device measures`(kind: SensorKind, all: [String], channels: [String]?) {
        #expect(kind.channelNames(among: all) == channels)
    }

    @Test func `a device that hangs is named, as far as it is known, with the file that is read`() {
        let progress = DescriptionProgress("iio:device0")
        progress.read("/sys/bus/iio/devices/iio:device0/uevent")
        #expect(progress.device.problem == "/sys/bus/iio/devices/iio:device0/uevent does not answer for 5 s")
        #expect(progress.device.name == "iio:device0" && progress.device.path.isEmpty)
        progress.update { ($0.name, $0.path, $0.kinds) = ("chip", "/sys/devices/a", [.compass]) }
        progress.read("/sys/devices/a/in_rot_scale")
        #expect(progress.device.name == "chip" && progress.device.kinds == [.compass])
        #expect(progress.device.file == "/sys/devices/a/in_rot_scale")
    }
}
