// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct GravityEstimatorTests {
    let upright = Vector3(0, -1, 0)
    let left = Vector3(-1, 0, 0)

    @Test func `the first finite reading is the estimate`() {
        var estimator = GravityEstimator()
        #expect(estimator.gravity == nil)
        estimator.update(gravity: Vector3(.nan, 0, 0), at: 0)
        #expect(estimator.gravity == nil)
        estimator.update(gravity: upright, at: 5)
        #expect(estimator.gravity == upright)
    }

    @Test func `the estimate moves by the fraction of a one-pole filter`() {
        var estimator = GravityEstimator()
        estimator.update(gravity: upright, at: 0)
        estimator.update(gravity: left, at: 0.2)
        #expect(estimator.gravity == Vector3(-0.5, -0.5, 0))
        estimator.update(gravity: left, at: 0.2)
        #expect(estimator.gravity == Vector3(-0.5, -0.5, 0))
    }

    @Test(arguments: [1.01, -0.01, -100])
    func `a gap or a step back restarts the estimate`(step: Double) {
        var estimator = GravityEstimator()
        estimator.update(gravity: upright, at: 10)
        estimator.update(gravity: left, at: 10 + step)
        #expect(estimator.gravity == left)
    }

    @Test(arguments: [
        (Vector3(.nan, 0, 0), 1.0), (Vector3(0, .infinity, 0), 1.0), (Vector3(1, 0, 0), .nan),
        (Vector3(1, 0, 0), .infinity),
    ])
    func `values that are not finite are ignored`(reading: Vector3, time: Double) {
        var estimator = GravityEstimator()
        estimator.update(gravity: upright, at: 0.5)
        estimator.update(gravity: reading, at: time)
        estimator.update(gravity: upright, at: 1)
        #expect(estimator.gravity == upright)
    }
}
