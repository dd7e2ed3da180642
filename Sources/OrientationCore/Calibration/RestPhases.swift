// SPDX-License-Identifier: Apache-2.0

/// Finds the rests in a recording; each has another direction than the one before.
public struct RestPhases: Sendable {
    /// A rest of the device.
    public struct Phase: Hashable, Sendable {
        /// When `RestDetector.restTime` had passed, in seconds.
        public let time: Double
        public let reading: Vector3
    }

    /// The cosine of 30°; a smaller angle counts as the same pose again.
    private static let samePose = 0.8660254037844386

    public private(set) var phases: [Phase] = []

    private var detector = RestDetector()

    public init() {}

    /// Adds the next reading of the recording.
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
