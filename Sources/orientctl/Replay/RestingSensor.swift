// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// A simulated sensor that leaves out the samples of a trace that the daemon would not get at rest.
struct RestingSensor {
    enum Kind: String, NamedValue {
        /// A sensor hub that honours its change sensitivity.
        case hub
        case polled

        var sampling: Sampling { Sampling(rate: 15, mayFallSilent: self == .hub, faceUp: .positiveZ) }
    }

    var sensing = Sensing.stream

    private let kind: Kind
    private var last: AccelerometerSample?
    private var lastRead = -Double.infinity

    init(_ kind: Kind) { self.kind = kind }

    /// Whether the next sample of the trace reaches the machine.
    mutating func reports(_ sample: AccelerometerSample) -> Bool {
        guard let period = sensing.period else {
            last = sample
            lastRead = sample.time
            return true
        }
        switch kind {
        case .hub:
            var change = sensing
            if let last {
                change.reference = last.acceleration
                change.threshold = sensing.sensitivity
            }
            guard change.showsMotion(sample.acceleration) else { return false }
        case .polled:
            // The samples of a trace come at times of their own.
            guard sample.time - lastRead >= period - 1e-6 else { return false }
            lastRead = sample.time
            guard sensing.showsMotion(sample.acceleration) else { return false }
        }
        last = sample
        return true
    }
}
