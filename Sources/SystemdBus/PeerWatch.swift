// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import POSIX

/// Calls a handler when a connection to the bus has ended.
///
/// The bus daemon sends signals for the watched connections only, one for all watches of a connection.
package final class PeerWatch {
    /// The most connections that can be watched: a bus daemon disconnects a client with more than 512 matches.
    package static let most = 400

    private let bus: Bus
    private let peer: WatchedPeer
    private let handler: Box<() -> Void>

    /// Calls `onVanish` once, after the connection with this unique name has ended.
    ///
    /// Throws if it has ended already, and `EUSERS` if too many others are watched.
    package init(_ name: String, on bus: Bus, onVanish: @escaping () -> Void) throws(SystemError) {
        if let known = bus.watchedPeers[name], !known.hasVanished {
            peer = known
        } else {
            guard bus.watchedPeers.count < Self.most else { throw SystemError("watch", name, errno: .tooManyUsers) }
            peer = try WatchedPeer(name, on: bus)
            bus.watchedPeers[name] = peer
        }
        self.bus = bus
        handler = Box(onVanish)
        peer.handlers.append(handler)
    }

    deinit {
        peer.handlers.removeAll { $0 === handler }
        if peer.handlers.isEmpty { bus.watchedPeers[peer.name] = nil }
    }
}

/// A connection, with the handlers of all its watches.
final class WatchedPeer {
    let name: String
    private(set) var hasVanished = false
    fileprivate var handlers: [Box<() -> Void>] = []
    private let track: OpaquePointer

    fileprivate init(_ name: String, on bus: Bus) throws(SystemError) {
        self.name = name
        track = try create("watch", name) { track in bus.withPointer { sd_bus_track_new($0, &track, vanished, nil) } }
        // This object owns the track, so the track need not retain it.
        sd_bus_track_set_userdata(track, Unmanaged.passUnretained(self).toOpaque())
        try check("watch", name, sd_bus_track_add_name(track, name))
    }

    deinit {
        sd_bus_track_unref(track)
    }

    fileprivate func vanish() {
        hasVanished = true
        // A handler may end other watches.
        while !handlers.isEmpty { handlers.removeFirst().closure() }
    }
}

private func vanished(_: OpaquePointer?, userdata: UnsafeMutableRawPointer?) -> Int32 {
    if let userdata { Unmanaged<WatchedPeer>.fromOpaque(userdata).takeUnretainedValue().vanish() }
    return 1  // after 0, libsystemd would queue the track again
}
