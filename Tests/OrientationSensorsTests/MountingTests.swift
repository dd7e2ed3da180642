// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationCore
@testable import OrientationSensors

@Suite
struct `The mount matrix of several sources` {
    static let good = "1, 0, 0; 0, -1, 0; 0, 0, 1"
    static let zeroRow = "0, -1, 0; 1, 0, 0; 0, 0, 0"
    static let identity = "1, 0, 0; 0, 1, 0; 0, 0, 1"
    static let short = "1, 0, 0; 0, -1, 0; 0"
    static let repair = "is singular, using the cross product of the first two rows for the third"

    typealias Row = (sources: [String], used: String, source: String, warnings: [String])

    static let rows: [Row] = [
        ([], identity, "", []), ([good], good, "0", []), ([good, zeroRow], good, "0", []),
        ([identity], identity, "0", []),
        ([good + ";"], good, "0", ["0: ignored \";\" behind the mount matrix"]),
        ([good + " # inverted", short], good, "0", ["0: ignored \"# inverted\" behind the mount matrix"]),
        ([short, good], good, "1", ["0: \"\(short)\" is not a mount matrix, using 1"]),
        ([zeroRow, good], good, "1", ["0: \"\(zeroRow)\" is singular, using 1"]),
        // The drivers' default is no source.
        ([zeroRow, identity], "0, -1, 0; 1, 0, 0; 0, 0, 1", "0", ["0: \"\(zeroRow)\" \(repair)"]),
        ([short, identity], identity, "1", ["0: \"\(short)\" is not a mount matrix, using 1"]),
        ([zeroRow], "0, -1, 0; 1, 0, 0; 0, 0, 1", "0", ["0: \"\(zeroRow)\" \(repair)"]),
        (
            [zeroRow, short], "0, -1, 0; 1, 0, 0; 0, 0, 1", "0",
            ["0: \"\(zeroRow)\" \(repair)", "1: \"\(short)\" is not a mount matrix, using 0"]
        ),
        (
            [short, zeroRow], "0, -1, 0; 1, 0, 0; 0, 0, 1", "1",
            ["0: \"\(short)\" is not a mount matrix, using 1", "1: \"\(zeroRow)\" \(repair)"]
        ),
        ([short], identity, "", ["0: \"\(short)\" is not a mount matrix, using the identity"]),
        (
            ["1, 0, 0; 2, 0, 0; 0, 0, 1"], identity, "",
            ["0: \"1, 0, 0; 2, 0, 0; 0, 0, 1\" is singular, using the identity"]
        ),
    ]

    @Test(arguments: rows.indices)
    func `is the first usable one, or else one that can be repaired`(index: Int) throws {
        let row = Self.rows[index]
        var search = MatrixSearch()
        for (number, text) in row.sources.enumerated() { search.add(text, from: "\(number)") }
        let (matrix, source) = search.end()
        let used = try #require(AttributeText.matrixRows(row.used))
        #expect(matrix == MountMatrix(rows: used.x, used.y, used.z))
        #expect(source == row.source)
        #expect(search.warnings == row.warnings)
    }

    @Test func `passes over a file that cannot be read`() {
        var search = MatrixSearch()
        search.add(Self.zeroRow, from: "property")
        search.addUnreadable("file: Input/output error")
        #expect(search.end().source == "property")
        #expect(search.warnings.last == "file: Input/output error, using property")
    }
}

/// Every accelerometer of systemd's hwdb, as a right-handed chip behind a matrix whose rows of x and y are right.
@Suite
struct `Every device of hwdb` {
    struct Entry: Sendable, CustomStringConvertible {
        let machine, modalias, location, matrix: String
        var description: String { "\(machine) \(modalias) \(matrix)" }

        var quantity: SensorFrame.Quantity { modalias.hasPrefix("platform:HID-SENSOR") ? .gravity : .specificForce }
    }

    static let entries: [Entry] = Fixtures.rows(of: "hwdb-mount-matrices.tsv").compactMap { fields in
        guard fields.count == 4, !fields[0].hasPrefix("#") else { return nil }
        return Entry(machine: fields[0], modalias: fields[1], location: fields[2], matrix: fields[3])
    }

    /// A half of a machine: its chip, and orientd's frame for it.
    struct Half {
        let frame: SensorFrame
        /// What the chip reads for a force of 1 to the right, to the top and out of the screen.
        private let right, top, front: Vector3

