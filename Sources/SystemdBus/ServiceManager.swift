// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// What a service of `Type=notify` tells the service manager; without one, all of this does nothing.
package enum ServiceManager {
    package static func ready(status: String) {
        sd_notify(0, "READY=1\nSTATUS=\(status)")
    }

    /// Sets the line that `systemctl status` shows.
    package static func status(_ status: String) {
        sd_notify(0, "STATUS=\(status)")
    }

    package static func stopping() {
        sd_notify(0, "STOPPING=1")
    }
}
