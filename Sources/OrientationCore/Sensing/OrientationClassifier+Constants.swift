// SPDX-License-Identifier: Apache-2.0

extension OrientationClassifier {
    /// The classifier's constants, as docs/classifier.md explains them; zero turns a rule off.
    ///
    /// With every rule off the result equals the base rule bit for bit.
    public struct Constants: Hashable, Sendable {
        /// The factor by which another axis must exceed the upright one to challenge it: tan(45° + h), 1 if off.
        public var axisRatio: Double

        /// The evidence in seconds that a challenger needs to win (T).
        public var evidenceNeeded: Double

        /// The excess in g over the challenger's threshold at which a sample counts fully (c).
        public var fullExcess: Double

        /// The deviation of the norm from 1 g, in g, at which a sample counts nothing (gate).
        public var normTolerance: Double

        /// The hysteresis in g on either side of the flat threshold (hz).
        public var flatMargin: Double

        /// The most seconds that one sample may count (dtmax).
        public var longestCounted: Double

        /// How long, in seconds, readings must be steady at an implausible norm before that norm becomes the reference.
        public var steadyTime: Double

        /// Creates constants; by default every rule is off.
        public init(
            axisRatio: Double = 1,
            evidenceNeeded: Double = 0,
            fullExcess: Double = 0,
            normTolerance: Double = 0,
            flatMargin: Double = 0,
            longestCounted: Double = 0,
            steadyTime: Double = 0
        ) {
            self.axisRatio = axisRatio
            self.evidenceNeeded = evidenceNeeded
            self.fullExcess = fullExcess
            self.normTolerance = normTolerance
            self.flatMargin = flatMargin
            self.longestCounted = longestCounted
            self.steadyTime = steadyTime
        }

        /// The base rule on every sample.
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
