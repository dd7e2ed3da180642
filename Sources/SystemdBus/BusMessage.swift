// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
package import POSIX

/// A D-Bus message: values are read from its start and appended to its end.
///
/// Reading the wrong type, or past the end, throws a ``BusError`` of `InvalidArgs`.
package final class BusMessage {
    private let message: OpaquePointer

    /// Adds a reference to a message that libsystemd owns.
    init(borrowing message: OpaquePointer) { self.message = sd_bus_message_ref(message) }

    /// Takes ownership of a reference.
    init(owning message: OpaquePointer) { self.message = message }

    deinit { sd_bus_message_unref(message) }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(message) }

    // MARK: - Header

    /// The unique name of the sending connection; empty for a message that was created here.
    package var sender: String { String(optional: sd_bus_message_get_sender(message)) }

    /// The path of the object; empty for a reply.
    package var path: String { String(optional: sd_bus_message_get_path(message)) }

    /// Returns the path of an object below `prefix` whose last part stands for any text; nil for an invalid prefix.
    package static func path(_ prefix: String, _ text: String) -> String? {
        var path: UnsafeMutablePointer<CChar>?
        guard sd_bus_path_encode(prefix, text, &path) >= 0, let path else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The interface of the method or signal; empty if the message names none.
    package var interface: String { String(optional: sd_bus_message_get_interface(message)) }

    /// The name of the method or signal; empty if the message names none.
    package var member: String { String(optional: sd_bus_message_get_member(message)) }

    /// Whether the caller waits for a reply.
    package var expectsReply: Bool { sd_bus_message_get_expect_reply(message) > 0 }

    /// Whether polkit may ask the user before it decides on this call.
    package var allowsInteractiveAuthorization: Bool {
        sd_bus_message_get_allow_interactive_authorization(message) > 0
    }

    /// The error; nil for other messages.
    package var error: BusError? {
        guard let error = sd_bus_message_get_error(message) else { return nil }
        return BusError(String(optional: error.pointee.name), String(optional: error.pointee.message))
    }

    // MARK: - Reading

    package func readString() throws(BusError) -> String {
        String(optional: try read(SD_BUS_TYPE_STRING, nil as UnsafePointer<CChar>?))
    }

    package func readObjectPath() throws(BusError) -> String {
        String(optional: try read(SD_BUS_TYPE_OBJECT_PATH, nil as UnsafePointer<CChar>?))
    }

    package func readBool() throws(BusError) -> Bool { try read(SD_BUS_TYPE_BOOLEAN, Int32(0)) != 0 }
    package func readUInt32() throws(BusError) -> UInt32 { try read(SD_BUS_TYPE_UINT32, 0) }
    package func readUInt64() throws(BusError) -> UInt64 { try read(SD_BUS_TYPE_UINT64, 0) }
    package func readDouble() throws(BusError) -> Double { try read(SD_BUS_TYPE_DOUBLE, 0) }

    /// Reads a file descriptor and duplicates it; the message keeps its own.
    package func readFileDescriptor() throws(BusError) -> FileDescriptor {
        let copy = orientd_duplicate(try read(SD_BUS_TYPE_UNIX_FD, -1), STDERR_FILENO + 1)
        guard copy >= 0 else { throw .failed("cannot copy a file descriptor: \(Errno.current)") }
        return FileDescriptor(owning: copy)
    }

    /// Reads a value of a basic type in place of `value`.
    private func read<Value>(_ type: some BinaryInteger, _ value: Value) throws(BusError) -> Value {
        var value = value
        let result = withUnsafeMutablePointer(to: &value) { sd_bus_message_read_basic(message, CChar(type), $0) }
        guard result > 0 else { throw .unexpectedTypes }
        return value
    }

    /// The signature of the contents if the next value is a variant; empty otherwise.
    package func peekVariantContents() -> String {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(message, &type, &contents)
        return result > 0 && type == CChar(SD_BUS_TYPE_VARIANT) ? String(optional: contents) : ""
    }

    /// Whether the values take more than about `limit` bytes, or are malformed; nothing counts as read afterwards.
    package func isLarger(than limit: Int) -> Bool {
        var rest = limit
        let isLarger = !fits(in: &rest)
        sd_bus_message_rewind(message, 1)
        return isLarger
    }

    /// Subtracts what the rest of the present container takes from `size`; false where that is not enough.
    private func fits(in size: inout Int) -> Bool {
        while size >= 0 {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            guard sd_bus_message_peek_type(message, &type, &contents) > 0 else {
                return sd_bus_message_at_end(message, 0) > 0
            }
            size -= 8
            if contents != nil {
                guard sd_bus_message_enter_container(message, type, contents) > 0, fits(in: &size),
                    sd_bus_message_exit_container(message) >= 0
                else { return false }
            } else if [SD_BUS_TYPE_STRING, SD_BUS_TYPE_OBJECT_PATH, SD_BUS_TYPE_SIGNATURE].contains(where: {
                CChar($0) == type
            }) {
                var text: UnsafePointer<CChar>?
                guard sd_bus_message_read_basic(message, type, &text) > 0, let text else { return false }
                size -= strlen(text)
            } else {
                var value: UInt64 = 0
                guard sd_bus_message_read_basic(message, type, &value) > 0 else { return false }
            }
        }
        return false
    }

    /// Skips the next value of any type.
    package func skip() throws(BusError) {
        guard sd_bus_message_skip(message, nil) >= 0 else { throw .invalidArguments("the message is malformed") }
    }

    /// Reads an array; `element` is called for each element.
    package func readArray(_ contents: String, _ element: () throws(BusError) -> Void) throws(BusError) {
        try readContainer(SD_BUS_TYPE_ARRAY, contents) { () throws(BusError) in
            while sd_bus_message_at_end(message, 0) == 0 { try element() }
        }
    }

    package func readStruct(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try readContainer(SD_BUS_TYPE_STRUCT, contents, body)
    }

    package func readDictionaryEntry(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try readContainer(SD_BUS_TYPE_DICT_ENTRY, contents, body)
    }

    /// Reads a dictionary, which is an array of entries; `entry` is called for each.
    package func readDictionary(_ contents: String, _ entry: () throws(BusError) -> Void) throws(BusError) {
        try readArray("{\(contents)}") { () throws(BusError) in try readDictionaryEntry(contents, entry) }
    }

    /// Reads a variant; the error for one of another type names both types.
    package func readVariant<Value>(
        _ contents: String,
        _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        let found = peekVariantContents()
        guard found.isEmpty || found == contents else {
            throw .invalidArguments("the value is of type \(found), not \(contents)")
        }
        return try readContainer(SD_BUS_TYPE_VARIANT, contents, body)
    }

    private func readContainer<Value>(
        _ type: some BinaryInteger,
        _ contents: String,
        _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        guard sd_bus_message_enter_container(message, CChar(type), contents) > 0 else { throw .unexpectedTypes }
        let value = try body()
        guard sd_bus_message_exit_container(message) >= 0 else { throw .unexpectedTypes }
        return value
    }

    // MARK: - Appending

    // Appending fails only if memory is short or the value is invalid. It poisons the message, and sending it then
    // reports the failure: sd_bus_message_append(3).

    package func append(_ value: String) {
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_STRING), value)
    }

    package func append(objectPath value: String) {
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_OBJECT_PATH), value)
    }

    package func append(_ value: Bool) { append(SD_BUS_TYPE_BOOLEAN, Int32(value ? 1 : 0)) }
    package func append(_ value: Int32) { append(SD_BUS_TYPE_INT32, value) }
    package func append(_ value: UInt32) { append(SD_BUS_TYPE_UINT32, value) }
    package func append(_ value: Double) { append(SD_BUS_TYPE_DOUBLE, value) }

    private func append<Value>(_ type: some BinaryInteger, _ value: Value) {
        _ = withUnsafePointer(to: value) { sd_bus_message_append_basic(message, CChar(type), $0) }
    }

    package func appendArray(_ contents: String, _ body: () -> Void) {
        append(SD_BUS_TYPE_ARRAY, contents, body)
    }

    package func appendStruct(_ contents: String, _ body: () -> Void) {
        append(SD_BUS_TYPE_STRUCT, contents, body)
    }

    package func appendDictionaryEntry(_ contents: String, _ body: () -> Void) {
        append(SD_BUS_TYPE_DICT_ENTRY, contents, body)
    }

    package func appendVariant(_ contents: String, _ body: () -> Void) {
        append(SD_BUS_TYPE_VARIANT, contents, body)
    }

    private func append(_ type: some BinaryInteger, _ contents: String, _ body: () -> Void) {
        sd_bus_message_open_container(message, CChar(type), contents)
        body()
        sd_bus_message_close_container(message)
    }

    // MARK: - Replying

    // Failures are ignored: Bus.onDisconnect reports a closed connection.

    /// Replies to a method call with the values that `body` appends; does nothing if the caller wants no reply.
    package func reply(_ body: (BusMessage) -> Void = { _ in }) {
        guard expectsReply else { return }
        var answer: OpaquePointer?
        guard sd_bus_message_new_method_return(message, &answer) >= 0, let answer else { return }
        let reply = BusMessage(owning: answer)
        body(reply)
        sd_bus_message_send(answer)
    }

    package func reply(_ error: BusError) {
        var answer = sd_bus_error()
        sd_bus_error_set(&answer, error.name, error.message)
        sd_bus_reply_method_error(message, &answer)
        sd_bus_error_free(&answer)
    }
}

extension String {
    /// Copies a C string; a null pointer is the empty string.
    init(optional pointer: UnsafePointer<CChar>?) {
        if let pointer {
            self.init(cString: pointer)
        } else {
            self = ""
        }
    }
}
