// SPDX-License-Identifier: Apache-2.0

package import SystemdBus

/// An event node of the input subsystem, `/dev/input/event3`.
package enum EventNode {
    /// The bit of a switch that is on while something is near the front of the device.
    static let frontProximity: UInt64 = 1 << 11

    /// The bit of an input device whose axes are those of an accelerometer.
    static let accelerometerProperty: UInt64 = 1 << 6

    /// The kind of sensor that a node is; nil for all that is to be left alone, keyboards for one.
    ///
    /// Opens nothing: udev's properties and what the kernel says of the input device are enough.
    package static func sensorKind(of node: Device) -> SensorKind? {
        guard node.name.utf8.starts(with: "event".utf8), node.devnode != nil else { return nil }
        let words = node.property("IIO_SENSOR_PROXY_TYPE")?.utf8.split(separator: UInt8(ascii: " ")) ?? []
        if words.contains(where: { $0.elementsEqual("input-accel".utf8) }) { return .accelerometer }
        if node.property("ID_INPUT_ACCELEROMETER") == "1", !isPluggedIn(node) { return .accelerometer }
        guard node.property("ID_INPUT_KEYBOARD") != "1" else { return nil }
        return bits("capabilities/sw", of: node) & frontProximity != 0 ? .proximity : nil
    }

    /// Says whether it is on a cable or on the air: the accelerometer of a gamepad says nothing about the screen.
    private static func isPluggedIn(_ node: Device) -> Bool {
        let usb = 0x03, bluetooth = 0x05
        guard let text = node.parent?.attribute("id/bustype"), let bus = Int(text, radix: 16) else { return false }
        return bus == usb || bus == bluetooth
    }

    /// The lowest bits of one of the kernel's bitmaps about the input device of a node; 0 where there is none.
    static func bits(_ attribute: String, of node: Device) -> UInt64 {
        guard let text = node.parent?.attribute(attribute) else { return 0 }
        return bits(text)
    }

    /// The lowest bits of a bitmap: words in hexadecimal, of which the last is the lowest.
    static func bits(_ text: String) -> UInt64 {
        guard let lowest = text.utf8.split(separator: UInt8(ascii: " ")).last else { return 0 }
        return UInt64(String(Substring(lowest)), radix: 16) ?? 0
    }

    /// The name of the input device: `ST LIS3LV02DL Accelerometer`; else the node's own.
    static func deviceName(of node: Device) -> String {
        node.parent?.attribute("name") ?? node.name
    }

    /// Opens a node; reading events from it never waits.
    static func open(_ path: String) throws(IIOError) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor.open(withoutWaiting: path)
        } catch {
            throw IIOError(error)
        }
    }
}
