// SPDX-License-Identifier: Apache-2.0

import CJSON
import SystemdBus

/// A JSON object, built and printed by json-c.
final class JSONObject {
    private let object: OpaquePointer?

    init() { object = json_object_new_object() }

    deinit { json_object_put(object) }

    func set(_ key: String, _ value: String) { json_object_object_add(object, key, json_object_new_string(value)) }

    func set(_ key: String, _ value: Bool) {
        json_object_object_add(object, key, json_object_new_boolean(value ? 1 : 0))
    }

    func set(_ key: String, _ value: Int) { json_object_object_add(object, key, json_object_new_int64(Int64(value))) }

    /// Sets a number, printed as `text`, which must be valid JSON, or else in its shortest form.
    func set(_ key: String, _ value: Double, text: String? = nil) {
        json_object_object_add(object, key, json_object_new_double_s(value, text ?? "\(value)"))
    }

    func set(_ key: String, _ values: [Double]) {
        let array = json_object_new_array()
        for value in values { json_object_array_add(array, json_object_new_double_s(value, "\(value)")) }
        json_object_object_add(object, key, array)
    }

    func set(_ key: String, _ value: PropertyValue) {
        switch value {
        case .text(let text), .path(let text): set(key, text)
        case .flag(let flag): set(key, flag)
        case .number(let number): set(key, Int(number))
        case .decimal(let number): set(key, number)
        case .decimals(let numbers): set(key, numbers)
        case .vector(let x, let y, let z): set(key, [x, y, z])
        }
    }

    /// Sets a list of objects.
    func set(_ key: String, _ values: [JSONObject]) {
        let array = json_object_new_array()
        for value in values { json_object_array_add(array, json_object_get(value.object)) }
        json_object_object_add(object, key, array)
    }

    /// The object on one line.
    var line: String { text(JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) }

    /// The object indented, for people to read.
    var pretty: String { text(JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE) }

    private func text(_ flags: Int32) -> String {
        json_object_to_json_string_ext(object, flags).map { String(cString: $0) } ?? ""
    }
}
