// SPDX-License-Identifier: Apache-2.0

/// When something counts as near, by the readings of a proximity sensor; these grow as it comes nearer.
///
/// Near is a reading above the level, at once, as the level is meant. What is near stays so down to nine tenths of
/// it: noise about the level must not turn the screen of a phone at the ear on and off.
package struct NearRule: Hashable, Sendable {
    private let level: Double
    private var isNear = false

    init(level: Double) {
        self.level = level
    }

    /// Takes the next reading.
    mutating func isNear(_ reading: Double) -> Bool {
        isNear = isNear ? reading >= 0.9 * level : reading > level
        return isNear
    }
}
