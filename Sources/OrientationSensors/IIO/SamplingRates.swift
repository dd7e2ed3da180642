// SPDX-License-Identifier: Apache-2.0

import POSIX

/// The sampling rates that a sensor offers, in Hz: its `sampling_frequency_available`.
package enum SamplingRates: Hashable, Sendable {
    /// There is no list, or an invalid one.
    case unknown

    /// One or more rates, rising.
    case list([Double])

    /// Every `step` from `minimum` to `maximum`; a step of 0 is any rate between them.
    case range(minimum: Double, step: Double, maximum: Double)

    /// Reads the kernel's text: `3 6 12.5 25`, or `[minimum step maximum]`.
    package init(_ text: String) {
        let body = trimmed(text.utf8)
        guard body.first == UInt8(ascii: "["), body.last == UInt8(ascii: "]") else {
            let rates = (AttributeText.numbers(text) ?? []).filter { $0 > 0 }.sorted()
            self = rates.isEmpty ? .unknown : .list(rates)
            return
        }
        let range = AttributeText.numbers(String(Substring(body.dropFirst().dropLast()))) ?? []
        let isValid = range.count == 3 && range[0] >= 0 && range[1] >= 0 && range[2] > 0 && range[2] >= range[0]
        self = isValid ? .range(minimum: range[0], step: range[1], maximum: range[2]) : .unknown
    }

    /// The rate to ask for where at least `target` Hz are wanted: the smallest offered that is, else the highest.
    ///
    /// An offered rate up to 0.1 % lower counts, as drivers round (`14.999`). Without a list it is `target` itself.
    package func rate(atLeast target: Double) -> Double {
        let enough = target * 0.999
        switch self {
        case .unknown:
            return target
        case .list(let rates):
            return rates.first { $0 >= enough } ?? rates.last ?? target
        case .range(let minimum, let step, let maximum):
            guard target > minimum else { return minimum > 0 ? minimum : min(target, maximum) }
            guard step > 0 else { return min(target, maximum) }
            let steps = ((enough - minimum) / step).rounded(.up)
            return min(minimum + steps * step, maximum)
        }
    }

    /// The rate to raise a slow sensor to, or nil where `current` is at least `minimum` Hz already.
    package func raised(from current: Double, toAtLeast minimum: Double) -> Double? {
        guard !(current >= minimum * 0.999) else { return nil }
        let rate = rate(atLeast: minimum)
        return current >= rate ? nil : rate
    }
}
