// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Has Hyprland draw a frame while a change of outputs is pending: since 0.57 it applies one with the next frame only,
/// and an idle screen has none.
final class HyprlandRedraw {
    /// Seconds until the first request and between further ones, and how many there are.
    private static let times = (first: 0.05, next: 0.5, most: 5)

    private let loop: EventLoop
    private var timer: Timer?
    private var request: HyprlandRequest?
    private var count = 0

    init(loop: EventLoop) throws(SystemError) {
        self.loop = loop
        timer = try loop.timer { [unowned(unsafe) self] in withExtendedLifetime(self) { draw() } }
    }

    /// A change was asked for.
    func begin() {
        count = 0
        timer?.arm(after: Self.times.first)
    }

    /// The change has ended.
    func end() { timer?.disarm() }

    private func draw() {
        count += 1
        // Versions before 0.55, which need no frame, do not know the request; what goes wrong shows as a pending change.
        request = try? HyprlandRequest(
            "/eval hl.dispatch(hl.dsp.force_renderer_reload())",
            to: HyprlandRequest.folder + "/.socket.sock",
            loop: loop
        ) { [unowned(unsafe) self] _ in
            request = nil
        }
        if count < Self.times.most { timer?.arm(after: Self.times.next) }
    }
}
