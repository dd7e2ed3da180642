// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// Knows the properties of orientd at all times, and claims the sensor, also after orientd was restarted.
///
/// Unlike ``OrientationClient``, it never waits for a reply. The bus must be attached to a loop.
package final class OrientationFollower {
    private let bus: Bus
    /// Is called with each new state; nil while the daemon does not run.
    package var onChange: (_ old: ManagerSnapshot?, _ new: ManagerSnapshot?) -> Void = { _, _ in }
    /// Is called with messages for the log.
    package var onProblem: (String) -> Void = { _ in }

    /// Seconds for the reply to a request, in effect without limit.
    ///
    /// A daemon that answered too late would hold a request that nobody can release. The bus replies if the daemon ends.
    private static let patience = 1e9

    private var slots: [BusSlot] = []

    /// The daemon that the last calls were made to; nil while there is none.
    private var daemon: String?
    private var isAsking = false

    /// The properties of the daemon; nil while it does not run or has not answered yet.
    package private(set) var snapshot: ManagerSnapshot?

    package init(bus: Bus) {
        self.bus = bus
    }

    /// Subscribes, and starts orientd by D-Bus activation if necessary.
    package func begin() throws(SystemError) {
        let client = OrientationClient(bus: bus)
        slots = [
            try client.onManagerChange { [unowned(unsafe) self] in take($0) },
            try client.onPresenceChange { [unowned(unsafe) self] in presenceChanged($0) },
        ]
        daemon = bus.owner(of: Names.service)?.uniqueName
        ask()
    }

    /// Whether the sensor is kept running.
    package var isClaiming = false {
        didSet {
            guard isClaiming != oldValue, daemon != nil else { return }
            if isClaiming { claim() } else { call("Release") { _ in } }
        }
    }

    /// Makes a call without arguments, for which polkit asks nobody; `completion` gets the reply.
    package func call(_ member: String, completion: @escaping (BusMessage) -> Void) {
        send(Names.manager, member, { _ in }, completion)
    }

    /// Makes a request, which lasts until it is released or the connection ends; `completion` gets its object path.
    package func present(
        _ request: RotationRequest,
        completion: @escaping (Result<String, BusError>) -> Void
    ) {
        send(Names.manager, "Request", timeout: Self.patience, { RequestOptions.write(request, to: $0) }) { reply in
            do throws(BusError) {
                if let error = reply.error { throw error }
                completion(.success(try reply.readObjectPath()))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Releases a request; `completion` is called after the reply, whatever it says.
    package func release(_ request: String, completion: @escaping () -> Void) {
        send(Names.request, "Release", at: request, { _ in }) { _ in completion() }
    }

    // MARK: - The daemon

    private func presenceChanged(_ owner: String?) {
        guard owner != daemon else { return }
        daemon = owner
        if owner == nil {
            change(to: nil)
        } else {
            ask()
        }
    }

    /// Claims the sensor and reads the properties.
    private func ask() {
        if isClaiming { claim() }
        read()
    }

    private func read() {
        isAsking = true
        send("org.freedesktop.DBus.Properties", "GetAll", { $0.append(Names.manager) }) { [self] reply in
            isAsking = false
            var snapshot = ManagerSnapshot()
            do throws(BusError) {
                if let error = reply.error { throw error }
                try ManagerSnapshot.properties.read(into: &snapshot, from: reply)
            } catch {
                // A daemon that is not there yet is noticed when it comes.
                guard !error.isServiceMissing else { return }
                return onProblem("cannot read the state of orientd: \(error)")
            }
            if daemon == nil { daemon = reply.sender }
            guard reply.sender == daemon else { return }
            change(to: snapshot)
        }
    }

    private func claim() {
        call("Claim") { [self] reply in
            guard let error = reply.error, !error.isServiceMissing else { return }
            onProblem("cannot claim the sensor: \(error)")
        }
    }

    private func take(_ changes: [PropertyChange]) {
        guard var new = snapshot else {
            // An earlier attempt has failed, for example because orientd was slow.
            if !isAsking { read() }
            return
        }
        for change in changes {
            guard let property = ManagerSnapshot.properties.first(where: { $0.name == change.name }) else { continue }
            _ = property.store(&new, change.value)
        }
        change(to: new)
    }

    private func change(to new: ManagerSnapshot?) {
        let old = snapshot
        snapshot = new
        if old != new { onChange(old, new) }
    }

    private func send(
        _ interface: String,
        _ member: String,
        at path: String = Names.path,
        timeout: Double? = nil,
        _ arguments: (BusMessage) -> Void,
        _ completion: @escaping (BusMessage) -> Void
    ) {
        do throws(BusError) {
            try bus.callLater(
                Names.service,
                path,
                interface,
                member,
                timeout: timeout,
                arguments,
                completion: completion
            )
        } catch {
            onProblem("cannot call orientd: \(error)")
        }
    }
}