        /// The half of an entry, or one without a matrix.
        init(_ entry: Entry?) {
            var search = MatrixSearch()
            if let entry { search.add(entry.matrix, from: entry.modalias) }
            let (matrix, source) = search.end()
            let quantity = entry?.quantity ?? .specificForce
            let location: SensorLocation = entry?.location == "base" ? .base : .unknown
            let mounting = AccelerometerMounting(
                location: location,
                matrix: matrix,
                matrixSource: source,
                quantity: quantity
            )
            let description = SensorDescription(
                id: "",
                name: "",
                sysfsPath: "",
                traits: .accelerometer(mounting),
                canPoll: true,
                canBuffer: false
            )
            frame = description.scaling().frame
            // What is known without the rule: with the device upright or on an edge, the matrix gives what hwdb's
            // comment says; the chip is soldered in one way or another, so its axes are a rotation of the device's.
            let driver: Double = quantity == .gravity ? -1 : 1
            let (x, y) = (matrix.x * -driver, matrix.y * -driver)
            (right, top, front) = (x * driver, y * driver, x.cross(y) * driver)
        }

        /// The acceleration that orientd takes a force for, in the frame of this half.
        func seen(_ force: Vector3) -> Vector3 {
            frame.acceleration(raw: right * force.x + top * force.y + front * force.z)
        }
    }

    /// Cosine and sine in whole degrees, by repeated rotation, as no libm is imported.
    static func rotated(_ vector: Vector3, by degrees: Int) -> Vector3 {
        let (cosine, sine) = (0.999847695156391, 0.017452406437284)
        var vector = vector
        for _ in 0..<abs(degrees) {
            let turn = degrees < 0 ? -sine : sine
            vector = Vector3(vector.x, cosine * vector.y - turn * vector.z, turn * vector.y + cosine * vector.z)
        }
        return vector
    }

    @Test func `is in the fixture`() {
        #expect(Self.entries.count == 268)
        #expect(Self.entries.filter { $0.quantity == .gravity }.count == 3)
        #expect(Self.entries.filter { $0.location == "base" }.count == 14)
    }

    @Test(arguments: entries)
    func `has the right force in every pose`(entry: Entry) {
        let half = Half(entry)
        for force in [
            Vector3(0, 9.81, 0), Vector3(0, -9.81, 0), Vector3(9.81, 0, 0), Vector3(-9.81, 0, 0), Vector3(0, 0, 9.81),
            Vector3(0, 0, -9.81), Vector3(3, -5, 7),
        ] {
            #expect((half.seen(force) - force).magnitude < 1e-9, "\(force)")
        }
    }

    /// Each display with the base of the same machine, with one like itself, and with one without a matrix.
    @Test(arguments: entries.filter { $0.location != "base" })
    func `is a laptop up to 160° and a tablet from 200°, and never upside down`(entry: Entry) {
        let own = Self.entries.filter { $0.location == "base" && $0.machine == entry.machine }
        let display = Half(entry)
        for base in own.map({ Half($0) }) + [Half(entry), Half(nil)] {
            for (degrees, mode) in [
                (60, TabletMode.laptop), (100, .laptop), (140, .laptop), (200, .tablet), (300, .tablet),
            ] {
                for tilt in [0, 35, -35, 80, -80] {
                    var hinge = HingeAngle()
                    // The base's frame is the display's with the lid closed.
                    let force = Self.rotated(Vector3(0, 0, -9.80665), by: tilt)
                    let opened = Self.rotated(force, by: degrees)
                    for _ in 0..<2 {
                        hinge.add(display.seen(opened), of: .display, at: 0)
                        hinge.add(base.seen(force), of: .base, at: 0)
                    }
                    #expect(hinge.tabletMode == mode, "open by \(degrees)°, tilted by \(tilt)°")
                    #expect(abs((hinge.angle ?? -1) - Double(degrees)) < 0.1)
                    #expect(Self.edge(display.seen(opened)) == Self.edge(opened))
                }
            }
        }
    }

    private static func edge(_ force: Vector3) -> DeviceOrientation {
        var classifier = OrientationClassifier(constants: .base)
        classifier.update(gravity: AccelerometerSample(time: 0, acceleration: force).gravity, at: 0)
        return classifier.edge
    }
}
