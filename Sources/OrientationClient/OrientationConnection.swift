// SPDX-License-Identifier: Apache-2.0

import OrientationBus
public import OrientationCore
import POSIX
import SystemdBus

/// The connection of a program with orientd, for programs that have a loop of their own.
///
/// Have the loop call ``process()`` whenever ``fileDescriptor`` is readable; that calls ``onChange`` and completions. A
/// completion may also be called before its call returns, if the result is known already, and with
/// ``OrientationError/Code/disconnected`` when the connection is released.
///
/// It connects again to each orientd that starts, claims again and makes requests again. Use it from one thread. All of
/// its claims and requests end with it. Each call completes exactly once, and any of them may fail with
/// ``OrientationError/Code/disconnected``, ``OrientationError/Code/noReply`` or ``OrientationError/Code/failed``. A
/// program with `async` uses ``OrientationService`` instead.
public final class OrientationConnection {
    typealias Job = @Sendable (OrientationConnection) -> Void

    let loop: EventLoop
    let daemon: DaemonConnection
    let mailbox: Mailbox<Job>
    let channel = StateChannel()
    /// What runs this; nil if the program does.
    weak var service: OrientationService?
    private var watch: EventSource?

    /// The calls that wait until it is known whether orientd runs.
    private var waiters: [(Result<OrientationConnection, OrientationError>) -> Void] = []
    private var lastID = 0

    /// The values that share the claim of the sensor, and the calls that wait for it.
    private var claims: Set<Int> = []
    private var claimants: [(Result<OrientationClaim, OrientationError>) -> Void] = []

    private var requests: [Int: HeldRequest] = [:]

    /// The state that orientd has published last; nil before the first.
    public private(set) var state: OrientationState?

    /// Is called by ``process()`` with the first state and with each change of it.
    public var onChange: (OrientationState) -> Void = { _ in }

    /// Is called by ``process()`` when a restarted orientd refuses what its predecessor granted.
    public var onProblem: (OrientationError) -> Void = { _ in }

    // MARK: - The program's loop

    /// Connects to the bus, which takes a millisecond, and has D-Bus start orientd if it does not run.
    ///
    /// `busAddress` is a D-Bus address such as `unix:path=/run/bus`, nil for the system bus.
    ///
    /// - Throws: ``OrientationError/Code/busUnavailable``. That orientd does not run is no error of this call.
    public init(busAddress: String? = nil) throws(OrientationError) {
        do throws(SystemError) {
            loop = try EventLoop()
            daemon = DaemonConnection(bus: try Bus(busAddress.map { .address($0) } ?? .system))
            mailbox = try Mailbox()
            watch = try loop.watch(mailbox, owned(by: self) { connection, job in job(connection) })
            daemon.onState = { [weak self] _ in self?.stateChanged() }
            daemon.onClaim = { [weak self] in self?.claimChanged() }
            daemon.onRefusal = { [weak self] in self?.onProblem(OrientationError($1)) }
            try daemon.begin(on: loop)
        } catch {
            throw OrientationError(.busUnavailable, "\(error)")
        }
        wake()
    }

    deinit {
        channel.end(nil)
        daemon.close()
        for completion in waiters { completion(.failure(.disconnected)) }
        for completion in claimants { completion(.failure(.disconnected)) }
    }

    /// Readable when ``process()`` has something to do, also when a timeout has expired; poll it for reading only.
    ///
    /// It belongs to the connection, which closes it.
    public var fileDescriptor: Int32 { loop.descriptor }

    /// Handles everything that has arrived, without waiting.
    ///
    /// - Throws: ``OrientationError/Code/disconnected`` once the bus has closed the connection, and
    ///   ``OrientationError/Code/failed`` if the system cannot wait for events.
    public func process() throws(OrientationError) {
        do throws(SystemError) {
            try loop.runWhatIsDue()
        } catch {
            throw OrientationError(.failed, "\(error)")
        }
        if daemon.state == .disconnected { throw .disconnected }
    }

    /// Makes the descriptor readable: a call that was made outside the loop adds its timeout with the next turn.
    private func wake() { mailbox.send { _ in } }

    // MARK: - State

    /// As ``OrientationService/state()``, with the same errors.
    public func readState(completion: @escaping (Result<OrientationState, OrientationError>) -> Void) {
        whenRunning(completion) { connection in
            // The reply comes after the signals of all calls before, also those without a reply, such as a release.
            connection.daemon.call("Ping", of: Names.peer) { [weak connection] result in
                if let error = result.error { return completion(.failure(OrientationError(error))) }
                completion(connection?.state.map { .success($0) } ?? .failure(.disconnected))
            }
        }
    }

    /// Calls `body` with this when orientd runs, after D-Bus has started it if needed, or `completion` with an error.
    func whenRunning<Value>(
        _ completion: @escaping (Result<Value, OrientationError>) -> Void,
        _ body: @escaping (OrientationConnection) -> Void
    ) {
        defer { wake() }
        waiters.append { connection in
            switch connection {
            case .success(let connection): body(connection)
            case .failure(let error): completion(.failure(error))
            }
        }
        daemon.connect()
        completeWaiters()
    }

    private func completeWaiters() {
        let result: Result<OrientationConnection, OrientationError>
        switch daemon.state {
        case .starting: return
        case .running: result = .success(self)
        case .absent(let error?): result = .failure(.init(.serviceNotRunning, "orientd is not running: \(error)"))
        case .absent(nil): result = .failure(.ended)
        case .failed(let error): result = .failure(OrientationError(error))
        case .disconnected: result = .failure(.disconnected)
        }
        let waiters = waiters
        self.waiters = []
        for completion in waiters { completion(result) }
    }

