// SPDX-License-Identifier: Apache-2.0

/// The rests in a recording, each told from the one before by another direction.
public struct RestPhases: Sendable {
    /// A time, in seconds, at which the device was still, and what it read then.
    public struct Phase: Hashable, Sendable {
        /// When it had been still for long enough.
        public let time: Double
        public let reading: Vector3
    }

    /// The cosine of 30°: less apart, it is the same pose, held again.
    private static let samePose = 0.8660254037844386

    public private(set) var phases: [Phase] = []

    private var detector = RestDetector()

    public init() {}

    /// Takes the next reading of the recording.
    public mutating func update(_ reading: Vector3, at time: Double) {
        detector.update(reading, at: time)
        guard let rest = detector.reading else { return }
        if let last = phases.last?.reading {
            let cosine = rest.dot(last) / (rest.magnitude * last.magnitude)
            guard cosine < Self.samePose else { return }
        }
        phases.append(Phase(time: time, reading: rest))
    }
}
