// SPDX-License-Identifier: Apache-2.0

/// Keeps the sensor running as long as this object exists, also after orientd was restarted.
///
/// The sensor stops when the last claim of all programs has ended, unless a request that autorotates or the angle of
/// the hinge needs it. Let go of a claim, or call ``release()``, on any thread. A claim of an ``OrientationConnection``
/// ends with the connection at the latest.
public final class OrientationClaim: Sendable {
    private let held: HeldValue

    init(_ held: HeldValue) { self.held = held }

    /// The state now and after each change; the sequence and its iterators keep the claim.
    public var states: OrientationStates { OrientationStates(held.channel, keeping: held) }

    /// Ends the claim, as `UIDevice.endGeneratingDeviceOrientationNotifications()`; another call has no effect.
    public func release() { held.release() }
}
