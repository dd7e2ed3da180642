// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX
package import SystemdBus

/// A request that each daemon gets until it is released; made by ``DaemonConnection``.
package final class HeldRequest {
    private enum State: Equatable {
        /// The daemon does not know it yet, or none runs.
        case unknown
        /// The daemon has refused it, or does not know its parent.
        case refused
        case asked
        case made(path: String)
        case released
    }

    /// Seconds for the reply to a request, in effect without limit.
    ///
    /// A daemon that replied too late would hold a request that nobody can release. The call ends with the daemon.
    private static let timeout = 1e9

    /// Names it within the connection.
    package let number: Int
    // Unretained, as the connection holds its requests.
    private unowned(unsafe) let connection: DaemonConnection
    /// The number of the request that it is a child of, which each daemon gets first.
    let parent: Int?
    /// The number of the request that decides in place of this one.
    private var target: Int?
    private var state = State.unknown
    package private(set) var request: RotationRequest
    /// What the daemon was sent last, and has not refused.
    private var accepted: RotationRequest
    private let isInteractive: Bool
    /// Nil after the first reply.
    private var completion: ((BusError?) -> Void)?

    init(
        _ request: RotationRequest,
        number: Int,
        of connection: DaemonConnection,
        parent: Int?,
        isInteractive: Bool,
        _ completion: @escaping (BusError?) -> Void
    ) {
        self.request = request
        accepted = request
        self.number = number
        self.connection = connection
        self.parent = parent
        self.isInteractive = isInteractive
        self.completion = completion
    }

    /// What the daemon calls it; nil unless it knows the request.
    var id: RotationRequest.ID? {
        if case .made(let path) = state { Names.request(at: path) } else { nil }
    }

    /// Makes the request of a daemon that does not know it, once that has its parent.
    func make() {
        guard state == .unknown || state == .refused else { return }
        if let parent {
            let held = connection.request(parent)
            guard let id = held?.id else {
                if held?.isExpected ?? false { return }
                state = .refused
                answered(.invalidArguments("orientd does not know the parent"))
                return connection.answered(self)
            }
            request.parent = id
        }
        request.forwardsTo = connection.request(target)?.id
        state = .asked
        let sent = firstRequest
        accepted = sent
        connection.call("Request", isInteractive: isInteractive && completion != nil, timeout: Self.timeout) { call in
            RequestOptions.write(sent, to: call)
        } completion: { [self] result in
            do throws(BusError) {
                made(at: try result.get().readObjectPath())
            } catch {
                let isRefused = state == .asked
                if isRefused { state = .refused }
                if !answered(error), isRefused { connection.onRefusal(request, error) }
                connection.answered(self)
            }
        }
    }

    /// Whether the daemon has not answered it yet.
    private var isExpected: Bool { state == .unknown || state == .asked }

    /// The request that is to decide in place of this one, and is still to be made.
    private var awaitedTarget: HeldRequest? {
        connection.request(target).flatMap { $0.isExpected && $0.request.isActive ? $0 : nil }
    }

    /// What a daemon gets first: until the target is there, the interface is shown as that one allows.
    ///
    /// Otherwise it would turn for this request, and stay so, as a pushed target turns it only later.
    private var firstRequest: RotationRequest {
        var decider = self
        // No daemon accepts a circle, but without one nobody has refused it.
        for _ in 0..<connection.requestCount { decider = decider.awaitedTarget ?? decider }
        guard decider !== self else { return request }
        var first = request
        first.supported = decider.request.supported
        first.shouldAutorotate = decider.request.shouldAutorotate
        first.preferred = nil
        return first
    }

    private func made(at path: String) {
        if state == .asked { state = .made(path: path) } else { release(path) }
        answered(nil)
        connection.answered(self)
        if request != accepted, awaitedTarget == nil { updateAgain() }
    }

    private func updateAgain() {
        update(to: request) { [self] error in if let error { connection.onRefusal(request, error) } }
    }

    /// Handles that the daemon has answered another request.
    func follow(_ other: HeldRequest) {
        if parent == other.number { make() }
        if target == other.number, id != nil, request.forwardsTo != other.id || request != accepted { updateAgain() }
    }

    /// Completes the first reply; returns false for later ones.
    @discardableResult
    private func answered(_ error: BusError?) -> Bool {
        guard let completion else { return false }
        self.completion = nil
        completion(error)
        return true
    }

    /// The end of the daemon has ended the request.
    func daemonEnded() { state = .unknown }

    /// Changes the request; its application, its parent and its presentation stay the same.
    ///
    /// A daemon that starts later gets what is changed meanwhile, and one that has refused the request is asked again.
    /// What a daemon refuses is not changed.
    package func update(to new: RotationRequest, completion: @escaping (BusError?) -> Void) {
        if new.isActive, !request.isActive { connection.moveToEnd(self) }
        request = new
        request.appID = accepted.appID
        request.parent = accepted.parent
        request.presentation = accepted.presentation
        request.forwardsTo = connection.request(target)?.id
        if state == .refused, self.completion == nil {
            self.completion = completion
            return make()
        }
        guard case .made(let path) = state else { return completion(nil) }
        let sent = request
        connection.call("Update", of: Names.request, at: path) { call in
            RequestOptions.writeChanges(sent, to: call)
        } completion: { [self] result in
            if result.error == nil {
                accepted = sent
            } else if state == .made(path: path), request == sent {
                request = accepted
            }
            completion(result.error)
        }
    }

    /// Lets the request with that number decide in place of this one; nil ends that.
    package func forward(to number: Int?, completion: @escaping (BusError?) -> Void) {
        let previous = target
        target = number
        update(to: request) { [self] error in
            if error != nil, target == number { target = previous }
            completion(error)
        }
    }

    /// Has the daemon apply a pushed request now, instead of with the next rotation.
    package func setNeedsUpdate(completion: @escaping (BusError?) -> Void) {
        guard case .made(let path) = state else { return completion(nil) }
        connection.call("SetNeedsUpdate", of: Names.request, at: path) { completion($0.error) }
    }

    /// Ends the request, once; a reply that is awaited is answered with its release.
    package func release() {
        connection.forget(self)
        if case .made(let path) = state { release(path) }
        state = .released
    }

    private func release(_ path: String) {
        connection.call("Release", of: Names.request, at: path) { _ in }
    }
}
