// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Watches one connection to the bus and tells when it has gone.
///
/// Nothing wakes us for any other connection: the bus daemon is asked for this one alone, and once however many watch
/// it.
package final class PeerWatch {
    /// How many connections can be watched at once: a bus daemon throws out who asks it for more than 512 things.
    package static let most = 400

    private let bus: Bus
    private let peer: WatchedPeer
    private let handler: VanishHandler

    /// Calls `onVanish` once after the connection of that unique name has ended.
    ///
    /// Throws when it has ended already, and `EUSERS` when too many others are watched.
    package init(_ name: String, on bus: Bus, onVanish: @escaping () -> Void) throws(SystemError) {
        if let known = bus.watchedPeers[name], !known.hasVanished {
            peer = known
        } else {
            guard bus.watchedPeers.count < Self.most else { throw SystemError("watch", name, errno: .tooManyUsers) }
            peer = try WatchedPeer(name, on: bus)
            bus.watchedPeers[name] = peer
        }
        self.bus = bus
        handler = VanishHandler(call: onVanish)
        peer.handlers.append(handler)
    }

    deinit {
        peer.handlers.removeAll { $0 === handler }
        if peer.handlers.isEmpty { bus.watchedPeers[peer.name] = nil }
    }
}

/// What one watch of a connection calls.
private final class VanishHandler {
    let call: () -> Void

    init(call: @escaping () -> Void) {
        self.call = call
    }
}

/// A connection that the bus daemon is to tell the end of, for all who watch it.
final class WatchedPeer {
    let name: String
    private(set) var hasVanished = false
    fileprivate var handlers: [VanishHandler] = []
    private let track: OpaquePointer

    fileprivate init(_ name: String, on bus: Bus) throws(SystemError) {
        self.name = name
        var track: OpaquePointer?
        let result = bus.withPointer { sd_bus_track_new($0, &track, vanished, nil) }
        try check("watch", name, result)
        guard let track else { throw SystemError("watch", name, errno: .invalid) }
        self.track = track
        // The track is ours alone and goes with us, so it may point at us without holding us.
        sd_bus_track_set_userdata(track, Unmanaged.passUnretained(self).toOpaque())
        try check("watch", name, sd_bus_track_add_name(track, name))
    }

    deinit {
        sd_bus_track_unref(track)
    }

    fileprivate func vanish() {
        hasVanished = true
        // One handler may end other watches.
        while !handlers.isEmpty { handlers.removeFirst().call() }
    }
}

private func vanished(_: OpaquePointer?, userdata: UnsafeMutableRawPointer?) -> Int32 {
    if let userdata { Unmanaged<WatchedPeer>.fromOpaque(userdata).takeUnretainedValue().vanish() }
    return 1  // 0 would queue the track again, for ever
}
