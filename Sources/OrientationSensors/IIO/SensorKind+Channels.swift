// SPDX-License-Identifier: Apache-2.0

import CIIO
import OrientationCore

extension SensorKind {
    /// The channels of a device that measure this, or nil where it does not.
    func channels(among inputs: [IIOChannel]) -> [IIOChannel]? {
        switch self {
        case .accelerometer:
            return [IIO_MOD_X, IIO_MOD_Y, IIO_MOD_Z].mapAll { axis in
                inputs.first { $0.type == IIO_ACCEL && $0.modifier == axis }
            }
        case .ambientLight:
            // Illuminance is what eyes see, the other two come near; infrared light and single colours do not.
            let channel =
                inputs.first { $0.type == IIO_LIGHT && $0.modifier == IIO_NO_MOD }
                ?? inputs.first { $0.type == IIO_LIGHT && $0.modifier == IIO_MOD_LIGHT_CLEAR }
                ?? inputs.first { $0.type == IIO_INTENSITY && $0.modifier == IIO_MOD_LIGHT_BOTH }
                ?? inputs.first { $0.type == IIO_INTENSITY && $0.modifier == IIO_MOD_LIGHT_CLEAR }
            return channel.map { [$0] }
        case .proximity:
            return inputs.first { $0.type == IIO_PROXIMITY }.map { [$0] }
        case .compass:
            // Clients expect magnetic north; without compensation, a heading is right only while the device lies flat.
            let headings = inputs.filter { $0.type == IIO_ROT }
            let channel =
                compensated(IIO_MOD_NORTH_MAGN_TILT_COMP, IIO_MOD_NORTH_MAGN, among: headings)
                ?? compensated(IIO_MOD_NORTH_TRUE_TILT_COMP, IIO_MOD_NORTH_TRUE, among: headings)
                ?? headings.first { $0.modifier == IIO_MOD_NORTH_MAGN }
            return channel.map { [$0] }
        case .hinge:
            // The hinge sensor has two other angles, of the screen and of the keyboard.
            let angles = inputs.filter { $0.type == IIO_ANGL }
            let isChromebook = angles.count == 1 && angles[0].device.name == "cros-ec-lid-angle"
            let channel = isChromebook ? angles[0] : angles.first { (try? $0.attribute("label")?.read()) == "hinge" }
            return channel.map { [$0] }
        }
    }

    /// The heading from one north that makes up for the tilt.
    ///
    /// libiio 0.24 knows the modifiers for it but takes the shorter one, and the rest for a name or an attribute.
    private func compensated(
        _ modifier: iio_modifier,
        _ shorter: iio_modifier,
        among headings: [IIOChannel]
    ) -> IIOChannel? {
        let tolerated = headings.filter { $0.modifier == shorter }
        return headings.first { $0.modifier == modifier }
            ?? tolerated.first { $0.name == "tilt_comp" }
            ?? tolerated.compactMap { $0.compensated }.first
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
