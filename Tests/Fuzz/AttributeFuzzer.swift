// SPDX-License-Identifier: Apache-2.0

@testable import OrientationCore
@testable import OrientationSensors

/// The texts of sysfs attributes and udev's properties: numbers, mount matrices, rates, places, light.
enum AttributeFuzzer {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let number = AttributeText.number(text) {
            precondition(number.isFinite && AttributeText.number(AttributeText.shortest(number)) == number)
        }
        precondition(AttributeText.numbers(text)?.allSatisfy { $0.isFinite } ?? true)
        precondition(AttributeText.quoted(text).utf8.count <= 85)
        precondition(AttributeText.name(text).unicodeScalars.count <= 80)
        if let brightness = PlatformLight.brightness(text) { precondition(brightness.isFinite) }
        _ = SensorLocation(udev: text)
        _ = SensorLocation(label: text)
        _ = SensorLocation(attribute: text)
        check(SamplingRates(text))
        _ = IIOChannel.parts(of: text)
        if let element = ScanElement(text, index: 0) { precondition((1...64).contains(element.byteCount)) }
        if let rows = AttributeText.matrixRows(text) { check(MountMatrix.repaired(rows.x, rows.y, rows.z).matrix) }
    }

    private static func check(_ rates: SamplingRates) {
        for target in [0.1, 1, 15, 100, 1000] {
            let rate = rates.rate(atLeast: target)
            precondition(rate.isFinite && rate > 0)
            if let raised = rates.raised(from: target / 2, toAtLeast: target) { precondition(raised > target / 2) }
        }
    }

    private static func check(_ matrix: MountMatrix) {
        precondition(matrix.elements.allSatisfy { $0.isFinite })
        // Gravity of 1 g, along each axis of a chip in use, is a reading that the tracker must survive.
        var tracker = OrientationTracker(naturalOrientation: .portrait, constants: .robust, reportsFace: true)
        tracker.begin(samplePeriod: 0.1, faceUp: .positiveZ)
        for (index, axis) in [Vector3(9.81, 0, 0), Vector3(0, 9.81, 0), Vector3(0, 0, 9.81)].enumerated() {
            let reading = matrix.applied(to: axis)
            tracker.add(AccelerometerSample(time: Double(index), acceleration: reading))
            precondition(tracker.gravity.isFinite)
        }
    }
}
