// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

extension FoundDevice {
    /// A device that a scan described, and that is read at `rate` Hz.
    package init(_ description: SensorDescription, _ scaling: SensorScaling, rate: Double) {
        self.init()
        kind = description.kind
        location = description.mounting?.location ?? .unknown
        name = description.name
        path = description.sysfsPath
        isSubstitute = description.isSubstitute
        canBuffer = description.canBuffer
        canPoll = description.canPoll
        self.rate = rate
        guard case .acceleration(let frame) = scaling else { return }
        faceUp = frame.faceUp
        faceUpReason = frame.faceUpReason
    }

    /// A sensor of a device that does not answer.
    package init(_ kind: SensorKind, of device: UnansweredDevice, rate: Double) {
        self.init()
        self.kind = kind
        location = device.location
        name = device.name
        path = device.path
        isSubstitute = device.isSubstitute
        self.rate = rate
        isDescribed = false
    }
}
