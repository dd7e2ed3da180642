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
            fullExcess: 0.40,
            normTolerance: 0.8,
            flatMargin: 0.02,
            longestCounted: 0.07,
            steadyTime: 0.3
        )
    }
}
