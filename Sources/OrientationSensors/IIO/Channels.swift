// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// One thing for each channel of a sensor: x, y and z, or the only one there is.
struct Channels<Element> {
    let first: Element
    let others: Others?

    /// The second and the third of three.
    struct Others {
        let second: Element
        let third: Element
    }

    init(_ first: Element) {
        self.first = first
        others = nil
    }

    init(_ first: Element, _ second: Element, _ third: Element) {
        self.first = first
        others = Others(second: second, third: third)
    }

    var all: [Element] {
        guard let others else { return [first] }
        return [first, others.second, others.third]
    }

    func map<Result, Failure: Error>(
        _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> Channels<Result> {
        let result = try transform(first)
        guard let others else { return Channels<Result>(result) }
        return Channels<Result>(result, try transform(others.second), try transform(others.third))
    }

    /// The results for all channels, or nil where one has none.
    func compactMap<Result>(_ transform: (Element) -> Result?) -> Channels<Result>? {
        guard let result = transform(first) else { return nil }
        guard let others else { return Channels<Result>(result) }
        guard let second = transform(others.second), let third = transform(others.third) else { return nil }
        return Channels<Result>(result, second, third)
    }
}

extension Vector3 {
    /// The numbers of up to three channels; those that a sensor of one channel has not got are 0.
    init(_ numbers: Channels<Double>) {
        self.init(numbers.first, numbers.others?.second ?? 0, numbers.others?.third ?? 0)
    }
}
