// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SystemdBus

/// Gathers what is known of one accelerometer, with a warning and a sane default for what makes no sense.
struct AccelerometerDiscovery {
    let context: IIOContext
    let device: IIODevice
    let channels: [IIOChannel]
    let axes: Axes<IIOChannel>
    private(set) var warnings: [String] = []

    init(context: IIOContext, device: IIODevice, channels: [IIOChannel], axes: Axes<IIOChannel>) {
        self.context = context
        self.device = device
        self.channels = channels
        self.axes = axes
    }

    mutating func describe(isProcessed: Bool, canPoll: Bool, hasScans: Bool) -> AccelerometerDescription {
        let id = device.id
        let name = device.name
        let udev = context.isLocal ? try? Device(subsystem: "iio", name: id) : nil
        let (matrix, matrixSource) = matrix(udev)
        return AccelerometerDescription(
            id: id,
            name: name,
            sysfsPath: context.isLocal ? device.path : "",
            devicePath: context.isLocal ? udev?.devnode ?? "/dev/" + id : "",
            location: location(udev),
            offset: isProcessed ? .zero : offset(),
            scale: isProcessed ? Vector3(1, 1, 1) : scale(),
            matrix: matrix,
            matrixSource: matrixSource,
            faceUp: Self.faceUp(name: name),
            canPoll: canPoll,
            canBuffer: hasScans && !isProcessed
        )
    }

    /// The sign of z with the display up, by the driver: negative for HID's and Chromebooks' sensors.
    static func faceUp(name: String) -> SensorFrame.FaceUp {
        name == "accel_3d" || name.utf8.starts(with: "cros-ec".utf8) ? .negativeZ : .positiveZ
    }

    // MARK: - Scale and offset

    private mutating func scale() -> Vector3 {
        Vector3(scale(axes.x), scale(axes.y), scale(axes.z))
    }

    private mutating func scale(_ axis: IIOChannel) -> Double {
        // libiio lists an attribute of the axis before one of the same name that all axes share.
        guard let attribute = axis.attribute("scale") ?? device.attribute("scale") else {
            warn(device.path + "/in_accel_scale: missing, using 1")
            return 1
        }
        return number(attribute, what: "a usable scale", otherwise: 1) { $0 > 0 }
    }

    private mutating func offset() -> Vector3 {
        Vector3(offset(axes.x), offset(axes.y), offset(axes.z))
    }

    private mutating func offset(_ axis: IIOChannel) -> Double {
        guard let attribute = axis.attribute("offset") else { return 0 }
        return number(attribute, what: "a usable offset", otherwise: 0) { _ in true }
    }

    private mutating func number(
        _ attribute: IIOAttribute,
        what: String,
        otherwise substitute: Double,
        where isUsable: (Double) -> Bool
    ) -> Double {
        let instead = ", using " + AttributeText.shortest(substitute)
        do {
            let text = try attribute.read()
            if let number = AttributeText.number(text), isUsable(number) { return number }
            warn(attribute.path + ": " + AttributeText.quoted(text) + " is not " + what + instead)
        } catch {
            warn(attribute.path + ": \(error.errno)" + instead)
        }
        return substitute
    }

    // MARK: - Mount matrix

    private mutating func matrix(_ udev: Device?) -> (MountMatrix, source: String) {
        if let udev, let text = udev.property("ACCEL_MOUNT_MATRIX") {
            return matrix(text, from: "ACCEL_MOUNT_MATRIX of " + device.path)
        }
        // `in_accel_mount_matrix`; `in_mount_matrix`, which libiio takes for the attribute `matrix` of a channel
        // `mount`; `mount_matrix`.
        let odd = channels.first { $0.id == "mount" }
        guard
            let attribute = axes.x.attribute("mount_matrix") ?? odd?.attribute("matrix")
                ?? device.attribute("mount_matrix")
        else { return (.identity, "") }
        do {
            return matrix(try attribute.read(), from: attribute.path)
        } catch {
            warn(attribute.path + ": \(error.errno), using the identity")
            return (.identity, "")
        }
    }

    private mutating func matrix(_ text: String, from source: String) -> (MountMatrix, source: String) {
        let shown = source + ": " + AttributeText.quoted(text)
        guard let rows = AttributeText.matrixRows(text) else {
            warn(shown + " is not a mount matrix, using the identity")
            return (.identity, "")
        }
        let (matrix, verdict) = MountMatrix.repaired(rows.x, rows.y, rows.z)
        switch verdict {
        case .sound:
            return (matrix, source)
        case .thirdRowReplaced:
            warn(shown + " is singular, using the cross product of the first two rows for the third")
            return (matrix, source)
        case .singular:
            warn(shown + " is singular, using the identity")
            return (.identity, "")
        }
    }

    // MARK: - Location

    private mutating func location(_ udev: Device?) -> SensorLocation {
        if let text = udev?.property("ACCEL_LOCATION") {
            if let location = SensorLocation(udev: text) { return location }
            warn(
                "ACCEL_LOCATION of " + device.path + ": " + AttributeText.quoted(text)
                    + " is neither display nor base, ignored"
            )
        }
        if let label = device.label, let location = SensorLocation(label: label) { return location }
        if let text = try? device.attribute("location")?.read(), let location = SensorLocation(attribute: text) {
            return location
        }
        return .unknown
    }

    private mutating func warn(_ line: String) {
        // Three axes that share a file warn once.
        if !warnings.contains(line) { warnings.append(line) }
    }
}
