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

    /// Asks polkit to authorize what ends with the connection, which is watched from then on.
    ///
    /// If too many connections are watched already, this one is not allowed it, and gets `LimitExceeded`.
    func authorizeUntilEnd(
        _ message: BusMessage,
        for action: String,
        completion: @escaping (_ isAllowed: Bool) -> Void
    ) {
        authority.authorize(message, for: action) { [self] isAllowed in
            guard isAllowed else { return completion(false) }
            do throws(BusError) {
                try watch(message.sender, completion: completion)
            } catch {
                message.reply(error)
                completion(false)
            }
        }
    }

    /// Watches the connection with this unique name until it ends.
    ///
    /// Calls `completion`, in the order of the calls, with whether it has not ended yet.
    func watch(_ client: String, completion: @escaping (_ exists: Bool) -> Void) throws(BusError) {
        if watches[client] == nil {
            guard count < Self.most else {
                throw .limitExceeded("\(Self.most) connections hold something, the maximum")
            }
            do throws(SystemError) {
                watches[client] = try bus.onEnd(of: client, owned(by: self) { $0.end(client) })
            } catch {
                throw BusError(error)
            }
        }
        bus.callDaemon("NameHasOwner", client) { [self] answer in
            if (try? answer.get().readBool()) == false { end(client) }
            completion(watches[client] != nil)
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