    private func stateChanged() {
        let new = daemon.state.snapshot.map { OrientationState($0.status, isServiceRunning: true) } ?? state?.afterEnd
        if let new, new != state {
            state = new
            channel.send(new)
            onChange(new)
        }
        if daemon.state == .disconnected { channel.end(.disconnected) }
        completeWaiters()
    }

    private func newID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: - Claims

    /// As ``OrientationService/beginGeneratingDeviceOrientationNotifications()``, with the same errors.
    public func beginGeneratingDeviceOrientationNotifications(
        completion: @escaping (Result<OrientationClaim, OrientationError>) -> Void
    ) {
        whenRunning(completion) { connection in
            connection.claimants.append(completion)
            connection.daemon.wantsClaim = true
            connection.claimChanged()
        }
    }

    private func claimChanged() {
        let error: OrientationError?
        let claimants = claimants
        switch daemon.claim {
        case .asked: return
        case .granted: error = nil
        case .none: error = .ended
        case .refused(let refusal):
            error = OrientationError(refusal)
            if let error, claimants.isEmpty, !claims.isEmpty { onProblem(error) }
        }
        self.claimants = []
        if error != nil, claims.isEmpty { daemon.wantsClaim = false }
        for completion in claimants { completion(error.map { .failure($0) } ?? .success(newClaim())) }
    }

    private func newClaim() -> OrientationClaim {
        let id = newID()
        claims.insert(id)
        return OrientationClaim(HeldValue(id, self))
    }

    /// Ends a claim or a request, once.
    func end(_ id: Int) {
        if claims.remove(id) != nil, claims.isEmpty, claimants.isEmpty { daemon.wantsClaim = false }
        requests.removeValue(forKey: id)?.release()
    }

    // MARK: - Requests

    /// As ``OrientationService/requestGeometryUpdate(_:allowsInteractiveAuthorization:)``, with the same errors.
    public func requestGeometryUpdate(
        _ preferences: GeometryPreferences,
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<GeometryRequest, OrientationError>) -> Void
    ) {
        hold(preferences.request, isInteractive: allowsInteractiveAuthorization, completion)
    }

    private func hold(
        _ request: RotationRequest,
        parent: Int? = nil,
        isInteractive: Bool = false,
        _ completion: @escaping (Result<GeometryRequest, OrientationError>) -> Void
    ) {
        whenRunning(completion) { connection in
            let id = connection.newID()
            connection.requests[id] = connection.daemon.hold(
                request,
                parent: parent,
                isInteractive: isInteractive
            ) { [weak connection] error in
                guard let connection else { return completion(.failure(.disconnected)) }
                guard let error else { return completion(.success(GeometryRequest(HeldValue(id, connection)))) }
                connection.end(id)
                completion(.failure(OrientationError(error)))
            }
        }
    }

    /// As ``OrientationService/update(_:to:)``, with the same errors.
    public func update(
        _ request: GeometryRequest,
        to preferences: GeometryPreferences,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        change(request, completion) { $0.update(to: preferences.request, completion: $1) }
    }

    // MARK: - Containers

    /// As ``OrientationService/addChild(_:to:presentation:)``, with the same errors.
    public func addChild(
        _ preferences: GeometryPreferences,
        to container: GeometryRequest,
        presentation: RotationRequest.Presentation = .push,
        completion: @escaping (Result<GeometryRequest, OrientationError>) -> Void
    ) {
        guard let parent = held(container) else { return completion(.failure(.notHeld)) }
        var request = preferences.request
        request.presentation = presentation
        hold(request, parent: parent.number, completion)
    }

    /// As ``OrientationService/forward(_:to:)``, with the same errors.
    public func forward(
        _ container: GeometryRequest,
        to child: GeometryRequest?,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        var number: Int?
        if let child {
            guard let target = held(child) else { return completion(.failure(.notHeld)) }
            number = target.number
        }
        change(container, completion) { $0.forward(to: number, completion: $1) }
    }

    /// As ``OrientationService/setNeedsUpdateOfSupportedInterfaceOrientations(_:)``, with the same errors.
    public func setNeedsUpdateOfSupportedInterfaceOrientations(
        _ request: GeometryRequest,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        change(request, completion) { $0.setNeedsUpdate(completion: $1) }
    }

    /// What is sent for a request of this connection; nil once it was released.
    private func held(_ request: GeometryRequest) -> HeldRequest? {
        request.held.mailbox === mailbox ? requests[request.held.id] : nil
    }

    private func change(
        _ request: GeometryRequest,
        _ completion: @escaping (Result<Void, OrientationError>) -> Void,
        _ body: (HeldRequest, @escaping (BusError?) -> Void) -> Void
    ) {
        defer { wake() }
        guard daemon.state != .disconnected else { return completion(.failure(.disconnected)) }
        guard let held = held(request) else { return completion(.failure(.notHeld)) }
        body(held) { completion($0.map { .failure(OrientationError($0)) } ?? .success(())) }
    }
}

/// What ends with the public value that has it, also after orientd was restarted: a claim or a request.
final class HeldValue: Sendable {
    let id: Int
    let mailbox: Mailbox<OrientationConnection.Job>
    let channel: StateChannel
    private let service: OrientationService?

    init(_ id: Int, _ connection: OrientationConnection) {
        self.id = id
        mailbox = connection.mailbox
        channel = connection.channel
        service = connection.service
    }

    deinit { release() }

    func release() { mailbox.send { [id] in $0.end(id) } }
}
