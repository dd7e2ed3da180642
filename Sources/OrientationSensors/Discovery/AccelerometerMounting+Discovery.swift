// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
package import SystemdBus

extension AccelerometerMounting {
    /// Finds out how an accelerometer is mounted, with a warning for each value that is not used as it is.
    ///
    /// udev's properties come first, then the kernel's files. `path` is the device's directory, for messages; `name` is
    /// the driver's name of the chip.
    init(
        path: String,
        name: String,
        udev: Device?,
        matrixFile: IIOAttribute? = nil,
        label: String? = nil,
        locationFile: IIOAttribute? = nil,
        _ progress: DescriptionProgress,
        warnings: inout [String]
    ) {
        // First: it tells which sensor hangs, should the rest hang.
        location = Self.location(of: path, udev, label, locationFile, progress, &warnings)
        let location = location
        progress.update { $0.location = location }
        var search = MatrixSearch()
        // As elsewhere in udev, an empty property is none.
        if let text = udev?.property("ACCEL_MOUNT_MATRIX"), !text.isEmpty {
            search.add(text, from: "ACCEL_MOUNT_MATRIX of " + path)
        }
        if search.isOpen, let matrixFile {
            do {
                search.add(try progress.text(of: matrixFile), from: matrixFile.path)
            } catch {
                search.addUnreadable(matrixFile.path + ": \(error.errno)")
            }
        }
        (matrix, matrixSource) = search.end()
        warnings += search.warnings
        // The kernel's driver for HID sensor hubs, which pass on what Windows expects.
        quantity = name == "accel_3d" ? .gravity : .specificForce
    }

    /// Why an IIO accelerometer is not used; nil for one that is.
    ///
    /// Those of plugged-in cameras have turned displays: librealsense#6941, #8496 and others.
    package static func exclusion(of device: Device) -> String? {
        let isKnown = ["ACCEL_LOCATION", "ACCEL_MOUNT_MATRIX"].contains { device.property($0) != nil }
        // At a port for people to plug things in, as the firmware says.
        let port = device.nearest { $0.subsystem == "usb" && $0.attribute("removable") == "removable" }
        guard port != nil, !isKnown, SensorLocation(label: device.attribute("label") ?? "") == nil else {
            return nil
        }
        return "plugged in by USB, it is a camera's or the like, unless ACCEL_LOCATION is set"
    }

    private static func location(
        of path: String,
        _ udev: Device?,
        _ label: String?,
        _ file: IIOAttribute?,
        _ progress: DescriptionProgress,
        _ warnings: inout [String]
    ) -> SensorLocation {
        if let text = udev?.property("ACCEL_LOCATION") {
            if let location = SensorLocation(udev: text) { return location }
            let shown = "ACCEL_LOCATION of " + path + ": " + AttributeText.quoted(text)
            warnings.append(shown + " is neither display nor base, ignored")
        }
        if let label, let location = SensorLocation(label: label) { return location }
        if let file, let text = try? progress.text(of: file), let location = SensorLocation(attribute: text) {
            return location
        }
        return .unknown
    }
}

/// Takes the first usable mount matrix of several sources; one that must be repaired only if no other is usable.
struct MatrixSearch {
    private(set) var warnings: [String] = []
    private var found: (matrix: MountMatrix, source: String)?
    private var repaired: (matrix: MountMatrix, source: String)?
    /// What is wrong with the sources so far; that of the repaired matrix has its own end of the sentence.
    private var problems: [(text: String, isRepaired: Bool)] = []

    /// Whether no source was usable as it is.
    var isOpen: Bool { found == nil }

    /// Adds the next source in order, which is ignored once one was usable.
    mutating func add(_ text: String, from source: String) {
        guard isOpen else { return }
        let shown = source + ": " + AttributeText.quoted(text)
        guard let rows = AttributeText.matrixRows(text) else { return addUnreadable(shown + " is not a mount matrix") }
        let (matrix, verdict) = MountMatrix.repaired(rows.x, rows.y, rows.z)
        switch verdict {
        // Drivers report the identity where the firmware has no matrix.
        case .sound where repaired != nil && matrix == .identity: return
        case .sound: found = (matrix, source)
        case .thirdRowReplaced where repaired == nil:
            repaired = (matrix, source)
            problems.append((shown + " is singular", isRepaired: true))
        case .thirdRowReplaced, .singular: return addUnreadable(shown + " is singular")
        }
        if !rows.rest.isEmpty {
            warnings.append(source + ": ignored " + AttributeText.quoted(rows.rest) + " behind the mount matrix")
        }
    }

    /// Adds a source without a usable matrix.
    mutating func addUnreadable(_ problem: String) {
        if isOpen { problems.append((problem, isRepaired: false)) }
    }

    /// Returns the matrix to use and its source, which is empty for the identity in place of a matrix.
    mutating func end() -> (MountMatrix, source: String) {
        let used = found ?? repaired ?? (.identity, "")
        let instead = used.source.isEmpty ? "the identity" : used.source
        for problem in problems {
            let repair = "the cross product of the first two rows for the third"
            warnings.append(problem.text + ", using " + (problem.isRepaired && isOpen ? repair : instead))
        }
        return used
    }
}
