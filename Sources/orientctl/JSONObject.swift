// SPDX-License-Identifier: Apache-2.0

import CJSON
import SystemdBus

/// A JSON object, built and printed by json-c.
final class JSONObject {
    private let object = json_object_new_object()

    init(_ members: KeyValuePairs<String, PropertyValue> = [:]) {
        for (key, value) in members { set(key, value) }
    }

    deinit { json_object_put(object) }

    func set(_ key: String, _ value: PropertyValue) {
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
        json_object_object_add(object, key, value)
    }

    /// Sets a number, printed as `text`, which must be valid JSON, or else in its shortest form.
    func set(_ key: String, _ value: Double, text: String?) {
        json_object_object_add(object, key, Self.number(value, text: text))
    }

    func set(_ key: String, _ values: [JSONObject]) {
        json_object_object_add(object, key, Self.array(values.map { json_object_get($0.object) }))
    }

    private static func number(_ value: Double, text: String? = nil) -> OpaquePointer? {
        json_object_new_double_s(value, text ?? "\(value)")
    }

    private static func array(_ elements: [OpaquePointer?]) -> OpaquePointer? {
        let array = json_object_new_array()
        for element in elements { json_object_array_add(array, element) }
        return array
    }

    /// The object on one line.
    var line: String { text(JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) }

    /// The object indented, for people to read.
    var pretty: String { text(JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE) }

    private func text(_ flags: Int32) -> String {
        json_object_to_json_string_ext(object, flags).map { String(cString: $0) } ?? ""
    }
}
