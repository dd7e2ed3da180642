// SPDX-License-Identifier: Apache-2.0

import SplitMix
import Testing

@testable import OrientationCore

private let standard = AccelerometerSample.standardGravity

/// An angle by its cosine and sine, so that the test does not compute what it tests.
private struct Angle {
    let cosine: Double
    let sine: Double

    static let degrees: [Int: Angle] = [
        0: Angle(cosine: 1, sine: 0), 19: Angle(cosine: 0.945519, sine: 0.325568),
        21: Angle(cosine: 0.933580, sine: 0.358368), 90: Angle(cosine: 0, sine: 1),
        110: Angle(cosine: -0.342020, sine: 0.939693), 159: Angle(cosine: -0.933580, sine: 0.358368),
        161: Angle(cosine: -0.945519, sine: 0.325568), 180: Angle(cosine: -1, sine: 0),
        199: Angle(cosine: -0.945519, sine: -0.325568), 201: Angle(cosine: -0.933580, sine: -0.358368),
        270: Angle(cosine: 0, sine: -1), 339: Angle(cosine: 0.933580, sine: -0.358368),
        341: Angle(cosine: 0.945519, sine: -0.325568),
    ]

    /// The force in the display's frame for a force in the base's, with the lid opened by this angle.
    func display(_ base: Vector3) -> Vector3 {
        Vector3(base.x, cosine * base.y - sine * base.z, sine * base.y + cosine * base.z)
    }
}

/// The base of a laptop on a table, underside down.
private let onTable = Vector3(0, 0, -standard)

extension HingeAngle {
    /// Adds readings of both halves, twice: a single one may be wrong.
    mutating func update(display: Vector3, base: Vector3) {
        for _ in 0..<2 {
            add(display, of: .display, at: 0)
            add(base, of: .base, at: 0)
        }
    }

    /// A hinge whose last mode is given.
    fileprivate init(after mode: TabletMode) {
        self.init()
        if let angle = Angle.degrees[mode == .laptop ? 90 : 270], mode != .unknown {
            update(display: angle.display(onTable), base: onTable)
        }
    }
}

@Suite struct HingeAngleTests {
    /// A pose of a convertible with the readings of both halves, computed by hand.
    private struct Pose {
        let name: String
        let display: Vector3
        let base: Vector3
        /// Nil if the mode stays.
        let mode: TabletMode?
    }

    private static let short = 4.903325
    private static let long = 8.492808

    private static let poses = [
        Pose(name: "closed on a table", display: Vector3(0, 0, -standard), base: onTable, mode: nil),
        Pose(name: "upright on a table", display: Vector3(0, standard, 0), base: onTable, mode: .laptop),
        Pose(name: "leaning back on a table", display: Vector3(0, long, short), base: onTable, mode: .laptop),
        Pose(name: "leaning forward on a table", display: Vector3(0, long, -short), base: onTable, mode: .laptop),
        Pose(name: "all flat", display: Vector3(0, 0, standard), base: onTable, mode: nil),
        // The hinge on top, the underside of the base inside.
        Pose(name: "tent", display: Vector3(0, -long, short), base: Vector3(0, -long, -short), mode: .tablet),
        // The keys down.
        Pose(name: "stand", display: Vector3(0, long, short), base: Vector3(0, 0, standard), mode: .tablet),
        Pose(name: "folded", display: Vector3(0, 0, standard), base: Vector3(0, 0, standard), mode: nil),
        // A laptop on its side, and a tent.
        Pose(name: "vertical", display: Vector3(standard, 0, 0), base: Vector3(standard, 0, 0), mode: nil),
        Pose(name: "book", display: Vector3(-9.58, 0, 2.1), base: Vector3(-9.58, 0, -2.1), mode: nil),
    ]

    @Test(arguments: poses.indices, [TabletMode.unknown, .laptop, .tablet])
    func `each pose gives a mode or keeps the last one`(row: Int, before: TabletMode) {
        let pose = Self.poses[row]
        var hinge = HingeAngle(after: before)
        hinge.update(display: pose.display, base: pose.base)
        #expect(hinge.tabletMode == pose.mode ?? before, "\(pose.name)")
    }

    @Test(
        arguments: [
            (0, nil), (19, nil), (21, .laptop), (90, .laptop), (110, .laptop), (159, .laptop), (161, nil), (180, nil),
            (199, nil), (201, .tablet), (270, .tablet), (339, .tablet), (341, nil),
        ] as [(Int, TabletMode?)]
    )
    func `up to 160° is a laptop, from 200° a tablet, and around 0° the mode stays`(
        degrees: Int,
        mode: TabletMode?
    ) throws {
        let angle = try #require(Angle.degrees[degrees])
        for before in TabletMode.allCases {
            var hinge = HingeAngle(after: before)
            hinge.update(display: angle.display(onTable), base: onTable)
            #expect(hinge.tabletMode == mode ?? before)
        }
    }

