// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// The hooks of a session: what they are run for, and what they are told.
final class SessionHooks {
    private let runners: [HookEvent: HookRunner]

    init(timeout: Double, loop: EventLoop, log: Log) throws(SystemError) {
        var runners: [HookEvent: HookRunner] = [:]
        for event in HookEvent.allCases {
            let folders = HookRunner.standardFolders
            runners[event] = try HookRunner(event, folders: folders, timeout: timeout, loop: loop, log: log)
        }
        self.runners = runners
    }

    /// Kills the hooks that run, at the end of this process.
    func end() {
        for runner in runners.values { runner.end() }
    }

    /// Runs the hooks of an event; `completion` is called when all have ended, at once if there are none.
    func run(_ event: HookEvent, _ state: ManagerStatus, output: String?, completion: @escaping () -> Void = {}) {
        let variables = [
            (name: "ORIENTD_OUTPUT", value: output ?? ""),
            (name: "ORIENTD_TRANSFORM", value: state.outputTransform.name),
            (name: "ORIENTD_INTERFACE_ORIENTATION", value: state.interfaceOrientation.name),
            (name: "ORIENTD_DEVICE_ORIENTATION", value: state.deviceOrientation.name),
            (name: "ORIENTD_TABLET_MODE", value: state.tabletMode.name),
            (name: "ORIENTD_ROTATION_LOCK", value: state.rotationLock.name),
        ]
        guard let runner = runners[event] else { return completion() }
        runner.run(variables, completion: completion)
    }
}
