// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The connection with orientd, also with each orientd that starts later.
///
/// State, claim and calls belong to the daemon that owns the name, and end with it: calls go to its unique name, and no
/// reply of an earlier daemon arrives. It never waits for a reply.
package final class DaemonConnection {
    package enum State: Hashable {
        /// No daemon runs; the error says why D-Bus could not start one.
        case absent(BusError?)
        /// D-Bus starts the daemon, or the daemon has not replied with its properties yet.
        case starting
        /// The daemon did not reply with its properties; its next change is a reason to read them again.
        case failed(BusError)
        case running(ManagerSnapshot)
        /// The bus has closed the connection, for good.
        case disconnected
    }

    /// What the daemon has replied to the claim of this connection.
    package enum Claim: Hashable {
        case none, asked, granted
        case refused(BusError)
    }

    package private(set) var state = State.absent(nil) {
        didSet { if state != oldValue { onState(oldValue) } }
    }

    package private(set) var claim = Claim.none {
        didSet { if claim != oldValue { onClaim() } }
    }

    /// Is called with the old state when it has changed.
    package var onState: (_ old: State) -> Void = { _ in }
    /// Is called when the claim has changed.
    package var onClaim: () -> Void = {}
    /// Is called when a person has commanded what is shown already.
    package var onConfirmation: () -> Void = {}
    /// Is called when a daemon refuses a request that an earlier one has answered.
    package var onRefusal: (RotationRequest, BusError) -> Void = { _, _ in }

    /// Whether the sensor is to be kept running, by each daemon; setting it again repeats a claim that was refused.
    package var wantsClaim = false { didSet { updateClaim() } }

    private let bus: Bus
    private var slots: [BusSlot] = []
    /// The unique name of the daemon; nil while none runs.
    private var name: String?
    /// In the order in which they began, so that parents come before their children.
    private var requests: [HeldRequest] = []
    private var lastRequest = 0

    /// The calls without a reply so far.
    private var calls: [Int: (slot: BusSlot, completion: (Result<BusMessage, BusError>) -> Void)] = [:]
    private var lastCall = 0

    /// The error of a call whose daemon has ended.
    private static let ended = BusError(BusError.standard + "NoReply", "orientd has ended before it replied")

    package init(bus: Bus) {
        self.bus = bus
    }

    deinit {
        for call in calls.values { call.slot.cancel() }
    }

    /// Attaches the bus to a loop, and connects with the daemon that runs; D-Bus activation starts it if necessary.
    package func begin(on loop: EventLoop) throws(SystemError) {
        try bus.attach(to: loop)
        slots = [
            try bus.onChange(of: Names.manager, owned(by: self) { $0.propertiesChanged($1) }),
            try bus.subscribe(
                "interface='\(Names.manager)',member='Confirmed'",
                from: .owner(of: Names.service),
                // Until the properties are known, nothing is shown that could be confirmed.
                owned(by: self) { connection, _ in if connection.state.snapshot != nil { connection.onConfirmation() } }
            ),
            try bus.onOwnerChange(of: Names.service, owned(by: self) { $0.ownerChanged(to: $1) }),
            try bus.onDisconnect(owned(by: self) { $0.close() }),
        ]
        ownerChanged(to: bus.owner(of: Names.service)?.uniqueName)
        connect()
    }

    /// Reads the properties unless they are known; D-Bus activation starts the daemon if necessary.
    package func connect() {
        switch state {
        case .absent, .failed: read()
        case .starting, .running, .disconnected: break
        }
    }

    /// Reads the properties, also those whose changes are not announced.
    package func read() {
        if state.snapshot == nil { state = .starting }
        // By the service's name, D-Bus starts a daemon. Its own name comes before its reply, and ends the wait for it.
        let read: (Result<BusMessage, BusError>) -> Void = owned(by: self) { $0.propertiesRead($1) }
        call("GetAll", of: Names.properties, on: name ?? Names.service, { $0.append(Names.manager) }, completion: read)
    }

    private func propertiesRead(_ result: Result<BusMessage, BusError>) {
        guard result.error != Self.ended else { return }
        do throws(BusError) {
            var snapshot = ManagerSnapshot()
            // A later orientd may have values that this client does not know.
            ManagerSnapshot.properties.apply(try result.get().readChanges(), to: &snapshot)
            state = .running(snapshot)
        } catch {
            if state == .starting { state = name == nil ? .absent(error) : .failed(error) }
        }
    }

    private func propertiesChanged(_ changes: [PropertyChange]) {
        switch state {
        case .running(var snapshot):
            ManagerSnapshot.properties.apply(changes, to: &snapshot)
            state = .running(snapshot)
        case .failed: read()
        // The reply that is awaited is newer.
        case .absent, .starting, .disconnected: break
        }
    }

    /// Ends the connection with the bus; also completes all calls.
    package func close() { replace(by: nil, .disconnected) }

    private func ownerChanged(to owner: String?) {
        if owner != name { replace(by: owner, owner == nil ? .absent(nil) : .starting) }
    }

    /// Ends all calls, and what the old daemon has granted; makes the claim and the requests of the new one.
    private func replace(by owner: String?, _ next: State) {
        name = owner
        let ended = calls.values
        calls = [:]
        for request in requests { request.daemonEnded() }
        claim = .none
        state = next
        for call in ended {
            call.slot.cancel()
            call.completion(.failure(Self.ended))
        }
        guard owner != nil else { return }
        updateClaim()
        read()
        for request in requests { request.make() }
    }

    private func updateClaim() {
        switch (claim, wantsClaim) {
        case (.none, true) where name != nil, (.refused, true):
            claim = .asked
            call("Claim", completion: owned(by: self) { $0.claimAnswered($1.error) })
        case (.granted, false), (.refused, false):
            // The daemon may grant later what it has not replied to in time.
            claim = .none
            call("Release") { _ in }
        // A release that overtakes the claim, which may wait for polkit, would change nothing.
        case (.asked, _), (.none, _), (.granted, true): break
        }
    }

    private func claimAnswered(_ error: BusError?) {
        guard error != Self.ended else { return }
        claim = error.map { .refused($0) } ?? .granted
        if !wantsClaim { updateClaim() }
    }

    // MARK: - Calls

    /// Calls a method of the daemon; `completion` gets an error if no daemon runs, or if it ends before it replies.
    ///
    /// `isInteractive` lets polkit ask a person first. The default of `timeout`, in seconds, is that of ``Bus``.
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
        guard let destination = destination ?? name else {
            return completion(.failure(BusError(BusError.standard + "ServiceUnknown", "orientd is not running")))
        }
        lastCall += 1
        let id = lastCall
        let answered: (Result<BusMessage, BusError>) -> Void = owned(by: self) { connection, reply in
            // The bus may reply for a daemon that has ended before it announces the end, which completes the call.
            if reply.error?.name == DaemonConnection.ended.name, destination == connection.name,
                connection.bus.owner(of: Names.service)?.uniqueName != destination
            {
                return
            }
            connection.calls[id] = nil
            completion(reply)
        }
        let slot = bus.callLater(
            destination,
            path,
            interface,
            member,
            isInteractive: isInteractive,
            timeout: timeout,
            arguments,
            completion: answered
        )
        if let slot { calls[id] = (slot, completion) }
    }

    /// Makes a request of this daemon, or of the next one, and again of each later one, until the result is released.
    ///
    /// `parent` is the number of the request that it is a child of. `isInteractive` lets polkit ask a person the first
    /// time. `completion` is called with the error of the first reply, nil if the request was made.
    package func hold(
        _ request: RotationRequest,
        parent: Int? = nil,
        isInteractive: Bool = false,
        completion: @escaping (BusError?) -> Void
    ) -> HeldRequest {
        lastRequest += 1
        let held = HeldRequest(
            request,
            number: lastRequest,
            of: self,
            parent: parent,
            isInteractive: isInteractive,
            completion
        )
        requests.append(held)
        if name != nil { held.make() }
        return held
    }

    var requestCount: Int { requests.count }

    func request(_ number: Int?) -> HeldRequest? { requests.first { $0.number == number } }

    /// Handles the reply to a request: its children are made, and who forwards to it does so from now on.
    func answered(_ request: HeldRequest) {
        for other in requests { other.follow(request) }
    }

    /// Notes that a request is presented last; a later daemon gets it and its descendants after all others.
    func moveToEnd(_ request: HeldRequest) {
        var moved: Set = [request.number]
        for other in requests where other.parent.map(moved.contains) ?? false { moved.insert(other.number) }
        requests = requests.filter { !moved.contains($0.number) } + requests.filter { moved.contains($0.number) }
    }

    func forget(_ request: HeldRequest) { requests.removeAll { $0 === request } }
}

extension DaemonConnection.State {
    /// The properties; nil unless the daemon runs.
    package var snapshot: ManagerSnapshot? { if case .running(let snapshot) = self { snapshot } else { nil } }
}
