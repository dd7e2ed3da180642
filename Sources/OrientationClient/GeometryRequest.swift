// SPDX-License-Identifier: Apache-2.0

import POSIX

/// A request that holds as long as this value exists, also after orientd was restarted.
///
/// After it, the interface returns to what the device, the lock and other requests say. Let go of a request, or call
/// ``release()``, on any thread. A request of an ``OrientationConnection`` ends with the connection at the latest.
public final class GeometryRequest: Sendable {
    let id: Int
    let mailbox: Mailbox<OrientationConnection.Job>
    private let owner: OrientationThread?

    init(_ id: Int, _ mailbox: Mailbox<OrientationConnection.Job>, owner: OrientationThread?) {
        self.id = id
        self.mailbox = mailbox
        self.owner = owner
    }

    deinit {
        release()
    }

    /// Ends the request, once.
    public func release() {
        mailbox.send { [id] in $0.endRequest(id) }
    }
}
