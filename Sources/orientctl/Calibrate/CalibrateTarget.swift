// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import OrientationSensors
import SystemdBus

/// What is to be calibrated, and how it is read so far.
struct CalibrateTarget {
    /// The driver's name of the chip; empty where there is none.
    let name: String

    /// The device's directory; empty where there is none.
    let sysfsPath: String

    /// The way to the device's axes that is in effect.
    let frame: SensorFrame

    /// Where the matrix in effect is from; empty for none.
    let matrixSource: String

    /// The sign of z while the display faces up, as orientd will take it.
    let faceUp: SensorFrame.FaceUp
    let isFaceUpConfigured: Bool

    /// What hwdb is to compare udev's keys with; nil where udev asks for nothing.
    let match: String?
    let warnings: [String]

    /// Takes an accelerometer, or nothing: for a trace from elsewhere.
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
            warnings.append("the kernel's matrix \(kernel) is not hwdb's \(hwdb), which counts")
        }
        if configuration.convention == .kernel {
            warnings.append("hwdb's matrices are not the kernel's: take Frame=kernel out of orientd.conf for this one")
        }
        if description != nil, match == nil {
            warnings.append("\(sysfsPath) is on no bus that udev asks hwdb for: a record would have no effect")
        }
        self.warnings = warnings
    }

    var canBeInstalled: Bool { match != nil }
}
