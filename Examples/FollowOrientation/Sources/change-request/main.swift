// SPDX-License-Identifier: Apache-2.0

import Glibc
import OrientationClient

do {
    let orientd = try OrientationService { print("refused after a restart:", $0) }

    // A film fills the screen, and starts in landscape-left.
    var window = GeometryPreferences(
        appID: "org.example.Player",
        interfaceOrientations: .landscape,
        preferredInterfaceOrientationForPresentation: .landscapeLeft
    )
    let request = try await orientd.requestGeometryUpdate(window)
    print("film:", try await orientd.state().interfaceOrientation)

    // Its list of chapters can be shown in any orientation.
    window.interfaceOrientations = .all
    window.preferredInterfaceOrientationForPresentation = nil
    try await orientd.update(request, to: window)

    // A button of the player keeps what is shown now; a lock that the user has set stays as it is.
    let isUnlocked = try await orientd.state().rotationLock == .off
    if isUnlocked { try await orientd.setRotationLock(.current) }
    print("lock:", try await orientd.state().rotationLock)

    // The interface follows the device again, unless the user's lock holds it.
    if isUnlocked { try await orientd.setRotationLock(.off) }
    request.release()
} catch {
    switch error.code {
    case .notAllowed: print("not for this user:", error.message)
    case .serviceNotRunning: print("install orientd:", error.message)
    default: print(error)
    }
    exit(1)
}
