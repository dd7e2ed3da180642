// SPDX-License-Identifier: Apache-2.0

import CJSON

/// A value of JSON, read by json-c.
package enum JSONValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// How deep lists and objects may be nested.
    private static let depth: Int32 = 32

    /// Reads one value, which only white space may surround.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        let length = bytes.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? 0
        guard length > 0 else { throw JSONError(problem: "there is no value", offset: 0) }
        guard let tokener = json_tokener_new_ex(Self.depth), let count = Int32(exactly: length + 1) else {
            throw JSONError(problem: "out of memory", offset: 0)
        }
        defer { json_tokener_free(tokener) }
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8)
        // The zero shows json-c that a number has ended.
        let object = (bytes[..<length] + [0]).withUnsafeBytes { text in
            json_tokener_parse_ex(tokener, text.baseAddress?.assumingMemoryBound(to: CChar.self), count)
        }
        defer { json_object_put(object) }
        let end = min(Int(json_tokener_get_parse_end(tokener)), length)
        switch json_tokener_get_error(tokener) {
        case json_tokener_success where end == length: self.init(object)
        case json_tokener_success: throw JSONError(problem: "there is more than one value", offset: end)
        case json_tokener_continue: throw JSONError(problem: "it is incomplete", offset: length)
        case let error: throw JSONError(problem: String(cString: json_tokener_error_desc(error)), offset: end)
        }
    }

    private init(_ object: OpaquePointer?) {
        switch json_object_get_type(object) {
        case json_type_boolean: self = .flag(json_object_get_boolean(object) != 0)
        case json_type_double, json_type_int:
            // json-c reads NaN and Infinity, which are no JSON.
            let number = json_object_get_double(object)
            self = number.isFinite ? .number(number) : .null
        case json_type_string: self = .text(Self.text(of: object))
        case json_type_array:
            let indices = 0..<json_object_array_length(object)
            self = .list(indices.map { JSONValue(json_object_array_get_idx(object, $0)) })
        case json_type_object:
            var members: [String: JSONValue] = [:]
            var next = json_object_iter_begin(object)
            var end = json_object_iter_end(object)
            while json_object_iter_equal(&next, &end) == 0 {
                let value = JSONValue(json_object_iter_peek_value(&next))
                if let name = json_object_iter_peek_name(&next) { members[String(cString: name)] = value }
                json_object_iter_next(&next)
            }
            self = .object(members)
        default: self = .null
        }
    }

    private static func text(of object: OpaquePointer?) -> String {
        guard let text = json_object_get_string(object) else { return "" }
        let length = Int(json_object_get_string_len(object))
        return text.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    // MARK: - Parts

    /// The value of a member; nil if this is no object or has no such member.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    package var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The number, if it is a whole one that fits into 32 bits.
    package var integer: Int? { number.flatMap { Int32(exactly: $0) }.map { Int($0) } }

    package var list: [JSONValue]? {
        guard case .list(let list) = self else { return nil }
        return list
    }

    package var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The JSON of a text, with its quotation marks.
    package static func quoted(_ text: String) -> String {
        let object = json_object_new_string(text)
        defer { json_object_put(object) }
        let flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE
        return json_object_to_json_string_ext(object, flags).map { String(cString: $0) } ?? ""
    }
}

/// Why a text is no JSON.
package struct JSONError: Error, Hashable, Sendable {
    package let problem: String
    /// The number of bytes before the problem.
    package let offset: Int
}

extension JSONError: CustomStringConvertible {
    package var description: String { "invalid JSON after \(offset) bytes: \(problem)" }
}
