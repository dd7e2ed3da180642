// SPDX-License-Identifier: Apache-2.0

import CLinux
import CXCB
import POSIX

/// A connection to an X server.
///
/// A call that needs a reply waits for the server.
final class X11Connection {
    /// The server's display, for messages.
    let name: String
    /// The default screen as it was when the connection was made.
    let screen: xcb_screen_t

    private let connection: OpaquePointer
    private var atoms: [String: xcb_atom_t] = [:]

    /// Connects to a display, such as `:0`.
    init(to name: String) throws(SystemError) {
        self.name = name
        var number: Int32 = 0
        guard let connection = xcb_connect(name, &number) else {
            throw SystemError("connect to the X server at", name, errno: Errno(ENOMEM))
        }
        let failure = xcb_connection_has_error(connection)
        var screens = failure == 0 ? xcb_setup_roots_iterator(xcb_get_setup(connection)) : xcb_screen_iterator_t()
        guard failure == 0, number >= 0, number < screens.rem else {
            xcb_disconnect(connection)
            let isRefused = failure != 0 && failure != XCB_CONN_CLOSED_PARSE_ERR
            throw SystemError("connect to the X server at", name, errno: isRefused ? Errno(ECONNREFUSED) : .invalid)
        }
        for _ in 0..<number { xcb_screen_next(&screens) }
        screen = screens.data.pointee
        self.connection = connection
    }

    deinit { xcb_disconnect(connection) }

    var root: xcb_window_t { screen.root }

    /// Readable when events may have arrived; those that arrive with a reply are queued without that.
    var descriptor: Int32 { xcb_get_file_descriptor(connection) }

    /// Whether the connection has ended; nothing can be asked then.
    var isBroken: Bool { xcb_connection_has_error(connection) != 0 }

    /// The numbers of an extension; nil if the server lacks it.
    func numbers(ofExtension name: String) -> (opcode: UInt8, firstEvent: UInt8)? {
        let reply = ask(xcb_query_extension_reply) { xcb_query_extension($0, UInt16(name.utf8.count), name) }
        guard let header = reply?.header, header.present != 0 else { return nil }
        return (header.major_opcode, header.first_event)
    }

    func atom(_ name: String) -> xcb_atom_t {
        if let atom = atoms[name] { return atom }
        let atom = ask(xcb_intern_atom_reply) { xcb_intern_atom($0, 0, UInt16(name.utf8.count), name) }?.header.atom
        atoms[name] = atom
        return atom ?? xcb_atom_t(XCB_NONE)
    }

    // MARK: - Requests

    /// Makes a request and waits for its reply; nil if the server refuses it, or if the reply is malformed.
    func ask<Cookie, Header: BitwiseCopyable>(
        _ receive: (
            OpaquePointer?, Cookie, UnsafeMutablePointer<UnsafeMutablePointer<xcb_generic_error_t>?>?
        ) -> UnsafeMutablePointer<Header>?,
        _ request: (OpaquePointer) -> Cookie
    ) -> X11Reply<Header>? {
        var error: UnsafeMutablePointer<xcb_generic_error_t>?
        let reply = receive(connection, request(connection), &error)
        free(error)
        return reply.flatMap { X11Reply(consuming: $0) }
    }

    /// Makes a request without a reply; an error is ignored, as objects may vanish at any time.
    func send(_ request: (OpaquePointer) -> xcb_void_cookie_t) { _ = request(connection) }

    /// Makes a checked request, and returns whether it succeeded.
    func succeeds(_ request: (OpaquePointer) -> xcb_void_cookie_t) -> Bool {
        let error = xcb_request_check(connection, request(connection))
        free(error)
        return error == nil && !isBroken
    }

    func flush() { xcb_flush(connection) }

    /// Returns when the server has handled all requests.
    ///
    /// If the connection is closed while an event is unread, the server drops requests that it has not read.
    func finish() { _ = ask(xcb_get_input_focus_reply) { xcb_get_input_focus($0) } }

    /// Removes the next event from the queue; nil if none has arrived.
    func nextEvent() -> X11Event? {
        guard let event = xcb_poll_for_event(connection) else { return nil }
        defer { free(event) }
        let size = MemoryLayout<xcb_generic_event_t>.size
        return X11Event(bytes: [UInt8](UnsafeRawBufferPointer(start: event, count: size)))
    }
}

/// The first 36 bytes of an event, which every event of libxcb has.
struct X11Event {
    fileprivate let bytes: [UInt8]

    /// The number of the event; 0 for an error.
    var number: UInt8 { bytes[0] & 0x7f }

    /// The event as one of the types of libxcb, which have no more bytes.
    func fields<Fields: BitwiseCopyable>(_ type: Fields.Type) -> Fields {
        bytes.withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}

/// A reply: its fixed part, and what follows it, which is read with the reply's own length as the limit.
///
/// libxcb's accessors trust the counts in a reply.
struct X11Reply<Header: BitwiseCopyable> {
    let header: Header
    private let bytes: [UInt8]

    /// Copies and frees a reply of libxcb; nil if it is shorter than its fixed part.
    fileprivate init?(consuming reply: UnsafeMutablePointer<Header>) {
        defer { free(reply) }
        let start = UnsafeRawPointer(reply)
        // Bytes 4 to 7 count the words after the first 32 bytes, all of which libxcb has read.
        let count = 32 + 4 * Int(start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard count >= MemoryLayout<Header>.size else { return nil }
        header = reply.pointee
        bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The values from `offset` on; nil if there are fewer than `count`.
    func values<Value: BitwiseCopyable>(
        _ type: Value.Type = Value.self,
        count: Int,
        at offset: Int = MemoryLayout<Header>.size
    ) -> [Value]? {
        let size = MemoryLayout<Value>.size
        guard offset >= 0, count >= 0, offset + count * size <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map { bytes.loadUnaligned(fromByteOffset: offset + $0 * size, as: type) }
        }
    }

    /// The values of a property; nil if its format is not that of these values.
    func values<Value: BitwiseCopyable>(format: UInt8, count: Int) -> [Value]? {
        Int(format) == 8 * MemoryLayout<Value>.size ? values(count: count) : nil
    }
}
