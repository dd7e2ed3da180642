// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct NoiseRunTests {
    private func isNoise(_ reports: Int, every gap: Double) -> Bool {
        var run = NoiseRun()
        for number in 1...reports { run.add(at: 100 + gap * Double(number)) }
        return run.isNoise
    }

    @Test("thirty reports without a pause are noise")
    func frequent() {
        #expect(!isNoise(29, every: 1))
        #expect(isNoise(30, every: 1))
    }

    @Test("reports that are rarer than readings by timer are no noise")
    func rare() {
        // A sensor with some noise was read 100 times a minute, because it reported a change every few seconds.
        #expect(!isNoise(1000, every: 2))
    }

    @Test("a pause begins a new run")
    func pause() {
        var run = NoiseRun()
        for number in 0..<29 { run.add(at: Double(number)) }
        run.add(at: 40)
        #expect(!run.isNoise)
    }
}
