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

    /// The frame of an accelerometer.
    var frame: SensorFrame { get }

    /// Whether it neither samples nor has anything to restore.
    var isClosed: Bool { get }

    /// Begins to sample; a report of `started` or `failed` follows.
    func start()

    /// Ends sampling and restores the device; a report of `closed` follows, unless ``isClosed`` is true at once.
    func stop()

    /// Sets the sensing level; sampling begins with ``Sensing/stream``.
    func sense(_ sensing: Sensing)

    /// Delivers samples that were read already and wait for others.
    func deliverWaiting()

    /// Replaces the scaling; a running source restarts its stream.
    func rescale(to scaling: SensorScaling)

    /// Closes the device, if it is open, and uses the one that a later scan found at the same path from then on.
    ///
    /// It is read at `rate` Hz.
    func find(_ device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread)

    /// Reports a failure: the device was found, but cannot be described.
    func failToDescribe(_ reason: String)

    /// Forgets the device, which was unplugged.
    func removeDevice()
}

/// The defaults of recordings and simulations, which have no device.
extension SensorSource {
    package var frame: SensorFrame { SensorFrame() }
    package func sense(_ sensing: Sensing) {}
    package func deliverWaiting() {}
    package func rescale(to scaling: SensorScaling) {}
    package func find(_ device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread) {}
    package func failToDescribe(_ reason: String) {}
    package func removeDevice() { stop() }
}

/// What happens to a source.
package enum SourceEvent {
    case sample(Measurement)
    case report(DeviceReport)
    /// The recording is over: nothing more comes.
    case ended
}
