// SPDX-License-Identifier: Apache-2.0

import POSIX

/// Keeps the sensor running as long as this value exists, also after orientd was restarted.
///
/// The sensor stops when the last claim of all programs has ended. Let go of a claim, or call ``release()``, on any
/// thread. A claim of an ``OrientationConnection`` ends with the connection at the latest.
public final class OrientationClaim: Sendable {
    private let id: Int
    private let mailbox: Mailbox<OrientationConnection.Job>
    private let channel: StateChannel
    private let owner: OrientationThread?

    init(
        _ id: Int,
        _ mailbox: Mailbox<OrientationConnection.Job>,
        _ channel: StateChannel,
        owner: OrientationThread?
    ) {
        self.id = id
        self.mailbox = mailbox
        self.channel = channel
        self.owner = owner
    }

    deinit {
        release()
    }

    /// The state now and after each change; the sequence and its iterators keep the claim.
    public var states: OrientationStates { OrientationStates(channel, keeping: self) }

    /// Ends the claim, once; as `UIDevice.endGeneratingDeviceOrientationNotifications()`.
    public func release() {
        mailbox.send { [id] in $0.endClaim(id) }
    }
}
