// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// Watches one connection to the bus and tells when it has gone.
///
/// Nothing wakes us for any other connection: the bus daemon is asked for this one alone.
package final class PeerWatch {
    private let track: OpaquePointer

    /// Calls `onVanish` once after the connection of that unique name has ended.
    ///
    /// Throws when it has ended already.
    package init(_ name: String, on bus: Bus, onVanish: @escaping () -> Void) throws(SystemError) {
        var track: OpaquePointer?
        let userdata = Box(onVanish).retained()
        let result = bus.withPointer {
            sd_bus_track_new(
                $0,
                &track,
                { _, userdata in
                    if let userdata { Box<() -> Void>.closure(in: userdata)() }
                    return 1  // 0 would queue the track again, for ever
                },
                userdata
            )
        }
        if result < 0 { release(userdata) }
        try check("watch", name, result)
        guard let track else { throw SystemError("watch", name, errno: .invalid) }
        sd_bus_track_set_destroy_callback(track, release)
        let added = sd_bus_track_add_name(track, name)
        guard added >= 0 else {
            sd_bus_track_unref(track)
            throw SystemError("watch", name, errno: Errno(added))
        }
        self.track = track
    }

    deinit {
        sd_bus_track_unref(track)
    }
}
