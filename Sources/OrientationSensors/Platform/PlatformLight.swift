// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// The light sensors of a MacBook, left and right, in one attribute of its platform device.
final class PlatformLight: SensorDevice, Sendable {
    /// Its text is `(LEFT,RIGHT)`, each from 0 to 255.
    static let attribute = "light"

    let description: SensorDescription
    let warnings: [String] = []
    private let path: String

    /// Describes the light sensor of a device; nil where the attribute has another format.
    init?(_ device: Device, _ progress: DescriptionProgress) {
        path = device.syspath + "/" + Self.attribute
        progress.read(path)
        guard let text = device.attribute(Self.attribute), Self.brightness(text) != nil else { return nil }
        description = SensorDescription(
            id: device.name,
            name: device.name,
            sysfsPath: device.syspath,
            scale: Vector3(100.0 / 255, 0, 0),
            traits: .ambientLight(.vendor),
            period: 0.25,
            isSubstitute: true,
            canPoll: true,
            canBuffer: false
        )
    }

    func read() throws(SystemError) -> Vector3 {
        let bytes = try FileDescriptor.contents(of: path, limit: 64)
        guard let brightness = Self.brightness(String(decoding: bytes, as: UTF8.self)) else {
            throw SystemError("make two numbers of", path, errno: .invalid)
        }
        return Vector3(brightness, 0, 0)
    }

    /// The brighter side, as a hand can cover one; nil for any other text than `(LEFT,RIGHT)`.
    static func brightness(_ text: String) -> Double? {
        let body = trimmed(text.utf8)
        guard body.first == UInt8(ascii: "("), body.last == UInt8(ascii: ")") else { return nil }
        let sides = AttributeText.numbers(betweenCommas: body.dropFirst().dropLast())
        return sides?.count == 2 ? sides?.max() : nil
    }
}
