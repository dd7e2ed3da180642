// SPDX-License-Identifier: Apache-2.0

/// A request that holds as long as this object exists, also after orientd was restarted.
///
/// When it ends, the interface follows the device, the lock and other requests again. Change it with
/// ``OrientationService/update(_:to:)``. Let go of a request, or call ``release()``, on any thread. A request of an
/// ``OrientationConnection`` ends with the connection at the latest.
public final class GeometryRequest: Sendable {
    let held: HeldValue

    init(_ held: HeldValue) { self.held = held }

    /// Ends the request; another call has no effect.
    public func release() { held.release() }
}
