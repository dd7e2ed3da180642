// SPDX-License-Identifier: Apache-2.0

import OrientationCore

extension SensorKind {
    /// The channels of a device that measure this, or nil where it does not; reads labels.
    func channels(of device: IIODevice) -> [IIOChannel]? {
        guard let names = channelNames(among: device.channelNames) else { return nil }
        let channels = names.map { device.channel($0) }
        guard self == .hinge else { return channels }
        // The hinge sensor has two other angles, of the screen and of the keyboard.
        if channels.count == 1, device.name == "cros-ec-lid-angle" { return channels }
        let hinge = channels.first { channel in
            guard let label = channel.ownAttribute("label") else { return false }
            return (try? device.progress.text(of: label)) == "hinge"
        }
        return hinge.map { [$0] }
    }

    /// The channels among those with the names `all` that measure this, or nil; of a hinge, all that may.
    func channelNames(among all: [String]) -> [String]? {
        func named(_ type: String, _ modifier: String) -> String? {
            all.first { IIOChannel.parts(of: $0) == (type, modifier) }
        }
        switch self {
        case .accelerometer: return ["x", "y", "z"].mapAll { named("accel", $0) }
        case .ambientLight:
            // Illuminance is what eyes see, the other two come near; infrared light and single colours do not.
            let channel =
                named("illuminance", "") ?? named("illuminance", "clear") ?? named("intensity", "both")
                ?? named("intensity", "clear")
            return channel.map { [$0] }
        case .proximity: return all.first { IIOChannel.parts(of: $0).type == "proximity" }.map { [$0] }
        case .compass:
            // Clients expect magnetic north; without compensation, a heading is right only while the device lies flat.
            let channel =
                named("rot", "from_north_magnetic_tilt_comp") ?? named("rot", "from_north_true_tilt_comp")
                ?? named("rot", "from_north_magnetic")
            return channel.map { [$0] }
        case .hinge:
            let angles = all.filter { IIOChannel.parts(of: $0) == ("angl", "") }
            return angles.isEmpty ? nil : angles
        }
    }
}

extension Collection {
    /// The results for all elements; nil where one has none.
    func mapAll<Result>(_ transform: (Element) -> Result?) -> [Result]? {
        let results = compactMap(transform)
        return results.count == count ? results : nil
    }
}

extension Vector3 {
    /// Takes a number for each of up to three channels; what a sensor of one channel lacks is 0.
    init<Channel, Failure: Error>(
        _ channels: [Channel],
        _ number: (Channel) throws(Failure) -> Double
    ) throws(Failure) {
        self.init(
            try number(channels[0]),
            channels.count > 1 ? try number(channels[1]) : 0,
            channels.count > 2 ? try number(channels[2]) : 0
        )
    }
}
