// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSensors

@Suite
struct `What a raw reading means` {
    private static func description(
        _ traits: SensorTraits,
        offset: Vector3 = .zero,
        scale: Vector3 = Vector3(1, 1, 1)
    ) -> SensorDescription {
        SensorDescription(
            id: "iio:device0",
            name: "chip",
            sysfsPath: "/sys/devices/chip",
            devicePath: "/dev/iio:device0",
            offset: offset,
            scale: scale,
            traits: traits,
            period: nil,
            isSubstitute: false,
            canPoll: true,
            canBuffer: false
        )
    }

    private static let mirrored = MountMatrix(rows: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1))

    private static func accelerometer(
        _ matrix: MountMatrix = .identity,
        from source: String = "",
        in location: SensorLocation = .display,
        measures quantity: SensorFrame.Quantity = .specificForce
    ) -> SensorDescription {
        let mounting = AccelerometerMounting(
            location: location,
            matrix: matrix,
            matrixSource: source,
            quantity: quantity
        )
        return description(.accelerometer(mounting), offset: Vector3(1, 2, 3), scale: Vector3(2, 2, 2))
    }

    @Test(arguments: [
        (accelerometer(), SensorFrame.FaceUp.positiveZ, SensorFrame.FaceUpReason.driver),
        (accelerometer(measures: .gravity), .negativeZ, .driver), (accelerometer(from: "file"), .positiveZ, .matrix),
        (accelerometer(mirrored, from: "file"), .negativeZ, .matrix),
        (accelerometer(mirrored, from: "file", measures: .gravity), .positiveZ, .matrix),
    ])
    func `is acceleration in the device frame, with the sign of z that follows from the matrix`(
        sensor: SensorDescription,
        sign: SensorFrame.FaceUp,
        reason: SensorFrame.FaceUpReason
    ) throws {
        for convention in SensorFrame.Convention.allCases {
            let scaling = sensor.scaling(convention: convention)
            #expect((scaling.frame.faceUp, scaling.frame.faceUpReason) == (sign, reason))
            let matrix = try #require(sensor.mounting?.matrix)
            let z = 12 * (sign == .positiveZ ? 1 : -1) * matrix.z.z
            let side: Double = convention == .desktop ? -1 : 1
            let sample = AccelerometerSample(time: 7, acceleration: Vector3(4 * side, 8 * side, z))
            #expect(scaling.measurement(raw: Vector3(1, 2, 3), time: 7) == .acceleration(sample))
        }
    }

    @Test(arguments: [SensorLocation.display, .unknown, .base])
    func `has the sign of z that is configured for its half`(location: SensorLocation) {
        var configured = PerRole<SensorFrame.FaceUp?>(nil)
        configured[location == .base ? .display : .base] = .negativeZ
        let sensor = Self.accelerometer(in: location)
        #expect(sensor.scaling(faceUp: configured).frame.faceUpReason == .driver)
        configured[location == .base ? .base : .display] = .negativeZ
        let frame = sensor.scaling(faceUp: configured).frame
        #expect((frame.faceUp, frame.faceUpReason) == (.negativeZ, .configured))
    }

    @Test(arguments: [(100.0, 0.0, 1.0, 100.0), (100, 10, 0.5, 55), (0, 0, 0.001, 0)])
    func `is light after the offset and then the scale`(raw: Double, offset: Double, scale: Double, light: Double) {
        let sensor = Self.description(
            .ambientLight(.lux),
            offset: Vector3(offset, 0, 0),
            scale: Vector3(scale, 0, 0)
        )
        #expect(sensor.kind == .ambientLight && sensor.mounting == nil)
        let scaling = sensor.scaling()
        #expect(scaling.measurement(raw: Vector3(raw, 0, 0), time: 0) == .light(level: light, .lux))
    }

    @Test(arguments: [(0.0, 0.0), (359, 359), (360, 0), (361, 1), (725, 5), (-10, 350), (-360, 0)])
    func `is a heading after the offset and then the scale, from 0 to less than 360`(raw: Double, degrees: Double) {
        let sensor = Self.description(.compass, offset: Vector3(10, 0, 0), scale: Vector3(0.5, 0, 0))
        let scaling = sensor.scaling()
        let reading = Vector3(2 * raw - 10, 0, 0)
        #expect(scaling.measurement(raw: reading, time: 0) == .heading(degrees: degrees))
    }

    @Test(arguments: [(0.0, false), (127, false), (128, false), (129, true), (1e6, true)])
    func `is near above the near level, whatever the scale`(raw: Double, isNear: Bool) {
        let sensor = Self.description(.proximity(nearLevel: 128), offset: Vector3(5, 0, 0), scale: Vector3(0.1, 0, 0))
        #expect(sensor.kind == .proximity)
        let scaling = sensor.scaling()
        #expect(scaling.measurement(raw: Vector3(raw, 0, 0), time: 0) == .proximity(isNear: isNear))
    }

    @Test func `stays near until it is below nine tenths of the level`() {
        let scaling = Self.description(.proximity(nearLevel: 100)).scaling()
        var wasNear = false
        for (raw, isNear) in zip([95.0, 101, 99, 90, 89, 95, 100, 101], [0, 1, 1, 1, 0, 0, 0, 1]) {
            let measurement = scaling.measurement(raw: Vector3(raw, 0, 0), time: 0, wasNear: wasNear)
            wasNear = isNear == 1
            #expect(measurement == .proximity(isNear: wasNear))
        }
    }
}
