// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import PrivateBus
import SystemdBus
import Testing

@testable import OrientationConfiguration
@testable import OrientationDaemon

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
    private let loop: EventLoop
    private static let period = 0.01

    init() throws {
        loop = try EventLoop()
    }

    @Test func `a sample in the middle of a turn is repeated at the sample period for half a second`() throws {
        var fed: [AccelerometerSample] = []
        let feed = try SilenceFeed(loop: loop) { fed.append($0) }
        feed.begin(samplePeriod: Self.period)
        feed.heard(AccelerometerSample(time: 100, acceleration: rightEdgeUp), isTurning: true)
        #expect(fed.isEmpty)
        try loop.run { fed.count == 50 }
        // The last repetition leaves the timer armed once more, for nothing.
        let end = try loop.timer { fed.append(AccelerometerSample(time: 0, acceleration: .zero)) }
        end.arm(after: 3 * Self.period)
        try loop.run { fed.count > 50 }
        #expect(fed.count == 51 && fed.last?.acceleration == .zero)
        for (index, sample) in fed.prefix(50).enumerated() {
            #expect(abs(sample.time - 100 - Double(index + 1) * Self.period) < 1e-9)
            #expect(sample.acceleration == rightEdgeUp)
        }
    }

    /// Runs the loop for longer than a repetition would take.
    private func settle() throws {
        var isOver = false
        let end = try loop.timer { isOver = true }
        end.arm(after: 4 * Self.period)
        try loop.run { isOver }
    }

    @Test func `nothing is repeated at rest, for a sensor that is never silent, or once the turn is decided`() throws {
        let feed = try SilenceFeed(loop: loop) { Issue.record("fed \($0)") }
        let sample = AccelerometerSample(time: 1, acceleration: upright)
        feed.heard(sample, isTurning: true)
        feed.begin(samplePeriod: nil)
        feed.heard(sample, isTurning: true)
        feed.begin(samplePeriod: Self.period)
        feed.heard(sample, isTurning: false)
        feed.heard(sample, isTurning: true)
        feed.heard(sample, isTurning: false)
        try settle()
        feed.heard(sample, isTurning: true)
        feed.begin(samplePeriod: Self.period)
        try settle()
    }

    @Test func `a new sample takes the place of the one that is repeated`() throws {
        var fed: [Vector3] = []
        let feed = try SilenceFeed(loop: loop) { fed.append($0.acceleration) }
        feed.begin(samplePeriod: Self.period)
        feed.heard(AccelerometerSample(time: 1, acceleration: upright), isTurning: true)
        feed.heard(AccelerometerSample(time: 2, acceleration: leftEdgeUp), isTurning: true)
        try loop.run { fed.count == 2 }
        #expect(fed == [leftEdgeUp, leftEdgeUp])
        withExtendedLifetime(feed) {}
    }
}

@Suite struct BuiltInDisplayTests {
    static let modes: [(String, Int, Int)] = [
        ("1920x1080", 1920, 1080), ("800x1280\n600x800\n", 800, 1280), ("1080x1920i\n", 1080, 1920),
        ("\n\n1x2", 1, 2), ("720x720", 720, 720),
    ]

    @Test(arguments: modes)
    func `the first line is the preferred mode`(modes: String, width: Int, height: Int) {
        let mode = BuiltInDisplay.firstMode(of: modes)
        #expect(mode?.width == width && mode?.height == height)
    }

    @Test(arguments: ["", "\n", "x", "1920", "1920x", "x1080", "axb", "1x2x3", "99999999999999999999x1", "-1x2"])
    func `what is no mode is none`(modes: String) {
        #expect(BuiltInDisplay.firstMode(of: modes) == nil)
    }
}
