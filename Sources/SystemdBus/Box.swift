// SPDX-License-Identifier: Apache-2.0

/// A closure on its way through libsystemd's `void *userdata`.
///
/// libsystemd holds the one reference that ``retained()`` makes; every slot, event source and track gets
/// ``release(_:)`` as its destroy callback, so that the closure lives exactly as long as what calls it.
final class Box<Closure> {
    let closure: Closure

    init(_ closure: Closure) {
        self.closure = closure
    }

    func retained() -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(self).toOpaque()
    }

    static func closure(in userdata: UnsafeMutableRawPointer) -> Closure {
        Unmanaged<Box<Closure>>.fromOpaque(userdata).takeUnretainedValue().closure
    }
}

/// Lets go of the object behind a `userdata` pointer.
@c(orientd_release)
func release(_ userdata: UnsafeMutableRawPointer?) {
    guard let userdata else { return }
    Unmanaged<AnyObject>.fromOpaque(userdata).release()
}
