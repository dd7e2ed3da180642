// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// Where readings come from: a device, a recording or a simulation.
///
/// Everything happens in the loop. A source is silent until it is started, and after `stop`.
package protocol SensorSource: AnyObject {
    /// Who is told; set once, before `start`.
    var onEvent: ((SourceEvent) -> Void)? { get set }

    /// How samples come, or would come if it were started.
    var mode: SensorMode { get }

    /// Samples a second that are to be expected; 0 while unknown.
    var sampleRate: Double { get }

    /// The sign that an accelerometer gives to z, past its mount matrix, while the display faces up.
    var faceUp: SensorFrame.FaceUp { get }

    /// Begins to sample; `.started` or `.failed` follows.
    func start()

    /// Ends sampling and puts the device back as it was; `completion` is called when that is done.
    func stop(completion: @escaping () -> Void)

    /// Goes another way from raw values to measurements from now on; to one that samples it is a new beginning.
    func rescale(to scaling: SensorScaling)
}

extension SensorSource {
    package var faceUp: SensorFrame.FaceUp { .positiveZ }

    /// Does nothing: what is no device has measurements only.
    package func rescale(to scaling: SensorScaling) {}
}

/// What a source has to tell.
package enum SourceEvent {
    /// Sampling has begun, or goes on in another mode; the warnings say what was not as wished.
    case started(warnings: [String])
    case sample(Measurement)
    /// The recording is over: nothing more comes.
    case ended
    /// Sampling has broken off, and why; the source is of no use any more.
    case failed(String)
}
