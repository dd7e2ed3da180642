// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// The connection of a program with orientd, for programs that have a loop of their own.
///
/// Have the loop call ``process()`` whenever ``fileDescriptor`` is readable; that calls ``onChange`` and completions. It
/// connects again to each orientd that starts, claims again and makes requests again. Use it from one thread. All of its
/// claims and requests end with it. A program with `async` uses ``OrientationService`` instead.
public final class OrientationConnection {
    typealias Job = @Sendable (OrientationConnection) -> Void

    private let loop: EventLoop
    let daemon: DaemonConnection
    let mailbox: Mailbox<Job>
    let channel = StateChannel()
    /// The thread that this runs on; nil if the program runs it.
    weak var thread: OrientationThread?
    private var watches: [AnyObject] = []
    private var isDisconnected = false

    /// The calls that wait until it is known whether orientd runs.
    private var waiters: [(OrientationError?) -> Void] = []
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
            let bus = try Bus(busAddress.map { .address($0) } ?? .system)
            try bus.attach(to: loop)
            mailbox = try Mailbox()
            daemon = DaemonConnection(bus: bus)
            watches = [
                try loop.watch(mailbox.descriptor) { [unowned self] in receive() },
                try bus.onDisconnect { [weak self] in self?.disconnected() },
            ]
            daemon.onState = { [weak self] _ in self?.stateChanged() }
            daemon.onClaim = { [weak self] in self?.claimChanged() }
            daemon.onRefusal = { [weak self] in self?.onProblem(OrientationError($1)) }
            try daemon.begin()
        } catch {
            throw OrientationError(.busUnavailable, "\(error)")
        }
        wake()
    }

    deinit {
        channel.end(nil)
        daemon.close()
        for completion in waiters { completion(.disconnected) }
        for completion in claimants { completion(.failure(.disconnected)) }
    }

    /// Readable when ``process()`` has something to do; it never becomes writable, and timeouts are in it.
    ///
    /// It belongs to the connection, which closes it.
    public var fileDescriptor: Int32 { loop.descriptor }

    /// Handles everything that has arrived, without waiting.
    ///
    /// - Throws: ``OrientationError/Code/disconnected`` once the bus has closed the connection.
    public func process() throws(OrientationError) {
        do throws(SystemError) {
            try loop.runWhatIsDue()
        } catch {
            throw OrientationError(.failed, "\(error)")
        }
        if isDisconnected { throw .disconnected }
    }

    /// Runs on the thread until ``stop()``.
    func run() { _ = try? loop.run() }

    func stop() { loop.exit() }

    private func receive() {
        var jobs: [Job] = []
        mailbox.receive(into: &jobs)
        for job in jobs { job(self) }
    }

    /// Makes the descriptor readable: a call that was made outside the loop adds its timeout with the next turn.
    private func wake() { mailbox.send { _ in } }

    private func disconnected() {
        isDisconnected = true
        channel.end(.disconnected)
    }

    // MARK: - State

    /// Completes with the state; has D-Bus start orientd if it does not run.
    ///
    /// Errors: ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/noReply``.
    public func readState(completion: @escaping (Result<OrientationState, OrientationError>) -> Void) {
        whenRunning { [weak self] error in
            guard let state = self?.state, error == nil else { return completion(.failure(error ?? .disconnected)) }
            completion(.success(state))
        }
    }

    /// Calls `body` when orientd runs, after D-Bus has started it if necessary, or with an error.
    func whenRunning(_ body: @escaping (OrientationError?) -> Void) {
        defer { wake() }
        guard !isDisconnected else { return body(.disconnected) }
        waiters.append(body)
        daemon.connect()
        completeWaiters()
    }

    private func completeWaiters() {
        let error: OrientationError?
        switch daemon.state {
        case .starting: return
        case .running: error = nil
        case .absent(let problem?): error = OrientationError(.serviceNotRunning, "orientd is not running: \(problem)")
        case .absent(nil): error = .ended
        case .failed(let problem): error = OrientationError(problem)
        }
        let waiters = waiters
        self.waiters = []
        for completion in waiters { completion(error) }
    }

    private func stateChanged() {
        let new = daemon.state.snapshot.map { OrientationState($0.status, isServiceRunning: true) } ?? state?.afterEnd
        if let new, new != state {
            state = new
            channel.send(new)
            onChange(new)
        }
        completeWaiters()
    }

    private func newID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: - Claims

    /// Keeps the sensor running as long as the claim exists that `completion` gets; as `UIDevice`'s method of this name.
    ///
    /// It completes when the first orientation or face is known, or after one second. A machine without a sensor is no
    /// error; see ``OrientationState/hasAccelerometer``.
    ///
    /// Errors: ``OrientationError/Code/notAllowed`` for users without an active local session, by default;
    /// ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/limitExceeded``.
    public func beginGeneratingDeviceOrientationNotifications(
        completion: @escaping (Result<OrientationClaim, OrientationError>) -> Void
    ) {
        whenRunning { [weak self] error in
            guard let self, error == nil else { return completion(.failure(error ?? .disconnected)) }
            claimants.append(completion)
            daemon.wantsClaim = true
            claimChanged()
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
        return OrientationClaim(id, mailbox, channel, owner: thread)
    }

    func endClaim(_ id: Int) {
        if claims.remove(id) != nil, claims.isEmpty, claimants.isEmpty { daemon.wantsClaim = false }
    }

    // MARK: - Requests

    /// Requests that the interface is shown in certain orientations, as long as the request exists that `completion` gets.
    ///
    /// The interface turns at once if it has to; as `UIWindowScene.requestGeometryUpdate(_:)`. With
    /// `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// Errors: ``OrientationError/Code/invalidInterfaceOrientation`` if no orientation would be allowed;
    /// ``OrientationError/Code/invalidArgument``, ``OrientationError/Code/notAllowed``,
    /// ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/limitExceeded``.
    public func requestGeometryUpdate(
        _ preferences: GeometryPreferences,
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<GeometryRequest, OrientationError>) -> Void
    ) {
        whenRunning { [weak self] error in
            guard let self, error == nil else { return completion(.failure(error ?? .disconnected)) }
            let id = newID()
            requests[id] = daemon.hold(
                preferences.request,
                isInteractive: allowsInteractiveAuthorization
            ) { [weak self] error in
                guard let self, error == nil else {
                    self?.endRequest(id)
                    return completion(.failure(error.map { OrientationError($0) } ?? .disconnected))
                }
                completion(.success(GeometryRequest(id, mailbox, owner: thread)))
            }
        }
    }

    /// Changes a request of this connection; its application stays the same.
    ///
    /// While orientd does not run, the change takes effect when it starts again.
    ///
    /// Errors: those of ``requestGeometryUpdate(_:allowsInteractiveAuthorization:completion:)``, and
    /// ``OrientationError/Code/invalidArgument`` for a request that was released or is another connection's.
    public func update(
        _ request: GeometryRequest,
        to preferences: GeometryPreferences,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        defer { wake() }
        guard request.mailbox === mailbox, let held = requests[request.id] else {
            return completion(.failure(OrientationError(.invalidArgument, "the request is not held any more")))
        }
        held.update(to: preferences.request) { error in
            completion(error.map { .failure(OrientationError($0)) } ?? .success(()))
        }
    }

    func endRequest(_ id: Int) { requests.removeValue(forKey: id)?.release() }
}
