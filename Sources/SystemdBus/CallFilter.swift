// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// Prepares a service for reads of its properties, and keeps one client from taking all its time with them: libsystemd
/// answers them.
///
/// GetManagedObjects takes milliseconds where there are many objects: then only some calls of each connection are answered
/// in a second. Calls whose caller wants no reply, of which the bus daemon lets any number wait, are not answered at all.
package final class CallFilter {
    /// How many calls of GetManagedObjects one connection may make in a second where there are many objects.
    static let most = 4

    private let limitError: String
    private let now: () -> Double
    private let beforeRead: () -> Void
    private let hasManyObjects: () -> Bool
    private var start = 0.0
    /// The calls since the start of the present second, by connection.
    private var counts: [String: Int] = [:]

    /// `limitError` is the name of the error for too many calls; `now` is the time in seconds.
    ///
    /// `beforeRead` is called before properties are read: what it changes is in all of the reply, and what it sends is
    /// sent before.
    package init(
        limitError: String,
        now: @escaping () -> Double,
        beforeRead: @escaping () -> Void = {},
        hasManyObjects: @escaping () -> Bool
    ) {
        self.limitError = limitError
        self.now = now
        self.beforeRead = beforeRead
        self.hasManyObjects = hasManyObjects
    }

    /// Takes a call that is not to be handled any further.
    fileprivate func handles(_ message: OpaquePointer) -> Bool {
        if sd_bus_message_get_expect_reply(message) == 0, sd_bus_message_is_method_call(message, nil, nil) > 0,
            String(optional: sd_bus_message_get_interface(message)).utf8.starts(with: "org.freedesktop.DBus.".utf8)
        {
            return true
        }
        let manager = "org.freedesktop.DBus.ObjectManager"
        let readsAll = sd_bus_message_is_method_call(message, manager, "GetManagedObjects") > 0
        if readsAll, isTooMuch(message) { return true }
        if readsAll || sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", nil) > 0 {
            beforeRead()
        }
        return false
    }

    /// Counts a call for all objects, and refuses one too many.
    private func isTooMuch(_ message: OpaquePointer) -> Bool {
        guard hasManyObjects() else { return false }
        if now() - start >= 1 {
            start = now()
            counts = [:]
        }
        let call = BusMessage(borrowing: message)
        let count = counts[call.sender] ?? 0
        counts[call.sender] = count + 1
        guard count >= Self.most else { return false }
        call.reply(BusError(limitError, "this connection may ask for all objects \(Self.most) times a second"))
        return true
    }
}

/// The callback of a filter, whose userdata is a ``CallFilter``.
func filterCall(
    _ message: OpaquePointer?,
    _ userdata: UnsafeMutableRawPointer?,
    _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let userdata else { return 0 }
    return Unmanaged<CallFilter>.fromOpaque(userdata).takeUnretainedValue().handles(message) ? 1 : 0
}
