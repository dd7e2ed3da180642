// SPDX-License-Identifier: Apache-2.0

/// Returns a handler that calls `action` with `owner`, which it does not keep.
///
/// The owner must hold what has the handler, a ``Timer``, an ``EventSource``, a ``BusSlot`` or an object of its own, so
/// that this ends with the owner's deinit at the latest. If `action` releases the owner, it lives until `action` returns.
package func owned<Owner: AnyObject>(by owner: Owner, _ action: @escaping (Owner) -> Void) -> () -> Void {
    let owner = Unmanaged.passUnretained(owner)
    return { owner.keep(during: action) }
}

/// As ``owned(by:_:)``, for a handler of one value.
package func owned<Owner: AnyObject, Value>(
    by owner: Owner,
    _ action: @escaping (Owner, Value) -> Void
) -> (Value) -> Void {
    let owner = Unmanaged.passUnretained(owner)
    return { value in owner.keep { action($0, value) } }
}

/// As ``owned(by:_:)``, for a handler of one value that throws.
package func owned<Owner: AnyObject, Value, Failure: Error>(
    by owner: Owner,
    _ action: @escaping (Owner, Value) throws(Failure) -> Void
) -> (Value) throws(Failure) -> Void {
    let owner = Unmanaged.passUnretained(owner)
    return { value throws(Failure) in
        try owner.keep { owner throws(Failure) in try action(owner, value) }
    }
}

/// As ``owned(by:_:)``, for a handler of two values.
package func owned<Owner: AnyObject, First, Second>(
    by owner: Owner,
    _ action: @escaping (Owner, First, Second) -> Void
) -> (First, Second) -> Void {
    let owner = Unmanaged.passUnretained(owner)
    return { first, second in owner.keep { action($0, first, second) } }
}

extension Unmanaged {
    /// Calls `body` with the object, which lives until `body` returns.
    fileprivate func keep<Failure: Error>(during body: (Instance) throws(Failure) -> Void) throws(Failure) {
        let object = takeUnretainedValue()
        defer { withExtendedLifetime(object) {} }
        try body(object)
    }
}
