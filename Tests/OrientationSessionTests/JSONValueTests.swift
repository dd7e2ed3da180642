// SPDX-License-Identifier: Apache-2.0

import JSON
import SystemdBus
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("null", "null"), (" true\n", "true"), ("17", "17"), ("\"a\\u0000b\\\"\"", "\"a\\u0000b\\\"\""),
        ("[1, [], {}]", "[1,[],{}]"), ("{\"a\": {\"b\": null}, \"\": 2}", "{\"a\":{\"b\":null},\"\":2}"),
    ])
    func `values are read, and written on one line`(text: String, line: String) throws {
        #expect(try Self.value(text).line == line)
    }

    @Test func `a value has the parts of its own type only`() throws {
        let text = "{\"a\": [null, true, -1.5e3, \"b\\u0000\"]}"
        let list = try #require(Self.value(text)["a"]?.list)
        #expect(list.map { $0.isNull } == [true, false, false, false])
        #expect(list.map { $0.flag } == [nil, true, nil, nil])
        #expect(list.map { $0.number } == [nil, nil, -1500, nil])
        #expect(list.map { $0.text } == [nil, nil, nil, "b\0"])
        #expect(try Self.value(text).members.map { Array($0.keys) } == ["a"])
        #expect(list.allSatisfy { $0.list == nil && $0.members == nil && $0["a"] == nil })
        #expect(try Self.value(text)["b"] == nil)
    }

    @Test func `a value outlives the one that it is a part of`() throws {
        let part = try #require(Self.value("{\"a\": [\"b\"]}")["a"]?.list?.first)
        #expect(part.text == "b")
    }

    @Test func `an object is written in the order of its members`() {
        let object = JSONValue(["b": .text("x/\""), "a": .decimals([1, 0.5]), "c": .number(7), "d": .flag(false)])
        object.set("time", 1.5, text: "1.500")
        object.set("list", [JSONValue(["e": .texts(["f"])]), JSONValue()])
        let line = #"{"b":"x/\"","a":[1.0,0.5],"c":7,"d":false,"time":1.500,"list":[{"e":["f"]},{}]}"#
        #expect(object.line == line)
    }

    private static func value(_ text: String) throws -> JSONValue { try JSONValue(Array(text.utf8)) }

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
        #expect(try Self.value(JSONValue.quoted(text)).text == text)
    }

    @Test func `only whole numbers of 32 bits are integers`() throws {
        #expect(try Self.value("-2").integer == -2)
        for text in ["0.5", "1e10", "-1e300", "\"1\""] { #expect(try Self.value(text).integer == nil) }
    }
}
