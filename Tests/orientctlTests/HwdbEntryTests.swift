// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import orientctl

@Suite struct HwdbEntryTests {
    static let quarterTurn = MountMatrix(rows: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, -1))
    static let entry = HwdbEntry(match: "sensor:modalias:acpi:A:*", matrix: quarterTurn, comment: "bma253")
    static let text = "# bma253\nsensor:modalias:acpi:A:*\n ACCEL_MOUNT_MATRIX=0, -1, 0; 1, 0, 0; 0, 0, -1\n"

    @Test func `a record is a comment, a match and an indented property`() {
        #expect(Self.entry.text == Self.text)
    }

    static let matrices: [(MountMatrix, String)] = [
        (.identity, "1, 0, 0; 0, 1, 0; 0, 0, 1"),
        (MountMatrix(rows: Vector3(-0.0, -1, 0), Vector3(-1e-9, 0, 1), Vector3(1, 0, 0)), "0, -1, 0; 0, 0, 1; 1, 0, 0"),
        (
            MountMatrix(rows: Vector3(0.70710678, -0.70710678, 0), Vector3(0.5, 0.5, 0.7071), Vector3(0.0001, 0, 1)),
            "0.7071, -0.7071, 0; 0.5, 0.5, 0.7071; 0.0001, 0, 1"
        ),
    ]

    @Test(arguments: matrices.indices)
    func `a matrix has whole numbers without a point, others with four places, and no negative zero`(index: Int) {
        #expect(HwdbEntry.text(of: Self.matrices[index].0) == Self.matrices[index].1)
    }

    // MARK: - The match

    static let machine = "dmi:bvnAMI:bvr5.12:bd01/01/2020:br5.12:svnAcer:pnOneS1003:pvrV1:rvnX:rn-Y:cvnZ:ct32:skupn:"

    static let matches: [(label: String, modalias: String, machine: String, match: String)] = [
        (
            "", "acpi:KIOX000A:KIOX000A:", machine,
            "sensor:modalias:acpi:KIOX000A:KIOX000A::dmi:*:svnAcer:pnOneS1003:*"
        ),
        (
            "accel-display", "platform:cros-ec-accel", machine,
            "sensor:accel-display:modalias:platform:cros-ec-accel:dmi:*:svnAcer:pnOneS1003:*"
        ),
        ("", "i2c:lis3dh", "", "sensor:modalias:i2c:lis3dh:*"),
        ("", "i2c:lis3dh", "dmi:bvnAMI:", "sensor:modalias:i2c:lis3dh:*"),
        ("", "i2c:lis3dh", "dmi:bvnAMI:pnBox:", "sensor:modalias:i2c:lis3dh:dmi:*:pnBox:*"),
        // udev replaces the parentheses in its key.
        (
            "", "of:NaccelT(null)Cst,lis3dh", "dmi:svnQEMU:pnStandardPC(Q35+ICH9,2009):pvrpc:",
            "sensor:modalias:of:NaccelT?null?Cst,lis3dh:dmi:*:svnQEMU:pnStandardPC?Q35+ICH9,2009?:*"
        ),
        ("", "of:N[a]T*C?\\,b", "dmi:svnA*:pnB\u{1B}:", "sensor:modalias:of:N?a?T?C??,b:dmi:*:svnA?:pnB?:*"),
    ]

    @Test(arguments: matches.indices)
    func `the match has the sensor's modalias and the machine's vendor and product, but not its firmware`(index: Int) {
        let (label, modalias, machine, match) = Self.matches[index]
        #expect(HwdbEntry.match(label: label, modalias: modalias, machine: machine) == match)
    }

    // MARK: - The file

    static let other = "# other\nsensor:modalias:acpi:B:*\n ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, 1\n"
    static let old = "sensor:modalias:acpi:A:*\n ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, 1\n"
    static let shared = "sensor:modalias:acpi:A:*\nsensor:modalias:acpi:B:*\n ACCEL_LOCATION=base\n"

    static let files: [(String, String)] = [
        ("", text), (text, text), (old, text), (other, other + "\n" + text),
        (String(other.dropLast()), other + "\n" + text), (old + "\n" + other, other + "\n" + text),
        (other + "\n" + text, other + "\n" + text), (shared, shared + "\n" + text),
        ("# mine\n\n" + old, "# mine\n\n" + text),
        // Blank lines are kept.
        ("\n\n", "\n\n" + text), (other + "\n\n" + text, other + "\n\n" + text),
        // So are a record's other properties, and comments.
        (old + " ACCEL_LOCATION=base\n", "sensor:modalias:acpi:A:*\n ACCEL_LOCATION=base\n\n" + text),
        ("# by trial\n" + old + "\n" + other, "# by trial\n\n" + other + "\n" + text),
        ("sensor:modalias:acpi:A:* \n \t ACCEL_MOUNT_MATRIX=1\n", text),
    ]

    @Test(arguments: files.indices)
    func `a record replaces an earlier matrix, goes to the end of the file, and changes nothing else`(
        index: Int
    ) {
        let added = Self.entry.added(to: Array(Self.files[index].0.utf8))
        #expect(String(decoding: added, as: UTF8.self) == Self.files[index].1)
    }

    @Test(arguments: ["", other, shared, "# mine\n", other + "\n" + shared])
    func `a record that is removed leaves the file as it was`(file: String) {
        let added = Self.entry.added(to: Array(file.utf8))
        let removed = Self.entry.removed(from: added)
        #expect(String(decoding: removed.rest, as: UTF8.self) == file)
        #expect(removed.matrices == [Self.entry.value])
    }

    @Test(arguments: ["", other, shared, "sensor:modalias:acpi:A:*\n ACCEL_LOCATION=base\n"])
    func `where there is no matrix for the match, nothing is removed`(file: String) {
        let removed = Self.entry.removed(from: Array(file.utf8))
        #expect(String(decoding: removed.rest, as: UTF8.self) == file)
        #expect(removed.matrices.isEmpty)
    }

    @Test func `lines may end in CR LF`() {
        let file = Self.old.replacing("\n", with: "\r\n")
        #expect(
            Self.entry.added(to: Array((file + "\r\n" + Self.other).utf8))
                == Array((Self.other + "\n" + Self.text).utf8)
        )
    }

    @Test(arguments: [(text, true), (old, false), ("#" + text.replacing("\n", with: "\n#"), false), ("", false)])
    func `a matrix is found where a record sets it`(file: String, hasMatrix: Bool) {
        #expect(HwdbEntry.isMatrix(Self.entry.value, in: Array(file.utf8)) == hasMatrix)
    }

    @Test func `bytes that are not UTF-8 are kept`() {
        let latin = Array("# Ger".utf8) + [0xE4] + Array("t\n".utf8)
        #expect(Self.entry.added(to: latin) == latin + Array(("\n" + Self.text).utf8))
    }
}

