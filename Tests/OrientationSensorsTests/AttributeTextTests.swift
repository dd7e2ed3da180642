// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import Testing

@Suite
struct `The text of an attribute` {
    @Test(arguments: [
        ("0.009577", 0.009577), ("-1000000", -1_000_000), ("12\n", 12), (" 1e-3 ", 0.001), ("0", 0),
        ("", nil), (" ", nil), ("nan", nil), ("inf", nil), ("-infinity", nil), ("1e999", nil), ("12abc", nil),
        ("1 2", nil), ("1,5", nil), ("scale", nil),
    ])
    func `is a number as a whole or not at all`(text: String, expected: Double?) {
        #expect(AttributeText.number(text) == expected)
    }

    @Test(arguments: [(25.0, "25"), (12.5, "12.5"), (0.78125, "0.78125"), (100.0, "100"), (0, "0"), (10.1, "10.1")])
    func `writes a rate in its shortest form`(number: Double, expected: String) {
        #expect(AttributeText.shortest(number) == expected)
    }

    @Test(arguments: [
        "0, -1, 0; 1, 0, 0; 0, 0, 1", "0,-1,0;1,0,0;0,0,1\n", " 0.0 ,-1.0, 0 ;1,0,0; 0,0,1.000",
    ])
    func `is a mount matrix of three rows of three`(text: String) throws {
        let rows = try #require(AttributeText.matrixRows(text))
        #expect(rows.x == Vector3(0, -1, 0))
        #expect(rows.y == Vector3(1, 0, 0))
        #expect(rows.z == Vector3(0, 0, 1))
        #expect(rows.rest == "")
    }

    @Test(arguments: [
        ("1, 0, 0; 0, -1, 0; 0, 0, 1;", ";"), ("1,0,0;0,-1,0;0,0,1 # y is inverted \n", "# y is inverted"),
        ("1, 0, 0; 0, -1, 0; 0, 0, 1; 0, 0, 1", "; 0, 0, 1"), ("1, 0, 0; 0, -1, 0; 0, 0, 1x", "x"),
        ("1, 0, 0; 0, -1, 0; 0, 0, 1, ", ","),
    ])
    func `is a mount matrix with something behind it`(text: String, rest: String) throws {
        let rows = try #require(AttributeText.matrixRows(text))
        #expect((rows.x, rows.y, rows.z) == (Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1)))
        #expect(rows.rest == rest)
    }

    @Test(arguments: [
        "", "1", "1, 0, 0; 0, 1, 0", "\"1, 0, 0; 0, 1, 0; 0, 0, 1\"", "1, 0, 0; 0, 1, 0; 0, 0",
        "1, 0, 0, 0, 1, 0, 0, 0, 1",
        "1, 0, 0; 0, 1, 0; 0, 0, nan", "1, 0, 0; 0, 1, 0; 0, 0, x", "1 0 0; 0 1 0; 0 0 1", "1, 0, 0;; 0, 1, 0; 0, 0, 1",
        "1, , 0; 0, 1, 0; 0, 0, 1", "1, 0, 0, 0; 0, 1, 0; 0, 0, 1",
    ])
    func `is no mount matrix otherwise`(text: String) {
        #expect(AttributeText.matrixRows(text) == nil)
    }

    @Test(arguments: [
        ("nan", "\"nan\""), ("a\nb\u{1b}[0m", "\"a?b?[0m\""), ("say \"hi\"", "\"say ?hi?\""),
        (String(repeating: "x", count: 81), "\"" + String(repeating: "x", count: 80) + "…\""),
    ])
    func `is quoted for a log on one line`(text: String, expected: String) {
        #expect(AttributeText.quoted(text) == expected)
    }
}

@Suite
struct `The location of a sensor` {
    @Test(arguments: [
        ("display", SensorLocation.display), ("base", .base), ("lid", nil), ("", nil),
    ])
    func `is told by udev`(text: String, expected: SensorLocation?) {
        #expect(SensorLocation(udev: text) == expected)
    }

    @Test(arguments: [
        ("accel-display", SensorLocation.display), ("accel-base", .base), ("display", nil),
    ])
    func `is told by the label`(text: String, expected: SensorLocation?) {
        #expect(SensorLocation(label: text) == expected)
    }

    @Test(arguments: [
        ("lid", SensorLocation.display), ("base", .base), ("camera", nil),
    ])
    func `is told by the attribute of Chromebooks`(text: String, expected: SensorLocation?) {
        #expect(SensorLocation(attribute: text) == expected)
    }

    @Test func `the name that a device gives itself is one line of at most 80 characters`() {
        #expect(AttributeText.name("größer 3") == "größer 3")
        #expect(AttributeText.name("a\n<3>orientd: \u{1b}[31m\u{9b}") == "a\u{fffd}<3>orientd: \u{fffd}[31m\u{fffd}")
        #expect(AttributeText.name(String(repeating: "ä", count: 4000)) == String(repeating: "ä", count: 80))
    }
}
