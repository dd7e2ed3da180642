// SPDX-License-Identifier: Apache-2.0

import POSIX
package import SystemdBus

/// The connections that call the service: asks polkit what they may do, and notices when they end.
package final class Clients {
    private let authority: PolkitAuthority
    private let watch: PeerWatch
    private let onVanish: Handlers

    private final class Handlers {
        var list: [(String) -> Void] = []
    }

    package init(on bus: Bus, authority: PolkitAuthority) {
        let handlers = Handlers()
        onVanish = handlers
        self.authority = authority
        watch = PeerWatch(on: bus) { client in
            for handler in handlers.list { handler(client) }
        }
    }

    /// The number of connections that have left something behind, and have not ended.
    package var count: Int { watch.count }

    /// Calls `handler` with the unique name of each connection that has ended and left something behind.
    func onVanish(_ handler: @escaping (String) -> Void) { onVanish.list.append(handler) }

    /// Calls `completion` with whether polkit allows `action` to the sender of `message`; answers a refused message.
    func authorize(_ message: BusMessage, for action: String, completion: @escaping (_ isAllowed: Bool) -> Void) {
        authority.authorize(message, for: action, completion)
    }

    /// Does the same for what ends with the connection; one that has ended meanwhile is not allowed it.
    ///
    /// Throws `LimitExceeded` if too many connections are watched.
    func authorizeUntilEnd(
        _ message: BusMessage,
        for action: String,
        completion: @escaping (_ isAllowed: Bool) -> Void
    ) throws(BusError) {
        do throws(SystemError) {
            try watch.watch(message.sender)
        } catch {
            throw error.errno == .tooManyUsers
                ? .limitExceeded("\(PeerWatch.most) connections hold something, the maximum") : .failed("\(error)")
        }
        authority.authorize(message, for: action) { [watch] isAllowed in
            completion(isAllowed && watch.isWatched(message.sender))
        }
    }
}

extension BusError {
    static func limitExceeded(_ message: String) -> BusError { BusError(Names.limitError, message) }
}
