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
    private let bus: Bus
    let follower: OrientationFollower
    let mailbox: Mailbox<Job>
    /// The thread that this runs on; nil if the program runs it.
    weak var thread: OrientationThread?
    private var watches: [AnyObject] = []
    private var isDisconnected = false

    private var streams: [Int: OrientationStates.Stream.Continuation] = [:]
    private var stateReaders: [(Result<OrientationState, OrientationError>) -> Void] = []
    private var lastID = 0

    private var claims: Set<Int> = []
    private var claimants: [(Result<OrientationClaim, OrientationError>) -> Void] = []
    /// Whether the daemon that runs has granted the claim; one serves all values.
    private var isClaimGranted = false
    /// Whether that daemon has refused it, so that it is to be made again for the next value.
    private var isClaimRefused = false

    private var requests: [HeldRequest] = []

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
            bus = try Bus(busAddress.map { .address($0) } ?? .system)
            try bus.attach(to: loop)
            mailbox = try Mailbox()
            follower = OrientationFollower(bus: bus)
            watches = [
                try loop.watch(mailbox.descriptor) { [unowned self] in receive() },
                try bus.onDisconnect { [weak self] in self?.disconnected() },
            ]
            follower.onChange = { [weak self] _, new in self?.stateChanged(to: new) }
            follower.onRead = { [weak self] in self?.stateRead($0) }
            follower.onClaim = { [weak self] in self?.claimed($0) }
            follower.onStart = { [weak self] in self?.daemonStarted() }
            try follower.begin()
        } catch {
            throw OrientationError(.busUnavailable, "\(error)")
        }
        wake()
    }

    deinit {
        for continuation in streams.values { continuation.finish() }
        // Calls without a reply keep the bus otherwise.
        bus.close()
        for completion in stateReaders { completion(.failure(.disconnected)) }
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
        stateChanged(to: nil)
        for continuation in streams.values {
            continuation.yield(.failure(.disconnected))
            continuation.finish()
        }
    }

    // MARK: - State

    /// Completes with the state; has D-Bus start orientd if it does not run.
    ///
    /// Errors: ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/noReply``.
    public func readState(completion: @escaping (Result<OrientationState, OrientationError>) -> Void) {
        whenRunning { [weak self] error in
            guard let self, error == nil else { return completion(.failure(error ?? .disconnected)) }
            if let state, state.isServiceRunning { return completion(.success(state)) }
            stateReaders.append(completion)
            follower.readAgain()
        }
    }

    private func stateChanged(to snapshot: ManagerSnapshot?) {
        let status = snapshot?.status
        guard let new = status.map({ OrientationState($0, isServiceRunning: true) }) ?? state?.afterEnd, new != state
        else { return }
        state = new
        for continuation in streams.values { continuation.yield(.success(new)) }
        onChange(new)
    }

    private func stateRead(_ error: BusError?) {
        let readers = stateReaders
        stateReaders = []
        for completion in readers {
            if let error {
                completion(.failure(OrientationError(error)))
            } else if let state {
                completion(.success(state))
            }
        }
    }

    func add(_ continuation: OrientationStates.Stream.Continuation) {
        if isDisconnected {
            continuation.yield(.failure(.disconnected))
            return continuation.finish()
        }
        let id = newID()
        streams[id] = continuation
        continuation.onTermination = { [mailbox] _ in mailbox.send { $0.streams[id] = nil } }
        if let state { continuation.yield(.success(state)) }
    }

    private func newID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: - The daemon

    /// Calls `body` when orientd runs, after D-Bus has started it if necessary, or with an error.
    func whenRunning(_ body: @escaping (OrientationError?) -> Void) {
        defer { wake() }
        guard !isDisconnected else { return body(.disconnected) }
        guard follower.daemon == nil else { return body(nil) }
        follower.start { error in
            body(error.map { OrientationError(.serviceNotRunning, "orientd is not running: \($0)") })
        }
    }

    private func daemonStarted() {
        (isClaimGranted, isClaimRefused) = (false, false)
        for request in requests {
            request.path = nil
            make(request)
        }
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
            guard !isClaimGranted else { return completion(.success(newClaim())) }
            claimants.append(completion)
            if isClaimRefused { follower.isClaiming = false }
            isClaimRefused = false
            follower.isClaiming = true
        }
    }

    private func newClaim() -> OrientationClaim {
        let id = newID()
        claims.insert(id)
        return OrientationClaim(id, mailbox, owner: thread)
    }

    private func claimed(_ error: BusError?) {
        let claimants = claimants
        self.claimants = []
        isClaimGranted = error == nil
        isClaimRefused = error != nil && !claims.isEmpty
        if let error {
            // A daemon that ended meanwhile is no refusal.
            let problem = OrientationError(error)
            if claimants.isEmpty, !claims.isEmpty, follower.daemon != nil { onProblem(problem) }
            if claims.isEmpty { follower.isClaiming = false }
            for completion in claimants { completion(.failure(problem)) }
        } else {
            for completion in claimants { completion(.success(newClaim())) }
        }
    }

    func endClaim(_ id: Int) {
        guard claims.remove(id) != nil, claims.isEmpty, claimants.isEmpty else { return }
        isClaimGranted = false
        follower.isClaiming = false
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
            follower.present(preferences.request, isInteractive: allowsInteractiveAuthorization) { [weak self] result in
                guard let self else { return completion(.failure(.disconnected)) }
                switch result {
                case .success(let path):
                    let request = HeldRequest(newID(), preferences, path)
                    requests.append(request)
                    completion(.success(GeometryRequest(request.id, mailbox, owner: thread)))
                case .failure(let error):
                    completion(.failure(OrientationError(error)))
                }
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
        guard request.mailbox === mailbox, let held = requests.first(where: { $0.id == request.id }) else {
            return completion(.failure(OrientationError(.invalidArgument, "the request is not held any more")))
        }
        var preferences = preferences
        preferences.appID = held.preferences.appID
        held.preferences = preferences
        guard let path = held.path, follower.daemon != nil else { return completion(.success(())) }
        send(held, to: path) { completion($0.map { .failure($0) } ?? .success(())) }
    }

    /// Sends the preferences of a request that the daemon knows; if it refuses them, those that it had last count again.
    private func send(_ request: HeldRequest, to path: String, completion: @escaping (OrientationError?) -> Void) {
        let sent = request.preferences
        let rotation = sent.request
        follower.call("Update", of: Names.request, at: path) { call in
            RequestOptions.writeChanges(rotation, to: call)
        } completion: { result in
            let error = result.error.map { OrientationError($0) }
            if let error {
                // A daemon that has ended has not refused the change, and a newer change may be on its way.
                let isRefused = error.code != .serviceNotRunning && error.code != .noReply
                if isRefused, request.preferences == sent { request.preferences = request.accepted }
            } else {
                request.accepted = sent
            }
            completion(error)
        }
    }

    /// Makes a request again, which the end of a daemon has ended.
    private func make(_ request: HeldRequest) {
        let preferences = request.preferences
        follower.present(preferences.request) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let path):
                guard requests.contains(where: { $0 === request }) else { return follower.release(path) {} }
                request.path = path
                request.accepted = preferences
                guard request.preferences != preferences else { return }
                send(request, to: path) { [weak self] error in
                    if let error { self?.onProblem(error) }
                }
            case .failure(let error):
                if follower.daemon != nil { onProblem(OrientationError(error)) }
            }
        }
    }

    func endRequest(_ id: Int) {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        if let path = requests.remove(at: index).path, follower.daemon != nil { follower.release(path) {} }
    }
}

/// A request that is held, and made again after orientd was restarted.
private final class HeldRequest {
    let id: Int
    var preferences: GeometryPreferences
    /// Those that the daemon had last.
    var accepted: GeometryPreferences
    /// The daemon's path of it; nil while the daemon does not know it.
    var path: String?

    init(_ id: Int, _ preferences: GeometryPreferences, _ path: String) {
        self.id = id
        self.preferences = preferences
        accepted = preferences
        self.path = path
    }
}
