// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// Holds a request for the focused window's application, so that orientd shows it in an orientation that it supports.
final class ApplicationRequest {
    private let configuration: AgentConfiguration
    /// What applications support according to the configuration of orientd, by their ids.
    private let systemMasks: [String: InterfaceOrientationMask]
    private let daemon: DaemonConnection
    private let log: Log

    private var held: HeldRequest?

    init(_ configuration: AgentConfiguration, daemon: DaemonConnection, log: Log) throws(SystemError) {
        self.configuration = configuration
        self.daemon = daemon
        self.log = log
        let reader = ConfigurationReader<Configuration>()
        try reader.read(Configuration.standardPath, isRequired: false)
        systemMasks = reader.configuration.machine.applicationMasks
    }

    /// Requests what the focused window's application supports, or releases the request.
    func windowChanged(_ window: FocusedWindow?) {
        let request = window.flatMap { self.request(for: $0) }
        let old = held
        guard request != old?.request else { return }
        held = request.map { request in
            daemon.hold(request) { [self] error in
                if let error { refused(request, error) }
                // Not before: the display must not turn back in between.
                old?.release()
            }
        }
        if request == nil || daemon.state.snapshot == nil { old?.release() }
    }

    func refused(_ request: RotationRequest, _ error: BusError) {
        guard daemon.state.snapshot != nil else { return }
        log.warning("orientd refuses the orientations of \(request.appID): \(error)")
    }

    private func request(for window: FocusedWindow) -> RotationRequest? {
        let windows = configuration.applications
        guard windows == .all || windows == .fullscreen && window.isFullscreen, !window.appID.isEmpty,
            window.appID.utf8.count <= RequestOptions.longest.appID,
            let mask = configuration.applicationMasks[window.appID] ?? systemMasks[window.appID]
                ?? DesktopFile.orientations(of: window.appID)
        else { return nil }
        return RotationRequest(
            appID: window.appID,
            supported: mask,
            reason: window.isFullscreen ? "its window covers the screen" : "its window has the focus"
        )
    }
}
