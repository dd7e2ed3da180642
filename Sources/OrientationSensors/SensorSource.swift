// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// Where readings come from: a device, a recording or a simulation.
///
/// Everything happens in the loop. A source is silent until it is started, and after `stop`.
package protocol SensorSource: AnyObject {
    /// Set once, before `start`.
    var onEvent: ((SourceEvent) -> Void)? { get set }

    /// How samples come, or would come if it were started.
    var mode: SensorMode { get }

    /// Samples a second that are to be expected; 0 while unknown.
    var sampleRate: Double { get }

    /// The sign that an accelerometer gives to z, past its mount matrix, while the display faces up.
    var faceUp: SensorFrame.FaceUp { get }

    /// How many failed readings were skipped.
    var skippedReadings: Int { get }

    /// Begins to sample; `.started` or `.failed` follows.
    func start()

    /// Ends sampling and restores the device; `completion` is called when that is done.
    func stop(completion: @escaping () -> Void)

    /// Reads as closely as asked for, from now until it is started again, which begins with ``Sensing/stream``.
    func sense(_ sensing: Sensing)

    /// Delivers samples that were read already and wait for others.
    func deliverWaiting()

    /// Replaces the scaling; a running source restarts its stream.
    func rescale(to scaling: SensorScaling)

    /// Closes the device, if it is open, and uses the one that a later scan found at the same path from then on.
    func replaceDevice(by device: any SensorDevice, scaling: SensorScaling, helper: DeviceHelper)

    /// Closes the device, which was unplugged, and ends its helper.
    func removeDevice()
}

/// The defaults of recordings and simulations, which have no device.
extension SensorSource {
    package var faceUp: SensorFrame.FaceUp { .positiveZ }
    package var skippedReadings: Int { 0 }
    package func sense(_ sensing: Sensing) {}
    package func deliverWaiting() {}
    package func rescale(to scaling: SensorScaling) {}
    package func replaceDevice(by device: any SensorDevice, scaling: SensorScaling, helper: DeviceHelper) {}
    package func removeDevice() { stop {} }
}

/// What happens to a source.
package enum SourceEvent {
    /// Sampling has begun, or goes on in another mode; the warnings say what went wrong on the way.
    case started(warnings: [String])
    case sample(Measurement)
    /// The device hangs, and for how long; samples may come again.
    case stalled(String)
    /// The device no longer reports anything; starting it again may help.
    case silent(String)
    /// The recording is over: nothing more comes.
    case ended
    /// Sampling was broken off, and why.
    case failed(String)
}
