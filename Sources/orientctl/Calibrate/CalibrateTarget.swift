// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import OrientationSensors
import SystemdBus

/// The accelerometer to calibrate, and the settings in effect for it.
struct CalibrateTarget {
    /// The driver's name of the chip; empty if unknown.
    let name: String

    /// The device's directory; empty if unknown.
    let sysfsPath: String

    /// The frame in effect, which maps readings to the device's axes.
    let frame: SensorFrame

    /// The source of the matrix in effect; empty for none.
    let matrixSource: String

    /// The sign of z while the display faces up, as orientd uses it.
    let faceUp: SensorFrame.FaceUp
    let isFaceUpConfigured: Bool

    /// The glob of the hwdb record; nil where udev does not look the sensor up.
    let match: String?
    let warnings: [String]

    /// Describes an accelerometer, or none: for a trace from another machine.
    init(_ description: SensorDescription?, _ configuration: Configuration) {
        name = description?.name ?? ""
        sysfsPath = description?.sysfsPath ?? ""
        let scaling = description?.scaling(convention: configuration.convention, faceUp: configuration.faceUp)
        var frame = if case .acceleration(let frame)? = scaling { frame } else { SensorFrame() }
        // Readings are scaled already.
        (frame.offset, frame.scale) = (.zero, Vector3(1, 1, 1))
        self.frame = frame
        matrixSource = description?.mounting?.matrixSource ?? ""
        faceUp = configuration.faceUp ?? description?.mounting?.faceUp ?? .positiveZ
        isFaceUpConfigured = configuration.faceUp != nil

        let device = description.flatMap { try? Device(syspath: $0.sysfsPath) }
        match = device.flatMap { HwdbEntry.match(for: $0) }
        var warnings: [String] = []
        let sources = device.map { MatrixSources(of: $0) }
        if let sources, let hwdb = sources.hwdb, let kernel = sources.kernel, sources.areInConflict {
            warnings.append("the kernel's matrix \(kernel) differs from hwdb's \(hwdb), which is used")
        }
        if configuration.convention == .kernel {
            let problem = "hwdb's matrices use another convention than the kernel's"
            warnings.append("\(problem): remove Frame=kernel from orientd.conf")
        }
        if description != nil, match == nil {
            warnings.append("\(sysfsPath) is on a bus that udev does not look up in hwdb: a record has no effect")
        }
        self.warnings = warnings
    }
}
