// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX
import SystemdBus

/// What is known of a device while it is described, and which of its files is read: the one that hangs has a name.
///
/// The thread that describes the device writes it, the loop reads it.
final class DescriptionProgress: Sendable {
    private let state: Locked<UnansweredDevice>

    init(_ name: String) { state = Locked(UnansweredDevice(name: name)) }

    var device: UnansweredDevice { state.withValue { $0 } }

    func update(_ body: (inout UnansweredDevice) -> Void) { state.withValue { body(&$0) } }

    // MARK: - Reading

    /// Notes the file that is read next.
    func read(_ file: String) { update { $0.file = file } }

    /// Finds a device of this machine, and reads what udev knows of it.
    func device(subsystem: String, name: String) throws(SystemError) -> Device {
        read((subsystem == "input" ? "/sys/class/input/" : "/sys/bus/\(subsystem)/devices/") + name + "/uevent")
        let device = try Device(subsystem: subsystem, name: name)
        // Both are read with the first property.
        _ = device.devnode
        update { $0.path = device.syspath }
        return device
    }

    /// The text of an attribute, without the white space around it.
    func text(of attribute: IIOAttribute) throws(SystemError) -> String {
        read(attribute.path)
        return try attribute.read()
    }

    /// The text of a file of this machine; nil if it cannot be read.
    func text(at path: String, of folder: DeviceFolder) -> String? {
        try? text(of: IIOAttribute(folder: folder, remote: nil, path: path))
    }

    /// The number of an attribute.
    func number(of attribute: IIOAttribute) throws(SystemError) -> Double {
        read(attribute.path)
        return try attribute.readNumber()
    }
}

/// A device whose description does not end, as a read of one of its files hangs.
package struct UnansweredDevice: Hashable, Sendable {
    /// The driver's name of the chip; the kernel's name of the device as long as that is unknown.
    package var name: String
    /// The device's directory; empty as long as it is unknown, and for another machine.
    package var path = ""
    /// What it measures, by the names of its files.
    package var kinds: [SensorKind] = []
    package var location = SensorLocation.unknown
    /// As ``SensorDescription/isSubstitute``.
    package var isSubstitute = false
    /// The file that hangs, or the URI of the other machine.
    package var file = ""

    init(name: String) { self.name = name }

    /// What is wrong, in one line.
    package var problem: String { "\(file) does not answer for \(Int(DeviceMachine.stallTime)) s" }
}