    @Test func `when opened fully and closed again it is a tablet from 200° back to 160°`() throws {
        var hinge = HingeAngle()
        func open(to degrees: Int) throws -> TabletMode {
            let angle = try #require(Angle.degrees[degrees])
            hinge.update(display: angle.display(onTable), base: onTable)
            return hinge.tabletMode
        }
        let opening = try [0, 19, 21, 90, 159, 180, 199, 201, 270, 341, 0].map { try open(to: $0) }
        #expect(
            opening == [.unknown, .unknown] + Array(repeating: .laptop, count: 5) + Array(repeating: .tablet, count: 4)
        )
        let closing = try [341, 270, 201, 199, 161, 159, 90, 0].map { try open(to: $0) }
        #expect(closing == Array(repeating: .tablet, count: 5) + Array(repeating: .laptop, count: 3))
    }

    @Test(arguments: [(2.4, TabletMode.laptop), (2.6, .unknown), (-2.4, .laptop), (-2.6, .unknown)])
    func `readings of different magnitude are ignored`(difference: Double, mode: TabletMode) {
        var hinge = HingeAngle()
        hinge.update(display: Vector3(0, standard, 0), base: Vector3(0, 0, -standard - difference))
        #expect(hinge.tabletMode == mode)
    }

    // On small laptops with the panel of a tablet, an edge at the side of the panel is opposite the hinge.
    @Test(arguments: 0...3)
    func `the hinge is opposite the edge that is up in a laptop`(turns: Int) throws {
        func turn(_ force: Vector3) -> Vector3 {
            (0..<turns).reduce(force) { force, _ in Vector3(force.y, -force.x, force.z) }
        }
        for (degrees, mode) in [(110, TabletMode.laptop), (270, .tablet)] {
            let angle = try #require(Angle.degrees[degrees])
            for side in [0.0, 3, -3] {
                var hinge = HingeAngle()
                hinge.laptopEdge = DeviceOrientation(quarterTurns: turns)
                // Tilted sideways.
                let (display, base) = (angle.display(onTable) + Vector3(side, 0, 0), onTable + Vector3(side, 0, 0))
                hinge.update(display: turn(display), base: turn(base))
                #expect(hinge.tabletMode == mode)
                #expect(abs((hinge.angle ?? -1) - Double(degrees)) < 0.1)
            }
        }
    }

    @Test(arguments: [Vector3(.nan, 0, 0), Vector3(0, .infinity, 0), .zero])
    func `readings without a usable force are ignored`(force: Vector3) {
        var hinge = HingeAngle(after: .tablet)
        hinge.update(display: force, base: onTable)
        hinge.update(display: onTable, base: force)
        hinge.update(display: force, base: force)
        #expect(hinge.tabletMode == .tablet)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `any pose and motion gives the mode, as long as the force has a part across the hinge`(
        seed: UInt64
    ) throws {
        var random = SplitMix(state: seed)
        var told = 0
        for _ in 0..<1000 {
            let base = Vector3(
                .random(in: -15...15, using: &random),
                .random(in: -15...15, using: &random),
                .random(in: -15...15, using: &random)
            )
            let (degrees, mode) = try #require(
                [
                    (21, TabletMode.laptop), (90, .laptop), (159, .laptop), (201, .tablet), (270, .tablet),
                    (339, .tablet),
                ]
                .randomElement(using: &random)
            )
            let angle = try #require(Angle.degrees[degrees])
            let before: TabletMode = mode == .laptop ? .tablet : .laptop
            var hinge = HingeAngle(after: before)
            hinge.update(display: angle.display(base), base: base)
            let across = Vector3(0, base.y, base.z).magnitude
            #expect(hinge.tabletMode == (across >= 2.5 ? mode : before), "\(degrees)°, \(base)")
            if across >= 2.5 { told += 1 }
        }
        #expect(told > 900)
    }

    // MARK: - The angle

    @Test func `the angle is known to a tenth of a degree`() {
        // Half a degree.
        let step = Angle(cosine: 0.9999619230641713, sine: 0.008726535498373935)
        var (cosine, sine) = (1.0, 0.0)
        for degrees in stride(from: 0.5, to: 360, by: 0.5) {
            var hinge = HingeAngle()
            (cosine, sine) = (cosine * step.cosine - sine * step.sine, sine * step.cosine + cosine * step.sine)
            let base = Vector3(1, 3, -8)
            hinge.update(
                display: Vector3(base.x, cosine * base.y - sine * base.z, sine * base.y + cosine * base.z),
                base: base
            )
            #expect(abs((hinge.angle ?? -1) - degrees) < 0.1, "\(degrees)°")
        }
    }

    // A machine that was folded flat between two readings stayed a laptop: the angles that decide were never read.
    @Test(arguments: [(360.0000099, true), (357, true), (345, true), (340, true), (19, false), (3, false)])
    func `an angle above 340° is a tablet's when it has lasted for two seconds`(degrees: Double, isTablet: Bool) {
        var hinge = HingeAngle()
        for time in [0.0, 0.5, 1] { hinge.add(90, at: time) }
        #expect(hinge.tabletMode == .laptop)
        for time in [3.0, 4, 5.9] { hinge.add(degrees, at: time) }
        #expect(hinge.tabletMode == (degrees == 340 ? .tablet : .laptop))
        hinge.add(degrees, at: 6)
        #expect(hinge.tabletMode == (isTablet ? .tablet : .laptop))
    }

    @Test func `an angle above 340° from before nothing was known does not count after`() {
        var hinge = HingeAngle()
        for time in [0.0, 1, 2] { hinge.add(time < 2 ? 90 : 359, at: time) }
        hinge.add(359, at: 2.5)
        for time in [3.0, 8] { hinge.add(500, at: time) }
        #expect(hinge.angle == nil)
        hinge.add(359, at: 40)
        #expect(hinge.angle == 359 && hinge.tabletMode == .laptop)
    }

    @Test func `a closed lid that reads 359° now and then stays a laptop`() {
        var hinge = HingeAngle()
        for time in stride(from: 0.0, to: 60, by: 1) {
            hinge.add(time < 2 ? 30 : time.truncatingRemainder(dividingBy: 3) == 0 ? 1 : 359, at: time)
        }
        #expect(hinge.tabletMode == .laptop)
    }

    /// The angles after each reading of a hinge sensor; nil while unknown.
    private static let readings: [(name: String, readings: [Double], angles: [Double?], mode: TabletMode)] = [
        ("two that agree", [100, 101], [nil, 101], .laptop),
        ("false zeros", [100, 101, 0, 102, 0, 103], [nil, 101, 101, 102, 102, 103], .laptop),
        ("a false first reading", [0, 100, 101], [nil, nil, 101], .laptop),
        ("the jump from 360° to 0° at the full fold", [300, 330, 359, 2, 358], [nil, 330, 359, 2, 358], .tablet),
        ("a quick fold", [90, 91, 270, 275], [nil, 91, 91, 275], .tablet),
        ("a closed lid", [100, 90, 61, 32, 5, 1], [nil, 90, 61, 32, 5, 1], .laptop),
        ("a rounded scale", [300, 330, 360.0000099, 360.5], [nil, 330, 360, 360], .tablet),
        ("a rounded scale, closed", [60, 30, -0.00001, -0.5], [nil, 30, 0, 0], .laptop),
        ("hardly any angles", [250, 251, 360.6, -0.6], [nil, 251, 251, 251], .tablet),
        ("no angles", [250, 251, .nan, 500, -1, 1e9, .infinity], [nil] + Array(repeating: 251, count: 6), .tablet),
    ]

    @Test(arguments: readings.indices)
    func `readings of a hinge sensor count once another one confirms them`(row: Int) {
        let (name, readings, angles, mode) = Self.readings[row]
        var hinge = HingeAngle()
        var found: [Double?] = []
        for reading in readings {
            hinge.add(reading, at: 0)
            found.append(hinge.angle)
        }
        #expect(found == angles && hinge.tabletMode == mode, "\(name)")
    }

    @Test func `one false reading of an accelerometer changes nothing`() {
        var hinge = HingeAngle(after: .laptop)
        let before = hinge.angle
        hinge.add(Vector3(0, 0, standard), of: .display, at: 0)
        hinge.add(onTable, of: .base, at: 0)
        #expect(hinge.tabletMode == .laptop && hinge.angle == before)
    }

    // A hub reports changes only: the half that rests is silent.
    @Test func `a half that is silent still counts`() throws {
        var hinge = HingeAngle(after: .laptop)
        let tablet = try #require(Angle.degrees[270]).display(onTable)
        for _ in 0..<4 { hinge.add(tablet, of: .display, at: 0) }
        #expect(hinge.tabletMode == .tablet)
    }

    @Test(arguments: [Double.nan, 500, 1e9, -3])
    func `after five seconds of readings that are none, nothing is known of the angle`(reading: Double) {
        var hinge = HingeAngle()
        for time in 0...2 { hinge.add(270, at: Double(time)) }
        for time in 3...6 { hinge.add(reading, at: Double(time)) }
        #expect(hinge.angle == 270)
        hinge.add(reading, at: 7)
        #expect(hinge.angle == nil && hinge.tabletMode == .tablet)
    }

    @Test(arguments: [
        (Vector3(0, 0, 30), true), (.zero, true), (Vector3(.nan, 0, 0), true), (Vector3(9.81, 0, 0), false),
    ])
    func `nor after readings of a half that are none, but held like a book the angle stays`(
        base: Vector3,
        isForgotten: Bool
    ) {
        var hinge = HingeAngle(after: .tablet)
        for time in 0...9 {
            hinge.add(isForgotten ? Vector3(0, -standard, 0) : base, of: .display, at: Double(time))
            hinge.add(base, of: .base, at: Double(time))
        }
        #expect((hinge.angle == nil) == isForgotten && hinge.tabletMode == .tablet)
    }

    @Test func `the first readings of two accelerometers count at once`() {
        var hinge = HingeAngle()
        hinge.add(Vector3(0, standard, 0), of: .display, at: 0)
        hinge.add(onTable, of: .base, at: 0)
        #expect(hinge.tabletMode == .laptop)
    }
}
