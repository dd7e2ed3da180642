// SPDX-License-Identifier: Apache-2.0

import OrientationSession
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("null", JSONValue.null),
        (" true\n", .flag(true)),
        ("17", .number(17)),
        ("-1.5e3", .number(-1500)),
        ("\"a\\u0000b\\\"\"", .text("a\0b\"")),
        ("[1, [], {}]", .list([.number(1), .list([]), .object([:])])),
        ("{\"a\": {\"b\": null}, \"\": 2}", .object(["a": .object(["b": .null]), "": .number(2)])),
    ])
    func `values are read`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        ("", 0), ("  ", 0), ("[1, 2", 5), ("{\"a\": ", 5), ("[1] 2", 4), ("[1],", 3), ("{a: 1}", 1), ("'a'", 0),
        ("tru", 3), ("\"a", 2), ("[1,]", 3), ("\0", 0), ("1\0", 1),
    ])
    func `everything else is an error with its place`(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e999"])
    func `numbers that are not finite are no numbers`(text: String) throws {
        #expect(try JSONValue(Array("[\(text)]".utf8)).list?.first?.number == nil)
    }

    @Test func `text that is not UTF-8 is an error`() {
        #expect(throws: JSONError.self) { try JSONValue([0x22, 0xFF, 0xFE, 0x22]) }
    }

    @Test func `deep nesting is an error`() throws {
        let nested = { (depth: Int) in
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(throws: JSONError.self) { try JSONValue(nested(100)) }
        _ = try JSONValue(nested(20))
    }

    @Test func `no prefix of a text is valid`() {
        let text = Array("{\"Ok\":{\"Outputs\":{\"eDP-1\":{\"logical\":null,\"modes\":[true,-1.5]}}}}".utf8)
        for count in text.indices {
            #expect(throws: JSONError.self) { try JSONValue(Array(text[..<count])) }
        }
    }

    @Test(arguments: ["", "eDP-1", "a \"b\" \\ / \n \u{1F600}"])
    func `quoted text is read as the same text`(text: String) throws {
        #expect(try JSONValue(Array(JSONValue.quoted(text).utf8)) == .text(text))
    }

    @Test func `only whole numbers of 32 bits are integers`() {
        #expect(JSONValue.number(-2).integer == -2)
        for number in [0.5, 1e10, -1e300, .infinity] { #expect(JSONValue.number(number).integer == nil) }
        #expect(JSONValue.text("1").integer == nil)
    }
}
