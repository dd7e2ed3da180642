// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// Holds a request for the focused window's application, so that orientd shows it in an orientation that it supports.
final class ApplicationRequest {
    private let windows: AgentConfiguration.ApplicationWindows
    private let follower: OrientationFollower
    private let log: Log
    /// Returns what an application supports; nil if nothing is known of it.
    private let orientations: (String) -> InterfaceOrientationMask?

    /// What is to be held; nil for nothing.
    private var wanted: RotationRequest?
    /// What is held, and the daemon's path of it.
    private var held: (request: RotationRequest, path: String)?
    private var isCalling = false

    init(
        _ windows: AgentConfiguration.ApplicationWindows,
        follower: OrientationFollower,
        log: Log,
        orientations: @escaping (String) -> InterfaceOrientationMask?
    ) {
        self.windows = windows
        self.follower = follower
        self.log = log
        self.orientations = orientations
    }

    /// Requests what the focused window's application supports, or releases the request.
    func windowChanged(_ window: FocusedWindow?) {
        wanted = window.flatMap { request(for: $0) }
        update()
    }

    /// Makes the request again: orientd was restarted, and has lost it.
    func serviceRestarted() {
        held = nil
        update()
    }

    private func request(for window: FocusedWindow) -> RotationRequest? {
        guard windows == .all || windows == .fullscreen && window.isFullscreen, !window.appID.isEmpty,
            window.appID.utf8.count <= RequestOptions.longest.appID, let mask = orientations(window.appID)
        else { return nil }
        return RotationRequest(
            appID: window.appID,
            supported: mask,
            reason: window.isFullscreen ? "its window covers the screen" : "its window has the focus"
        )
    }

    /// Makes one call at a time, so that calls for quick changes of the focus do not overtake each other.
    private func update() {
        guard !isCalling, follower.snapshot != nil, wanted != held?.request else { return }
        if let wanted { present(wanted) } else { release() }
    }

    /// Makes the new request before the old one is released: the display must not turn back in between.
    private func present(_ request: RotationRequest) {
        isCalling = true
        follower.present(request) { [self] result in
            isCalling = false
            let old = held
            switch result {
            case .success(let path):
                held = (request, path)
            case .failure(let error):
                // Not again for this window.
                held = (request, "")
                if !error.isServiceMissing {
                    log.warning("orientd refuses the orientations of \(request.appID): \(error)")
                }
            }
            if let old, !old.path.isEmpty { follower.release(old.path) {} }
            update()
        }
    }

    private func release() {
        let path = held?.path ?? ""
        held = nil
        guard !path.isEmpty else { return }
        isCalling = true
        follower.release(path) { [self] in
            isCalling = false
            update()
        }
    }
}
