// SPDX-License-Identifier: Apache-2.0

import POSIX
package import SystemdBus

/// The connections that call the service: asks polkit what they may do, and notices when they end.
///
/// It never waits for the bus daemon: a wait would read all calls that have arrived into memory, and delay the others.
package final class Clients {
    /// The most connections that can be watched: a bus daemon disconnects a client with more than 512 matches.
    private static let most = 400

    private let bus: Bus
    let authority: PolkitAuthority
    private var watches: [String: BusSlot] = [:]
    private var handlers: [(String) -> Void] = []

    package init(on bus: Bus, authority: PolkitAuthority) {
        self.bus = bus
        self.authority = authority
    }

    /// The number of connections that are watched, and have not ended.
    package var count: Int { watches.count }

    /// Calls `handler` with the unique name of each watched connection that has ended.
    func onEnd(_ handler: @escaping (String) -> Void) { handlers.append(handler) }

    /// Has polkit authorize what ends with the connection; one that has ended meanwhile is not allowed it.
    ///
    /// Throws `LimitExceeded` if too many connections are watched.
    func authorizeUntilEnd(
        _ message: BusMessage,
        for action: String,
        completion: @escaping (_ isAllowed: Bool) -> Void
    ) throws(BusError) {
        let client = message.sender
        try watch(client)
        authority.authorize(message, for: action) { [self] in completion($0 && watches[client] != nil) }
    }

    /// Watches the connection with this unique name until it ends, which may have happened already.
    func watch(_ client: String) throws(BusError) {
        guard watches[client] == nil else { return }
        guard count < Self.most else {
            throw .limitExceeded("\(Self.most) connections hold something, the maximum")
        }
        do throws(SystemError) {
            watches[client] = try bus.onEnd(of: client) { [unowned(unsafe) self] in end(client) }
        } catch {
            throw BusError(error)
        }
        bus.callDaemon("NameHasOwner", client) { [self] answer in
            if (try? answer.get().readBool()) == false { end(client) }
        }
    }

    private func end(_ client: String) {
        guard watches.removeValue(forKey: client) != nil else { return }
        for handler in handlers { handler(client) }
    }
}

extension BusError {
    static func limitExceeded(_ message: String) -> BusError { BusError(Names.limitError, message) }
}