@Suite struct CalibrateGuideTests {
    @Test(arguments: MountCalibration.Pose.allCases, [false, true])
    func `all lines of the pictures are equally wide`(pose: MountCalibration.Pose, isWide: Bool) {
        for line in pose.picture(isWide: isWide) { #expect(line.count == Pose.width, "\(line)") }
    }

    @Test(arguments: [false, true])
    func `the arrow points to the display's own top: up first, then left`(isWide: Bool) {
        let upright = MountCalibration.Pose.upright.picture(isWide: isWide).joined()
        let left = MountCalibration.Pose.leftEdge.picture(isWide: isWide).joined()
        #expect(upright.contains("▲"))
        #expect(left.contains("│◀"))
        #expect(upright.contains("┌───────┐") == !isWide)
        #expect(left.contains("┌───────┐") == isWide)
    }
}

@Suite struct ProgramTests {
    @Test func `exit status 0 is success`() throws {
        try Program.run(["true"])
    }

    @Test(arguments: [
        (["sh", "-c", "exit 3"], "sh -c exit 3: exited with status 3"),
        (["sh", "-c", "kill -9 $$"], "sh -c kill -9 $$: exited with status 137"),
        (["/nonexistent"], "cannot run /nonexistent: No such file or directory"),
    ])
    func `a program that fails is an error with its status`(arguments: [String], message: String) {
        let error = #expect(throws: CommandError.self) { try Program.run(arguments) }
        #expect(error?.message == message)
    }
}
