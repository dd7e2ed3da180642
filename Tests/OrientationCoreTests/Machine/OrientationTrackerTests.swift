// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import OrientationCore

private let standard = 9.80665

/// Readings in the device frame, for a second, from `time` on.
private func second(of acceleration: Vector3, from time: Double) -> [AccelerometerSample] {
    (0..<15).map { AccelerometerSample(time: time + Double($0) / 15, acceleration: acceleration) }
}

private let upright = Vector3(0, standard, 0)
private let rightEdgeUp = Vector3(standard, 0, 0)
private let upsideDown = Vector3(0, -standard, 0)
private let leftEdgeUp = Vector3(-standard, 0, 0)
private let lyingFaceUp = Vector3(0, 0, standard)
private let lyingFaceDown = Vector3(0, 0, -standard)

@Suite struct OrientationTrackerTests {
    private func tracker(
        natural: DeviceOrientation = .portrait,
        reportsFace: Bool = false,
        after readings: Vector3...
    ) -> OrientationTracker {
        var tracker = OrientationTracker(
            naturalOrientation: natural,
            constants: .robust,
            reportsFace: reportsFace
        )
        tracker.begin(samplePeriod: 1.0 / 15, faceUp: .positiveZ)
        for (index, reading) in readings.enumerated() {
            for sample in second(of: reading, from: Double(index)) { tracker.add(sample) }
        }
        return tracker
    }

    @Test func `nothing is known before the first sample`() {
        let tracker = tracker()
        #expect(tracker.deviceOrientation == .unknown && tracker.faceOrientation == .none)
        #expect(tracker.deviceEdge == .unknown && tracker.gravity == .zero)
        #expect(!tracker.hasAnswer && !tracker.isTurning && tracker.reference == 1)
    }

    /// The reading of a device that is rolled by so many degrees towards its left edge.
    private func rolled(_ degrees: Double) -> Vector3 {
        Vector3(9.81 * sin(degrees * .pi / 180), 9.81 * cos(degrees * .pi / 180), 0)
    }

    /// Returns the edges after the first and the second reading of a device that has rested for a minute and then moved.
    private func edges(from start: Double, to end: Double, rate: Double) -> [DeviceOrientation] {
        var tracker = tracker()
        tracker.begin(samplePeriod: 1 / rate, faceUp: .positiveZ)
        for sample in second(of: rolled(0), from: 2) + second(of: rolled(start), from: 3) { tracker.add(sample) }
        var sensing = Sensing()
        sensing.level = .doze
        sensing.reference = rolled(start)
        sensing.threshold = 0.3
        tracker.add(AccelerometerSample(time: 63, acceleration: rolled(end)), sensing)
        let first = tracker.deviceEdge
        tracker.add(AccelerometerSample(time: 63 + 0.5 / rate, acceleration: rolled(end)))
        return [first, tracker.deviceEdge]
    }

    @Test func `a turn from rest takes two readings half a period apart`() {
        for (start, end) in [(0.0, 60.0), (0, 90), (40, 90)] {
            #expect(edges(from: start, to: end, rate: 15) == [.portrait, .landscapeLeft], "from \(start) to \(end)")
        }
        #expect(edges(from: 0, to: 180, rate: 15) == [.portrait, .portraitUpsideDown])
        // Short of the next edge.
        #expect(edges(from: 0, to: 35, rate: 15) == [.portrait, .portrait])
    }

    @Test func `two readings of a fast sensor may be of one knock`() {
        #expect(edges(from: 0, to: 90, rate: 50) == [.portrait, .portrait])
    }

    // What a person sees upright, on panels mounted either way.
    static let held: [(Vector3, DeviceOrientation, DeviceOrientation)] = [
        (upright, .portrait, .landscapeLeft), (rightEdgeUp, .landscapeLeft, .portraitUpsideDown),
        (upsideDown, .portraitUpsideDown, .landscapeRight), (leftEdgeUp, .landscapeRight, .portrait),
    ]

    @Test(arguments: held)
    func `every edge turns with the natural orientation`(
        reading: Vector3,
        onPortrait: DeviceOrientation,
        onLandscape: DeviceOrientation
    ) {
        let portrait = tracker(natural: .portrait, after: reading)
        let landscape = tracker(natural: .landscapeLeft, after: reading)
        #expect(portrait.deviceOrientation == onPortrait && landscape.deviceOrientation == onLandscape)
        #expect(portrait.hasAnswer)
    }

