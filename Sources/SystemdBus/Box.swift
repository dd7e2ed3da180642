// SPDX-License-Identifier: Apache-2.0

import POSIX

/// A closure that libsystemd holds as `void *userdata`, until it calls ``release(_:)`` as the destroy callback.
final class Box<Closure> {
    let closure: Closure

    init(_ closure: Closure) { self.closure = closure }

    static func closure(in userdata: UnsafeMutableRawPointer) -> Closure {
        Unmanaged<Box<Closure>>.fromOpaque(userdata).takeUnretainedValue().closure
    }
}

/// Releases the object behind a `userdata` pointer.
func release(_ userdata: UnsafeMutableRawPointer?) {
    guard let userdata else { return }
    Unmanaged<AnyObject>.fromOpaque(userdata).release()
}

/// Returns the handle that a function of libsystemd stores.
func create(
    _ operation: String,
    _ subject: @autoclosure () -> String = "",
    _ function: (inout OpaquePointer?) -> Int32
) throws(SystemError) -> OpaquePointer {
    var handle: OpaquePointer?
    try check(operation, subject(), function(&handle))
    guard let handle else { throw SystemError(operation, subject(), errno: .invalid) }
    return handle
}

/// Returns the handle that a function of libsystemd stores; the function's `userdata` is `object`, retained.
///
/// The caller sets ``release(_:)`` as the handle's destroy callback.
func register(
    _ operation: String,
    _ subject: @autoclosure () -> String = "",
    userdata object: AnyObject,
    _ function: (inout OpaquePointer?, _ userdata: UnsafeMutableRawPointer) -> Int32
) throws(SystemError) -> OpaquePointer {
    let userdata = Unmanaged.passRetained(object).toOpaque()
    do throws(SystemError) {
        return try create(operation, subject()) { function(&$0, userdata) }
    } catch {
        release(userdata)
        throw error
    }
}
