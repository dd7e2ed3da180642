// SPDX-License-Identifier: Apache-2.0

extension OrientationClassifier {
    /// The classifier's constants, as docs/classifier.md explains them; zero turns a rule off.
    ///
    /// With every rule off the result equals the base rule bit for bit.
    public struct Constants: Hashable, Sendable {
        /// The factor by which another axis must exceed the upright one to challenge it: tan(45° + h), 1 if off.
        public var axisRatio = 1.0
        /// The evidence in seconds that a challenger needs to win (T).
        public var evidenceNeeded = 0.0
        /// The excess in g over the challenger's threshold at which a sample counts fully (c).
        public var fullExcess = 0.0
        /// The deviation of the norm from 1 g, in g, at which a sample counts nothing (gate).
        public var normTolerance = 0.0
        /// The hysteresis in g on either side of the flat threshold (hz).
        public var flatMargin = 0.0
        /// The most seconds that one sample may count (dtmax).
        public var longestCounted = 0.0
        /// The factor by which the upright axis must exceed the other before motion counts: tan(45° + a).
        public var armedRatio = 0.0
        /// The time constant in seconds of the average that motion is measured against.
        public var leadTime = 0.0
        /// The excess in g that counts in advance for each g of motion.
        public var lead = 0.0
        /// The most excess in g that counts in advance.
        public var greatestLead = 0.0
        /// The evidence in seconds that is enough for a turn seen in two samples.
        public var quickEvidence = 0.0
        /// The motion in g, in both of two samples, at which that evidence is enough.
        public var quickMotion = 0.0
        /// The evidence in seconds that is needed in addition after a disturbance of 1 g.
        public var disturbanceEvidence = 0.0
        /// The time constant in seconds with which a disturbance fades.
        public var disturbanceTime = 0.0
        /// How long, in seconds, the slow average must point to another edge to change it.
        public var slowEvidence = 0.0
        /// How long, in seconds, readings must be steady at an implausible norm before that norm becomes the reference.
        public var steadyTime = 0.0

        /// Every rule is off: the base rule on every sample.
        public static let base = Constants()

        /// The default, chosen by replaying labelled traces.
        ///
        /// `longestCounted` is less than `evidenceNeeded`, so a single sample never changes the edge.
        public static let robust = Constants(
            axisRatio: 1.2348971565350515,  // tan(51°)
            evidenceNeeded: 0.10,
            fullExcess: 0.70,
            normTolerance: 0.8,
            flatMargin: 0.02,
            longestCounted: 0.07,
            armedRatio: 1.6642794823505183,  // tan(59°)
            leadTime: 0.20,
            lead: 1.5,
            greatestLead: 0.32,
            quickEvidence: 0.03,
            quickMotion: 0.50,
            disturbanceEvidence: 0.30,
            disturbanceTime: 0.60,
            slowEvidence: 1.5,
            steadyTime: 0.3
        )

        /// Whether a rule needs the norm of gravity.
        var needsNorm: Bool { normTolerance > 0 || steadyTime > 0 || disturbanceTime > 0 || slowEvidence > 0 }
    }
}
