// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX
package import SystemdBus

/// A request that each daemon gets until it is released; made by ``DaemonConnection``.
package final class HeldRequest {
    private enum State: Equatable {
        /// The daemon does not know it: none runs, or it has refused.
        case unknown
        case asked
        case made(path: String)
        case released
    }

    /// Seconds for the reply to a request, in effect without limit.
    ///
    /// A daemon that replied too late would hold a request that nobody can release. The call ends with the daemon.
    private static let timeout = 1e9

    // Unretained, as the connection holds its requests.
    private unowned(unsafe) let connection: DaemonConnection
    private var state = State.unknown
    private var request: RotationRequest
    /// What the daemon was sent last, and has not refused.
    private var accepted: RotationRequest
    private let isInteractive: Bool
    /// Nil after the first reply.
    private var completion: ((BusError?) -> Void)?

    init(
        _ request: RotationRequest,
        of connection: DaemonConnection,
        isInteractive: Bool,
        _ completion: @escaping (BusError?) -> Void
    ) {
        self.request = request
        accepted = request
        self.connection = connection
        self.isInteractive = isInteractive
        self.completion = completion
    }

    /// Makes the request of a daemon that does not know it.
    func make() {
        guard state == .unknown else { return }
        state = .asked
        accepted = request
        connection.call("Request", isInteractive: isInteractive && completion != nil, timeout: Self.timeout) { call in
            RequestOptions.write(request, to: call)
        } completion: { [self] result in
            do throws(BusError) {
                made(at: try result.get().readObjectPath())
            } catch {
                let isRefused = state == .asked
                if isRefused { state = .unknown }
                if !answered(error), isRefused { connection.onRefusal(request, error) }
            }
        }
    }

    private func made(at path: String) {
        if state == .asked { state = .made(path: path) } else { release(path) }
        answered(nil)
        guard request != accepted else { return }
        update(to: request) { [self] error in if let error { connection.onRefusal(request, error) } }
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

    /// Changes the request; its application stays the same.
    ///
    /// A daemon that starts later gets what is changed meanwhile. What a daemon refuses is not changed.
    package func update(to new: RotationRequest, completion: @escaping (BusError?) -> Void) {
        request = new
        request.appID = accepted.appID
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