    @Test(arguments: [(lyingFaceUp, FaceOrientation.faceUp), (lyingFaceDown, .faceDown)])
    func `a device that lies keeps its edge, unless the face is to be reported`(
        reading: Vector3,
        face: FaceOrientation
    ) {
        var plain = tracker(natural: .landscapeLeft, after: rightEdgeUp, reading)
        #expect(plain.deviceOrientation == .portraitUpsideDown && plain.faceOrientation == face)
        #expect(plain.deviceEdge == .portraitUpsideDown)
        var reporting = tracker(natural: .landscapeLeft, reportsFace: true, after: rightEdgeUp, reading)
        #expect(reporting.deviceOrientation == face.deviceOrientation && reporting.faceOrientation == face)
        #expect(reporting.deviceEdge == .portraitUpsideDown, "the interface stays")
        for sample in second(of: rightEdgeUp, from: 2) {
            plain.add(sample)
            reporting.add(sample)
        }
        #expect(plain.deviceOrientation == reporting.deviceOrientation)
        #expect(reporting.deviceOrientation == .portraitUpsideDown)
    }

    @Test(arguments: [false, true])
    func `lying from the start the edge is unknown, and the face an answer`(reportsFace: Bool) {
        let tracker = tracker(reportsFace: reportsFace, after: lyingFaceDown)
        #expect(tracker.deviceOrientation == (reportsFace ? .faceDown : .unknown))
        #expect(tracker.faceOrientation == .faceDown && tracker.deviceEdge == .unknown)
        #expect(tracker.hasAnswer)
    }

    @Test func `after a pause the last orientation stays until the next sample, which decides at once`() {
        var tracker = tracker(after: rightEdgeUp)
        tracker.begin(samplePeriod: 1.0 / 15, faceUp: .positiveZ)
        #expect(!tracker.hasAnswer && !tracker.hasEdge)
        #expect(tracker.deviceOrientation == .landscapeLeft && tracker.deviceEdge == .landscapeLeft)
        #expect(tracker.gravity == .zero, "gravity is not what it was")

        // The clock of a source may begin anew.
        tracker.add(AccelerometerSample(time: 0, acceleration: upsideDown))
        #expect(tracker.hasAnswer && tracker.hasEdge && tracker.deviceOrientation == .portraitUpsideDown)
        #expect(tracker.gravity.y == 1)
    }

    @Test func `starting afresh while samples go on, the next one decides at once, and the same edge is news`() {
        var tracker = tracker(after: rightEdgeUp)
        for acceleration in [rightEdgeUp, upsideDown] {
            tracker.restart()
            #expect(!tracker.hasEdge && tracker.deviceEdge != .unknown)
            tracker.add(AccelerometerSample(time: 5, acceleration: acceleration))
            #expect(tracker.hasEdge)
        }
        #expect(tracker.deviceEdge == .portraitUpsideDown)
    }

    @Test func `after a pause a device that lies keeps the edge from before it`() {
        var tracker = tracker(after: leftEdgeUp)
        tracker.begin(samplePeriod: 1.0 / 15, faceUp: .positiveZ)
        tracker.add(AccelerometerSample(time: 5, acceleration: lyingFaceUp))
        #expect(tracker.hasAnswer && !tracker.hasEdge && tracker.faceOrientation == .faceUp)
        #expect(tracker.deviceOrientation == .landscapeRight && tracker.deviceEdge == .landscapeRight)
    }

    @Test func `a turn under way shows until it is done`() {
        var tracker = tracker(after: upright)
        var turning: [Bool] = []
        for sample in second(of: rightEdgeUp, from: 1) where tracker.deviceOrientation == .portrait {
            tracker.add(sample)
            turning.append(tracker.isTurning)
        }
        #expect(turning == [true, false])
        #expect(tracker.deviceOrientation == .landscapeLeft)
    }
}

@Suite struct SilenceFeedTests {
    private static let period = 0.01

    /// The samples that are repeated until there is no deadline any more.
    private func repetitions(_ feed: inout SilenceFeed) -> [AccelerometerSample] {
        var repeated: [AccelerometerSample] = []
        while let deadline = feed.deadline, let sample = feed.next(at: deadline) { repeated.append(sample) }
        return repeated
    }

