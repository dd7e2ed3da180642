// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX
import SystemdBus

/// A device that may be a sensor, or all those of another machine: what one job describes.
enum SensorCandidate: Hashable, Sendable {
    /// Of IIO, by its kernel name.
    case iio(String)
    /// An event node of the input subsystem.
    case input(String)
    /// A platform device with the file of a light sensor.
    case platform(String)
    /// The URI of another machine.
    case machine(String)

    /// The kernel's name, or the URI.
    var name: String {
        switch self {
        case .iio(let name), .input(let name), .platform(let name), .machine(let name): name
        }
    }

    /// All at a URI, `local:` or another, in the order in which sensors are preferred.
    ///
    /// Reads no file of a device, so that none can delay it.
    static func all(at uri: String) throws(SystemError) -> [SensorCandidate] {
        guard uri == "local:" else { return [.machine(uri)] }
        // Only triggers have a name that tells that they are none; a mocked device may have any.
        let iio = try named("iio") { _, name in !name.begins(with: "trigger") }
        let input = try named("input") { _, name in name.begins(with: "event") }
        let platform = try named("platform") { folder, name in
            FileDescriptor.inode(of: folder + name + "/" + PlatformLight.attribute) != nil
        }
        return iio.map { .iio($0) } + input.map { .input($0) } + platform.map { .platform($0) }
    }

    private static func named(
        _ subsystem: String,
        where isCandidate: (_ folder: String, _ name: String) -> Bool
    ) throws(SystemError) -> [String] {
        let names = try Device.entries(ofSubsystem: subsystem).filter(isCandidate).map { $0.name }
        // By number: device2 before device10.
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// Describes the sensors of those kinds, with warnings; reads files, so it can block.
    ///
    /// Throws for another machine only.
    func describe(_ kinds: [SensorKind], _ progress: DescriptionProgress) throws(SystemError) -> FoundSensors {
        var found = FoundSensors()
        do throws(SystemError) {
            switch self {
            case .iio(let name): try IIODevice(name, progress).addSensors(of: kinds, to: &found)
            case .input(let name):
                let node = try progress.device(subsystem: "input", name: name)
                guard let kind = EventNode.sensorKind(of: node), kinds.contains(kind) else { break }
                progress.update {
                    $0.kinds = [kind]
                    $0.isSubstitute = true
                    $0.name = EventNode.deviceName(of: node)
                }
                let sensor: (any SensorDevice)? =
                    kind == .proximity ? ProximitySwitch(node) : InputAccelerometer(node, progress)
                if let sensor { found.sensors.append(sensor) }
            case .platform(let name):
                guard kinds.contains(.ambientLight) else { break }
                progress.update {
                    $0.kinds = [.ambientLight]
                    $0.isSubstitute = true
                }
                let device = try progress.device(subsystem: "platform", name: name)
                if let sensor = PlatformLight(device, progress) { found.sensors.append(sensor) }
            case .machine(let uri):
                progress.read(uri)
                return try IIOContext(uri: uri).sensors(of: kinds, progress)
            }
        } catch {
            if case .machine = self { throw error }
            // It may have been unplugged meanwhile.
            if error.errno != .notFound, error.errno != .noDevice { found.warnings.append("\(error)") }
        }
        return found
    }
}
