// SPDX-License-Identifier: Apache-2.0

import OrientationSensors
import Testing

@Suite
struct `Sampling rates` {
    @Test(arguments: [
        ("3 6 12 25 50 100\n", SamplingRates.list([3, 6, 12, 25, 50, 100])),
        ("  100.000000 12.5\t1 ", .list([1, 12.5, 100])),
        ("0 10", .list([10])),
        ("[0.5 0.5 100]", .range(minimum: 0.5, step: 0.5, maximum: 100)),
        ("[0 0 100]\n", .range(minimum: 0, step: 0, maximum: 100)),
        ("", .unknown),
        (" \n", .unknown),
        ("fast slow", .unknown),
        ("10 nan", .unknown),
        ("[1 2]", .unknown),
        ("[100 1 10]", .unknown),
        ("[1 -1 10]", .unknown),
        ("[", .unknown),
    ])
    func `are read from a list or a range, else unknown`(text: String, expected: SamplingRates) {
        #expect(SamplingRates(text) == expected)
    }

    @Test(arguments: [
        ("3 6 12 25 50 100", 15, 25),
        ("3 6 12 25 50 100", 25, 25),
        ("1 5 10", 15, 10),
        ("14.999 31.25", 15, 14.999),
        ("14.9 31.25", 15, 31.25),
        ("", 15, 15),
        ("[0.5 0.5 100]", 15, 15),
        ("[1 10 100]", 15, 21),
        ("[1 10 12]", 15, 12),
        ("[0 0 100]", 12.5, 12.5),
        ("[0 0 8]", 12.5, 8),
        ("[20 5 50]", 15, 20),
    ])
    func `give the smallest that is enough, else the highest`(text: String, target: Double, expected: Double) {
        #expect(SamplingRates(text).rate(atLeast: target) == expected)
    }

    @Test(arguments: [
        ("3 6 12 25", 5.2, 12),
        ("3 6 12 25", 10, nil),
        ("3 6 12 25", 100, nil),
        ("1 5", 1, 5),
        ("1 5", 5, nil),
        ("", 1, 10),
        ("", 0, 10),
        ("", 9.99, nil),
        ("", Double.nan, 10),
    ])
    func `raise a slow sensor only`(text: String, current: Double, expected: Double?) {
        #expect(SamplingRates(text).raised(from: current, toAtLeast: 10) == expected)
    }
}
