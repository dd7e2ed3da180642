// SPDX-License-Identifier: Apache-2.0

extension OrientationClassifier {
    /// The classifier's constants; each rule is off where its constant is zero.
    ///
    /// With all of them off what remains is the bare rule, bit for bit.
    public struct Constants: Hashable, Sendable {
        /// How many times the upright axis another axis must measure to challenge it: tan(45° + h), 1 when off.
        public var axisRatio: Double

        /// The evidence in seconds that a challenger needs to win (T).
        public var evidenceNeeded: Double

        /// The excess in g over the challenger's threshold from which on a sample counts in full (c).
        public var fullExcess: Double

        /// How far in g from 1 g a sample's norm may be until it counts for nothing (gate).
        public var normTolerance: Double

        /// Half the gap in g around the flat threshold (hz).
        public var flatMargin: Double

        /// The most seconds that one sample may count (dtmax).
        public var longestCounted: Double

        /// How long in seconds readings must be steady at an impossible norm for that norm to become 1 g.
        public var steadyTime: Double

        public init(
            axisRatio: Double,
            evidenceNeeded: Double,
            fullExcess: Double,
            normTolerance: Double,
            flatMargin: Double,
            longestCounted: Double,
            steadyTime: Double
        ) {
            self.axisRatio = axisRatio
            self.evidenceNeeded = evidenceNeeded
            self.fullExcess = fullExcess
            self.normTolerance = normTolerance
            self.flatMargin = flatMargin
            self.longestCounted = longestCounted
            self.steadyTime = steadyTime
        }

        /// The bare rule on every sample.
        public static let base = Constants(
            axisRatio: 1,
            evidenceNeeded: 0,
            fullExcess: 0,
            normTolerance: 0,
            flatMargin: 0,
            longestCounted: 0,
            steadyTime: 0
        )

        /// What the daemon uses: never switched by a single sample, calm at rest and in motion.
        ///
        /// Chosen by replaying labelled traces. `longestCounted` is below `evidenceNeeded`, so that it always takes
        /// two samples to switch.
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
