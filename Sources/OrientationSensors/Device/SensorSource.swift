// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// Where samples come from: an accelerometer, a recording or a simulation.
///
/// Everything happens in the loop. A source is silent until it is started, and after `stop`.
package protocol SensorSource: AnyObject {
    /// Set once, before `start`.
    var onEvent: ((SourceEvent) -> Void)? { get set }

    /// How samples come, or would come if it were started.
    var mode: SensorMode { get }

    /// Samples a second that are to be expected; 0 while unknown.
    var sampleRate: Double { get }

    /// Whether it neither samples nor has anything to restore.
    var isClosed: Bool { get }

    /// Begins to sample; a report of `started` or `failed` follows.
    func start()

    /// Ends sampling and restores the device; a report of `closed` follows, unless ``isClosed`` is true at once.
    func stop()
}

/// What happens to a source.
package enum SourceEvent {
    case sample(AccelerometerSample)
    case report(DeviceReport)
    /// The recording is over: nothing more comes.
    case ended
}
