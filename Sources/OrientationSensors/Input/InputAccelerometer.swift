// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX
import SystemdBus

/// An accelerometer that the kernel offers as an input device.
// Sendable unchecked: the helper makes every call, and the descriptor alone changes.
final class InputAccelerometer: SensorDevice, @unchecked Sendable {
    /// Units in 1 g by default: what drivers before INPUT_PROP_ACCELEROMETER used.
    private static let usualResolution = 256.0

    let description: SensorDescription
    let warnings: [String]
    private var descriptor: FileDescriptor?

    /// Describes the accelerometer of an event node; nil for a node without a file.
    init?(_ node: Device, _ progress: DescriptionProgress) {
        guard let path = node.devnode else { return nil }
        let name = EventNode.deviceName(of: node)
        var warnings: [String] = []
        let mounting = AccelerometerMounting(path: node.syspath, name: name, udev: node, progress, warnings: &warnings)
        progress.read(path)
        var resolutions = Vector3.zero
        if EventNode.bits("properties", of: node) & EventNode.accelerometerProperty != 0 {
            do throws(SystemError) {
                let file = try FileDescriptor.open(withoutWaiting: path)
                resolutions = try Self.axes(of: file, path) { Double($0.resolution) }
            } catch {
                warnings.append("\(error), using \(AttributeText.shortest(Self.usualResolution)) units in 1 g")
            }
        }
        description = SensorDescription(
            id: node.name,
            name: name,
            sysfsPath: node.syspath,
            devicePath: path,
            scale: Vector3(
                Self.scale(resolution: resolutions.x),
                Self.scale(resolution: resolutions.y),
                Self.scale(resolution: resolutions.z)
            ),
            hasScale: min(resolutions.x, resolutions.y, resolutions.z) > 0,
            traits: .accelerometer(mounting),
            isSubstitute: true,
            canPoll: true,
            canBuffer: false
        )
        self.warnings = warnings
    }

    func read() throws(SystemError) -> Vector3 {
        let path = description.devicePath
        let file = if let descriptor { descriptor } else { try FileDescriptor.open(withoutWaiting: path) }
        descriptor = file
        // The state, not the events: these may end before the device is still.
        return try Self.axes(of: file, path) { Double($0.value) }
    }

    /// The `value` of the state of each of the three axes.
    private static func axes(
        of file: FileDescriptor,
        _ path: String,
        _ value: (input_absinfo) -> Double
    ) throws(SystemError) -> Vector3 {
        func read(_ axis: Int32) throws(SystemError) -> Double {
            var info = input_absinfo()
            guard orientd_read_axis(file.rawValue, UInt32(axis), &info) >= 0 else {
                throw SystemError("read", path, errno: Errno.current)
            }
            return value(info)
        }
        return Vector3(try read(ABS_X), try read(ABS_Y), try read(ABS_Z))
    }

    /// The m/s² in a unit, for a resolution in units per g; 0 means unknown.
    static func scale(resolution: Double) -> Double {
        9.80665 / (resolution > 0 ? resolution : usualResolution)
    }

    /// The node, which has an event for each axis that changes by more than the device's fuzz.
    var changeDescriptor: Int32? { descriptor?.rawValue }

    func forgetChanges() {
        guard let descriptor else { return }
        withUnsafeTemporaryAllocation(of: input_event.self, capacity: 64) { events in
            let size = events.count * MemoryLayout<input_event>.stride
            while CLinux.read(descriptor.rawValue, events.baseAddress, size) == size {}
        }
    }

    /// Closes the node: the driver lets the chip sleep when nobody has it open.
    func endReading() { descriptor = nil }
}
