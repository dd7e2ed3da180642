// SPDX-License-Identifier: Apache-2.0

package import POSIX

/// Watches connections to the bus until they end.
///
/// It never waits for the bus daemon: a wait would read all calls that have arrived into memory, and delay the others.
package final class PeerWatch {
    /// The most connections that can be watched: a bus daemon disconnects a client with more than 512 matches.
    package static let most = 400

    private static let daemon = "org.freedesktop.DBus"

    private let bus: Bus
    private let onVanish: (String) -> Void
    private var slots: [String: BusSlot] = [:]

    /// Calls `onVanish` with the unique name of each watched connection that has ended.
    package init(on bus: Bus, onVanish: @escaping (String) -> Void) {
        self.bus = bus
        self.onVanish = onVanish
    }

    /// The number of watched connections.
    package var count: Int { slots.count }

    /// Whether the connection is watched: it has not ended yet.
    package func isWatched(_ name: String) -> Bool { slots[name] != nil }

    /// Watches the connection with this unique name until it ends, which may have happened already.
    ///
    /// Throws `EUSERS` if too many others are watched.
    package func watch(_ name: String) throws(SystemError) {
        guard !isWatched(name) else { return }
        guard count < Self.most else { throw SystemError("watch", name, errno: .tooManyUsers) }
        let match = "type='signal',sender='\(Self.daemon)',member='NameOwnerChanged',arg0='\(name)',arg2=''"
        slots[name] = try bus.subscribe(match, waits: false) { [unowned(unsafe) self] _ in vanish(name) }
        do throws(BusError) {
            try bus.callLater(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "NameHasOwner") { call in
                call.append(name)
            } completion: { [self] answer in
                if (try? answer.readBool()) == false { vanish(name) }
            }
        } catch {
            // The connection is closed, which Bus.onDisconnect reports.
        }
    }

    private func vanish(_ name: String) {
        if slots.removeValue(forKey: name) != nil { onVanish(name) }
    }
}
