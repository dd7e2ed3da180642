// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// The hooks of a session: what they are run for, and which variables they get.
final class SessionHooks {
    private var runners: [HookEvent: HookRunner] = [:]

    init(timeout: Double, loop: EventLoop, log: Log) throws(SystemError) {
        for event in HookEvent.allCases {
            runners[event] = try HookRunner(event, timeout: timeout, loop: loop, log: log)
        }
    }

    /// Kills the hooks that run, at the end of this process.
    func end() {
        for runner in runners.values { runner.end() }
    }

    /// Runs the hooks of an event; `completion` is called when all have ended, at once if there are none.
    func run(_ event: HookEvent, _ state: ManagerStatus, output: String?, completion: @escaping () -> Void = {}) {
        let variables = [
            ("ORIENTD_EVENT", event.rawValue),
            ("ORIENTD_OUTPUT", output ?? ""),
            ("ORIENTD_TRANSFORM", state.outputTransform.name),
            ("ORIENTD_INTERFACE_ORIENTATION", state.interfaceOrientation.name),
            ("ORIENTD_DEVICE_ORIENTATION", state.deviceOrientation.name),
            ("ORIENTD_TABLET_MODE", state.tabletMode.name),
            ("ORIENTD_ROTATION_LOCK", state.rotationLock.name),
        ]
        runners[event]?.run(variables.map { (name: $0.0, value: $0.1) }, completion: completion)
    }
}
