// SPDX-License-Identifier: Apache-2.0

import SystemdBus

/// Who has claimed the sensor, and how often: counted per connection, and gone with it.
final class ClaimRegistry {
    /// The most claims that one connection, and all together, may hold.
    static let limits = (connection: 64, total: 4096)

    private final class Holder {
        var count = 1
        let watch: PeerWatch

        init(watch: PeerWatch) {
            self.watch = watch
        }
    }

    private let bus: Bus
    private let onChange: (Int) -> Void
    private var holders: [String: Holder] = [:]
    private(set) var total = 0

    /// Creates an empty registry; `onChange` is called with the new number of claims after each change.
    init(bus: Bus, onChange: @escaping (Int) -> Void) {
        self.bus = bus
        self.onChange = onChange
    }

    /// Counts one more claim of `connection`.
    ///
    /// Throws `LimitExceeded`, and the disconnection of a caller that has gone meanwhile.
    func add(_ connection: String) throws(BusError) {
        guard total < Self.limits.total else {
            throw .limitExceeded("all \(Self.limits.total) claims are taken")
        }
        if let holder = holders[connection] {
            guard holder.count < Self.limits.connection else {
                throw .limitExceeded("this connection holds \(Self.limits.connection) claims, the most it may")
            }
            holder.count += 1
        } else {
            do throws(SystemError) {
                let watch = try PeerWatch(connection, on: bus) { [self] in drop(connection) }
                holders[connection] = Holder(watch: watch)
            } catch {
                throw BusError("org.freedesktop.DBus.Error.Disconnected", "\(error)")
            }
        }
        change(by: 1)
    }

    /// Takes back one claim of `connection`; without any this does nothing.
    func remove(_ connection: String) {
        guard let holder = holders[connection] else { return }
        holder.count -= 1
        if holder.count == 0 { holders[connection] = nil }
        change(by: -1)
    }

    private func drop(_ connection: String) {
        guard let holder = holders.removeValue(forKey: connection) else { return }
        change(by: -holder.count)
    }

    private func change(by difference: Int) {
        total += difference
        onChange(total)
    }
}

extension BusError {
    static func limitExceeded(_ message: String) -> BusError {
        BusError(Names.errorPrefix + "LimitExceeded", message)
    }
}
