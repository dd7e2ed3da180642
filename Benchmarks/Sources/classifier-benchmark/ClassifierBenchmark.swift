// SPDX-License-Identifier: Apache-2.0

import CMallocShims
import OrientationCore

/// Prints the speed of the classifiers and how often they allocate memory.
@main
struct ClassifierBenchmark {
    static func main() {
        // Turns, leans, flat phases, motion and noise: every branch is taken, and none is predictable.
        let readings = makeReadings(count: 1 << 16)
        print("classifier  samples/s  allocations/sample  changes")
        measure("base", .base, readings)
        measure("robust", .robust, readings)
    }

    private static func measure(
        _ name: String,
        _ constants: OrientationClassifier.Constants,
        _ readings: [Vector3]
    ) {
        let rounds = 1000
        var classifier = OrientationClassifier(constants: constants)
        var edge = classifier.edge
        var changes = 0
        var time = 0.0
        let clock = ContinuousClock()
        let allocations = benchmark_allocation_count()
        let begin = clock.now
        for _ in 0..<rounds {
            for reading in readings {
                time += 1.0 / 15
                classifier.update(gravity: reading, at: time)
                if classifier.edge != edge {
                    edge = classifier.edge
                    changes += 1
                }
            }
        }
        let elapsed = clock.now - begin
        let count = Double(rounds * readings.count)
        let perSample = Double(benchmark_allocation_count() - allocations) / count
        print("\(name)  \(Int(count / (elapsed / .seconds(1))))  \(perSample)  \(changes)")
    }

    /// Returns readings of a device that keeps a pose for a while, with noise, and is sometimes shaken.
    private static func makeReadings(count: Int) -> [Vector3] {
        var state: UInt64 = 20
        func random(_ range: ClosedRange<Double>) -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let share = Double(state >> 11) / 9_007_199_254_740_992
            return range.lowerBound + share * (range.upperBound - range.lowerBound)
        }
        var pose = Vector3(0, -1, 0)
        return (0..<count).map { step in
            if step % 24 == 0 {
                pose = Vector3(random(-1...1), random(-1...1), random(-1...1))
                let norm = pose.magnitude
                pose = Vector3(pose.x / norm, pose.y / norm, pose.z / norm)
            }
            let shake = step % 10 == 0 ? 1.5 : 0.05
            return Vector3(
                pose.x + random(-shake...shake),
                pose.y + random(-shake...shake),
                pose.z + random(-shake...shake)
            )
        }
    }
}
