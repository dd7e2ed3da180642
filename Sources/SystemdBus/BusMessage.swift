// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
package import POSIX

/// A D-Bus message: read from the front, appended to at the end.
///
/// Reading the wrong type, or past the end, throws a ``BusError`` of `InvalidArgs`.
package final class BusMessage {
    private let message: OpaquePointer

    /// Takes a reference of its own to a message that libsystemd lends.
    init(borrowing message: OpaquePointer) {
        self.message = sd_bus_message_ref(message)
    }

    /// Takes over a reference.
    init(owning message: OpaquePointer) {
        self.message = message
    }

    deinit {
        sd_bus_message_unref(message)
    }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(message)
    }

    // MARK: - About it

    /// The unique name of the connection that sent it; empty for a message made here.
    package var sender: String { String(optional: sd_bus_message_get_sender(message)) }

    /// Says whether the caller would rather answer a password dialogue than be refused.
    package var allowsInteractiveAuthorization: Bool {
        sd_bus_message_get_allow_interactive_authorization(message) > 0
    }

    /// The error that it carries, if it is one.
    package var error: BusError? {
        guard let error = sd_bus_message_get_error(message) else { return nil }
        return BusError(String(optional: error.pointee.name), String(optional: error.pointee.message))
    }

    /// The user id of its sender, which the bus daemon is asked for.
    package func senderUserID() throws(SystemError) -> UInt32 {
        var credentials: OpaquePointer?
        try check(
            "ask for the user of",
            sender,
            sd_bus_query_sender_creds(message, UInt64(SD_BUS_CREDS_EUID), &credentials)
        )
        defer { sd_bus_creds_unref(credentials) }
        var user: UInt32 = 0
        try check("ask for the user of", sender, sd_bus_creds_get_euid(credentials, &user))
        return user
    }

    // MARK: - Reading

    package func readString() throws(BusError) -> String {
        var value: UnsafePointer<CChar>?
        try read(SD_BUS_TYPE_STRING, &value)
        return String(optional: value)
    }

    package func readObjectPath() throws(BusError) -> String {
        var value: UnsafePointer<CChar>?
        try read(SD_BUS_TYPE_OBJECT_PATH, &value)
        return String(optional: value)
    }

    package func readBool() throws(BusError) -> Bool {
        var value: Int32 = 0
        try read(SD_BUS_TYPE_BOOLEAN, &value)
        return value != 0
    }

    package func readUInt32() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try read(SD_BUS_TYPE_UINT32, &value)
        return value
    }

    package func readDouble() throws(BusError) -> Double {
        var value = 0.0
        try read(SD_BUS_TYPE_DOUBLE, &value)
        return value
    }

    /// Reads a file descriptor, as a copy that is the caller's own.
    package func readFileDescriptor() throws(BusError) -> FileDescriptor {
        var value: Int32 = -1
        try read(SD_BUS_TYPE_UNIX_FD, &value)
        let copy = orientd_duplicate(value, STDERR_FILENO + 1)
        guard copy >= 0 else {
            throw BusError("org.freedesktop.DBus.Error.Failed", "cannot copy a file descriptor: \(Errno.current)")
        }
        return FileDescriptor(owning: copy)
    }

    private func read(_ type: some BinaryInteger, _ value: UnsafeMutableRawPointer) throws(BusError) {
        let result = sd_bus_message_read_basic(message, CChar(type), value)
        guard result > 0 else { throw .invalidArguments("the arguments are not of the expected types") }
    }

    /// The signature of what the next value, a variant, holds; empty where there is no variant.
    package func peekVariantContents() -> String {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(message, &type, &contents)
        return result > 0 && type == CChar(SD_BUS_TYPE_VARIANT) ? String(optional: contents) : ""
    }

    /// Skips the next value, whatever it holds.
    package func skip() throws(BusError) {
        guard sd_bus_message_skip(message, nil) >= 0 else { throw .invalidArguments("the message is malformed") }
    }

    /// Reads every element of an array with `element`.
    package func readArray(_ contents: String, _ element: () throws(BusError) -> Void) throws(BusError) {
        try enter(SD_BUS_TYPE_ARRAY, contents)
        while sd_bus_message_at_end(message, 0) == 0 { try element() }
        try leave()
    }

    package func readStruct(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try enter(SD_BUS_TYPE_STRUCT, contents)
        try body()
        try leave()
    }

    package func readDictionaryEntry(_ contents: String, _ body: () throws(BusError) -> Void) throws(BusError) {
        try enter(SD_BUS_TYPE_DICT_ENTRY, contents)
        try body()
        try leave()
    }

    /// Reads a variant; the error when it holds another type than `contents` tells both.
    package func readVariant<Value>(
        _ contents: String,
        _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        let found = peekVariantContents()
        guard found.isEmpty || found == contents else {
            throw .invalidArguments("the value is of type \(found), not \(contents)")
        }
        try enter(SD_BUS_TYPE_VARIANT, contents)
        let value = try body()
        try leave()
        return value
    }

    private func enter(_ type: some BinaryInteger, _ contents: String) throws(BusError) {
        guard sd_bus_message_enter_container(message, CChar(type), contents) > 0 else {
            throw .invalidArguments("the arguments are not of the expected types")
        }
    }

    private func leave() throws(BusError) {
        guard sd_bus_message_exit_container(message) >= 0 else {
            throw .invalidArguments("the arguments are not of the expected types")
        }
    }

    // MARK: - Appending

    // Appending fails only for want of memory or for a value that the caller should never have passed; the message
    // is then poisoned and sending it reports the failure, as sd_bus_message_append(3) says.

    package func append(_ value: String) {
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_STRING), value)
    }

    package func append(objectPath value: String) {
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_OBJECT_PATH), value)
    }

    package func append(_ value: Bool) {
        var value: Int32 = value ? 1 : 0
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_BOOLEAN), &value)
    }

    package func append(_ value: UInt32) {
        var value = value
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_UINT32), &value)
    }

    package func append(_ value: Double) {
        var value = value
        sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_DOUBLE), &value)
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

    // MARK: - Answering

    // An answer that finds the connection closed has nobody to go to: Bus.onDisconnect tells of that, once.

    /// Answers a method call with the values that `body` appends.
    package func reply(_ body: (BusMessage) -> Void = { _ in }) {
        var answer: OpaquePointer?
        guard sd_bus_message_new_method_return(message, &answer) >= 0, let answer else { return }
        let reply = BusMessage(owning: answer)
        body(reply)
        sd_bus_message_send(reply.message)
    }

    /// Answers a method call with an error.
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