    @Test func `a sample in the middle of a turn is repeated at the sample period for half a second`() {
        var feed = SilenceFeed()
        feed.begin(samplePeriod: Self.period)
        feed.note(AccelerometerSample(time: 100, acceleration: rightEdgeUp), isTurning: true, isAwaited: false, at: 7)
        #expect(feed.deadline == 7 + 1.1 * Self.period, "the first after a silence")
        let repeated = repetitions(&feed)
        #expect(repeated.count == 50)
        for (index, sample) in repeated.enumerated() {
            #expect(abs(sample.time - 100 - Double(index + 1) * Self.period) < 1e-9)
            #expect(sample.acceleration == rightEdgeUp)
        }
    }

    @Test func `nothing is repeated at rest, for a sensor that is never silent, or once the turn is decided`() {
        var feed = SilenceFeed()
        let sample = AccelerometerSample(time: 1, acceleration: upright)
        feed.note(sample, isTurning: true, isAwaited: false, at: 1)
        #expect(feed.deadline == nil)
        feed.begin(samplePeriod: nil)
        feed.note(sample, isTurning: true, isAwaited: false, at: 1)
        #expect(feed.deadline == nil)
        feed.begin(samplePeriod: Self.period)
        feed.note(sample, isTurning: false, isAwaited: false, at: 1)
        #expect(feed.deadline == nil)
        feed.note(sample, isTurning: true, isAwaited: false, at: 1)
        feed.note(sample, isTurning: false, isAwaited: false, at: 1)
        #expect(feed.deadline == nil)
        feed.note(sample, isTurning: true, isAwaited: false, at: 1)
        feed.begin(samplePeriod: Self.period)
        #expect(feed.deadline == nil)
    }

    @Test func `after two seconds of silence outside a turn the sample is repeated once, at the present time`() {
        var feed = SilenceFeed()
        feed.begin(samplePeriod: Self.period)
        let sample = AccelerometerSample(time: 100, acceleration: upright)
        feed.note(sample, isTurning: false, isAwaited: true, at: 7)
        #expect(feed.deadline == 9)
        feed.note(sample, isTurning: false, isAwaited: true, at: 8)
        #expect(feed.deadline == 9, "no sample arms the timer anew")
        #expect(feed.next(at: 9) == nil && feed.deadline == 10)
        #expect(feed.next(at: 10)?.time == 102 && feed.deadline == nil)
        feed.note(sample, isTurning: true, isAwaited: true, at: 11)
        feed.note(sample, isTurning: false, isAwaited: true, at: 11.5)
        #expect(feed.deadline == 13.5, "the deadline of the turn does not count")
        feed.note(sample, isTurning: false, isAwaited: false, at: 12)
        #expect(feed.deadline == nil)
    }

    // A sample that was a little late in a stream came after its repetition, and shaking turned the interface.
    @Test func `a sample in a stream is repeated later than the first after a silence`() {
        var feed = SilenceFeed()
        feed.begin(samplePeriod: Self.period)
        let sample = AccelerometerSample(time: 100, acceleration: rightEdgeUp)
        feed.note(sample, isTurning: true, isAwaited: false, at: 7)
        feed.note(sample, isTurning: true, isAwaited: false, at: 7.01)
        #expect(feed.deadline == 7.01 + 1.5 * Self.period)
    }

    @Test func `a new sample replaces the one that is repeated`() {
        var feed = SilenceFeed()
        feed.begin(samplePeriod: Self.period)
        feed.note(AccelerometerSample(time: 1, acceleration: upright), isTurning: true, isAwaited: false, at: 1)
        feed.note(AccelerometerSample(time: 2, acceleration: leftEdgeUp), isTurning: true, isAwaited: false, at: 2)
        #expect(repetitions(&feed).allSatisfy { $0.acceleration == leftEdgeUp })
    }

    @Test(arguments: [1e-9, 1e300, .infinity])
    func `any rate that a driver may claim is bounded`(period: Double) {
        var feed = SilenceFeed()
        feed.begin(samplePeriod: period)
        feed.note(AccelerometerSample(time: 1, acceleration: upright), isTurning: true, isAwaited: false, at: 1)
        #expect(repetitions(&feed).count <= 500)
    }
}
