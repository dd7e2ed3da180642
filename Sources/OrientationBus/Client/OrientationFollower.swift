// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// Knows the properties of orientd at all times, and claims the sensor, also after orientd was restarted.
///
/// Unlike ``OrientationClient``, it never waits for a reply. The bus must be attached to a loop. It calls the daemon by its
/// unique name, so that no call reaches another daemon than the one that it was made for.
package final class OrientationFollower {
    private let bus: Bus
    /// Is called with each new state; nil while the daemon does not run.
    package var onChange: (_ old: ManagerSnapshot?, _ new: ManagerSnapshot?) -> Void = { _, _ in }
    /// Is called with messages for the log.
    package var onProblem: (String) -> Void = { _ in }
    /// Is called when a daemon has started, and not for the one that runs at the beginning.
    package var onStart: () -> Void = {}
    /// Is called when the state has been read, or could not be.
    package var onRead: (BusError?) -> Void = { _ in }
    /// Is called when a claim was granted or refused.
    package var onClaim: (BusError?) -> Void = { _ in }
    /// Is called when D-Bus activation has failed at the beginning; a later daemon is followed all the same.
    package var onAbsence: (BusError) -> Void = { _ in }

    /// Seconds for the reply to a request, in effect without limit.
    ///
    /// A daemon that answered too late would hold a request that nobody can release. The bus replies if the daemon ends.
    private static let patience = 1e9

    private var slots: [BusSlot] = []

    /// The unique name of the daemon; nil while there is none.
    package private(set) var daemon: String?
    private var isReading = false

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
        if daemon != nil {
            ask()
        } else {
            start { [self] error in
                guard let error else { return }
                // A missing service is not logged: a daemon that comes later is noticed.
                if !error.isServiceMissing { onProblem("cannot start orientd: \(error)") }
                onAbsence(error)
            }
        }
    }

    /// Starts orientd by D-Bus activation if it does not run; ``daemon`` is known before `completion` is called.
    package func start(completion: @escaping (BusError?) -> Void) {
        let bus = "org.freedesktop.DBus"
        call("StartServiceByName", of: bus, at: "/org/freedesktop/DBus", on: bus) { call in
            call.append(Names.service)
            call.append(UInt32(0))
        } completion: { [self] result in
            // The bus refuses to start what it has no file of, even if it runs.
            completion(daemon == nil ? result.error : nil)
        }
    }

    /// Whether the sensor is kept running.
    package var isClaiming = false {
        didSet {
            guard isClaiming != oldValue, daemon != nil else { return }
            if isClaiming { claim() } else { call("Release") { _ in } }
        }
    }

    /// Calls a method, of the daemon by default; `isInteractive` lets polkit ask a person first.
    package func call(
        _ member: String,
        of interface: String = Names.manager,
        at path: String = Names.path,
        on destination: String? = nil,
        isInteractive: Bool = false,
        timeout: Double? = nil,
        _ arguments: (BusMessage) -> Void = { _ in },
        completion: @escaping (Result<BusMessage, BusError>) -> Void
    ) {
        do throws(BusError) {
            try bus.callLater(
                destination ?? daemon ?? Names.service,
                path,
                interface,
                member,
                isInteractive: isInteractive,
                timeout: timeout,
                arguments
            ) { reply in
                completion(reply.error.map { .failure($0) } ?? .success(reply))
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Reads all sensors, by object path.
    package func readSensors(completion: @escaping (Result<[ListedSensor], BusError>) -> Void) {
        call("GetManagedObjects", of: Names.objectManager) { result in
            completion(Result { () throws(BusError) in try result.get().readSensors() })
        }
    }

    /// Reads the requests of all clients, the oldest first.
    package func readRequests(completion: @escaping (Result<[ListedRequest], BusError>) -> Void) {
        call("ListRequests") { result in
            completion(Result { () throws(BusError) in try result.get().readRequests() })
        }
    }

    /// Makes a request, which lasts until it is released or the connection ends; `completion` gets its object path.
    package func present(
        _ request: RotationRequest,
        isInteractive: Bool = false,
        completion: @escaping (Result<String, BusError>) -> Void
    ) {
        call("Request", isInteractive: isInteractive, timeout: Self.patience) { call in
            RequestOptions.write(request, to: call)
        } completion: { result in
            do throws(BusError) {
                completion(.success(try result.get().readObjectPath()))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Releases a request; `completion` is called after the reply, whatever it says.
    package func release(_ request: String, completion: @escaping () -> Void) {
        call("Release", of: Names.request, at: request) { _ in completion() }
    }

    // MARK: - The daemon

    private func presenceChanged(_ owner: String?) {
        guard owner != daemon else { return }
        daemon = owner
        guard owner != nil else { return change(to: nil) }
        ask()
        onStart()
    }

    /// Claims the sensor and reads the properties.
    private func ask() {
        if isClaiming { claim() }
        read()
    }

    /// Reads the state if that is not under way.
    package func readAgain() {
        if !isReading { read() }
    }

    private func read() {
        isReading = true
        call("GetAll", of: "org.freedesktop.DBus.Properties") { call in
            call.append(Names.manager)
        } completion: { [self, daemon] result in
            guard isCurrent(daemon) else { return }
            let isOfDaemon = self.daemon == daemon
            if isOfDaemon { isReading = false }
            do throws(BusError) {
                var snapshot = ManagerSnapshot()
                // A later orientd may have values that this client does not know.
                ManagerSnapshot.properties.apply(try result.get().readChanges(), to: &snapshot)
                guard isOfDaemon else { return }
                change(to: snapshot)
                onRead(nil)
            } catch {
                // The end of a daemon is noticed without that.
                if isOfDaemon, !error.isServiceMissing { onProblem("cannot read the state of orientd: \(error)") }
                onRead(error)
            }
        }
    }

    /// Whether an answer of `daemon` counts: after a new daemon has appeared, only its own answers do.
    private func isCurrent(_ daemon: String?) -> Bool { self.daemon == nil || self.daemon == daemon }

    private func claim() {
        call("Claim") { [self, daemon] result in
            guard isCurrent(daemon) else { return }
            if let error = result.error, !error.isServiceMissing { onProblem("cannot claim the sensor: \(error)") }
            onClaim(result.error)
        }
    }

    private func take(_ changes: [PropertyChange]) {
        guard var new = snapshot else {
            // An earlier attempt has failed, for example because orientd was slow.
            return readAgain()
        }
        ManagerSnapshot.properties.apply(changes, to: &new)
        change(to: new)
    }

    private func change(to new: ManagerSnapshot?) {
        let old = snapshot
        snapshot = new
        if old != new { onChange(old, new) }
    }
}
