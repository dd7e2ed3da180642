// SPDX-License-Identifier: Apache-2.0

import CJSON
package import SystemdBus

/// A value of JSON, held by json-c.
package final class JSONValue {
    /// How deep lists and objects may be nested.
    private static let depth: Int32 = 32

    /// Nil for null.
    private let value: OpaquePointer?

    /// Reads one value, which only white space may surround.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        let length = bytes.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.map { $0 + 1 } ?? 0
        guard length > 0 else { throw JSONError(problem: "there is no value", offset: 0) }
        guard let tokener = json_tokener_new_ex(Self.depth), let count = Int32(exactly: length + 1) else {
            throw JSONError(problem: "out of memory", offset: 0)
        }
        defer { json_tokener_free(tokener) }
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8)
        // The zero shows json-c that a number has ended.
        value = (bytes[..<length] + [0]).withUnsafeBytes { text in
            json_tokener_parse_ex(tokener, text.baseAddress?.assumingMemoryBound(to: CChar.self), count)
        }
        let end = min(Int(json_tokener_get_parse_end(tokener)), length)
        switch json_tokener_get_error(tokener) {
        case json_tokener_success where end == length: break
        case json_tokener_success: throw JSONError(problem: "there is more than one value", offset: end)
        case json_tokener_continue: throw JSONError(problem: "it is incomplete", offset: length)
        case let error: throw JSONError(problem: String(cString: json_tokener_error_desc(error)), offset: end)
        }
    }

    package init(_ members: KeyValuePairs<String, PropertyValue> = [:]) {
        value = json_object_new_object()
        for (name, value) in members { set(name, value) }
    }

    /// Takes over a reference.
    private init(owning value: OpaquePointer?) { self.value = value }

    deinit { json_object_put(value) }

    // MARK: - Reading

    /// The value of a member; nil if this is no object or has no such member.
    package subscript(name: String) -> JSONValue? {
        var member: OpaquePointer?
        return json_object_object_get_ex(value, name, &member) != 0 ? JSONValue(owning: json_object_get(member)) : nil
    }

    package var isNull: Bool { value == nil }

    package var flag: Bool? { has(json_type_boolean) ? json_object_get_boolean(value) != 0 : nil }

    package var text: String? {
        guard has(json_type_string), let text = json_object_get_string(value) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(json_object_get_string_len(value)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The number; nil also for NaN and infinities, which json-c reads although JSON lacks them.
    package var number: Double? {
        guard has(json_type_double) || has(json_type_int) else { return nil }
        let number = json_object_get_double(value)
        return number.isFinite ? number : nil
    }

    /// The number, if it is a whole one that fits into 32 bits.
    package var integer: Int? { number.flatMap { Int32(exactly: $0) }.map { Int($0) } }

    package var list: [JSONValue]? {
        guard has(json_type_array) else { return nil }
        return (0..<json_object_array_length(value)).map {
            JSONValue(owning: json_object_get(json_object_array_get_idx(value, $0)))
        }
    }

    package var members: [String: JSONValue]? {
        guard has(json_type_object) else { return nil }
        var members: [String: JSONValue] = [:]
        var next = json_object_iter_begin(value)
        var end = json_object_iter_end(value)
        while json_object_iter_equal(&next, &end) == 0 {
            if let name = json_object_iter_peek_name(&next) {
                members[String(cString: name)] = JSONValue(owning: json_object_get(json_object_iter_peek_value(&next)))
            }
            json_object_iter_next(&next)
        }
        return members
    }

    private func has(_ type: json_type) -> Bool { json_object_get_type(value) == type }

    // MARK: - Writing

    package func set(_ name: String, _ value: PropertyValue) {
        let value =
            switch value {
            case .text(let text), .path(let text): json_object_new_string(text)
            case .texts(let texts): Self.array(texts.map { json_object_new_string($0) })
            case .flag(let flag): json_object_new_boolean(flag ? 1 : 0)
            case .number(let number): json_object_new_int64(Int64(number))
            case .decimal(let number): Self.number(number)
            case .decimals(let numbers): Self.array(numbers.map { Self.number($0) })
            case .vector(let x, let y, let z): Self.array([x, y, z].map { Self.number($0) })
            }
        json_object_object_add(self.value, name, value)
    }

    /// Sets a number, printed as `text`, which must be valid JSON, or else in its shortest form.
    package func set(_ name: String, _ number: Double, text: String?) {
        json_object_object_add(value, name, Self.number(number, text: text))
    }

    package func set(_ name: String, _ values: [JSONValue]) {
        json_object_object_add(value, name, Self.array(values.map { json_object_get($0.value) }))
    }

    private static func number(_ value: Double, text: String? = nil) -> OpaquePointer? {
        json_object_new_double_s(value, text ?? "\(value)")
    }

    private static func array(_ elements: [OpaquePointer?]) -> OpaquePointer? {
        let array = json_object_new_array()
        for element in elements { json_object_array_add(array, element) }
        return array
    }

    /// The value on one line.
    package var line: String { text(JSON_C_TO_STRING_PLAIN) }

    /// The value indented, for people to read.
    package var pretty: String { text(JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED) }

    private func text(_ flags: Int32) -> String {
        json_object_to_json_string_ext(value, flags | JSON_C_TO_STRING_NOSLASHESCAPE).map { String(cString: $0) } ?? ""
    }

    /// The JSON of a text, with its quotation marks.
    package static func quoted(_ text: String) -> String {
        JSONValue(owning: json_object_new_string(text)).line
    }
}

/// Why a text is no JSON.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package let problem: String
    /// The number of bytes before the problem.
    package let offset: Int

    package var description: String { "invalid JSON after \(offset) bytes: \(problem)" }
}
