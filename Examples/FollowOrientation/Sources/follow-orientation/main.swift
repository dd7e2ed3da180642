// SPDX-License-Identifier: Apache-2.0

import Glibc
import OrientationClient

do {
    let orientd = try OrientationService()
    // The sensor runs as long as this claim exists.
    let claim = try await orientd.beginGeneratingDeviceOrientationNotifications()
    // The interface stays in landscape until this request is released.
    let film = try await orientd.requestGeometryUpdate(
        GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
    )
    defer { film.release() }
    for try await state in claim.states {
        print(state.isServiceRunning, state.deviceOrientation, state.interfaceOrientation)
        // Standard output to a pipe is buffered.
        fflush(nil)
    }
} catch {
    // orientd is not installed, polkit refuses, or the bus has ended.
    print("error: \(error)")
    exit(1)
}
