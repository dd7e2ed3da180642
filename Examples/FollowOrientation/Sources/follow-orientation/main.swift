// SPDX-License-Identifier: Apache-2.0

import OrientationClient

let orientd = try OrientationService()
// The sensor runs as long as this claim exists.
let claim = try await orientd.beginGeneratingDeviceOrientationNotifications()
// The interface stays in landscape as long as this request exists.
let film = try await orientd.requestGeometryUpdate(
    GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
)
for try await state in claim.states {
    print(state.isServiceRunning, state.deviceOrientation, state.interfaceOrientation)
}
