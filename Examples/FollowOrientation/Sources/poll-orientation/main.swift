// SPDX-License-Identifier: Apache-2.0

// The same as follow-orientation, without `async`, for a program that has a loop of its own. Here it is poll(2);
// GLib's, Qt's and others take a descriptor too.

import Glibc
import OrientationClient

let orientd = try OrientationConnection()
var claim: OrientationClaim?
var film: GeometryRequest?

/// Returns the value that a call completed with, or ends the program.
func value<Value>(_ result: Result<Value, OrientationError>) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let error):
        print("error: \(error)")
        exit(1)
    }
}

orientd.onChange = { state in
    guard claim != nil, film != nil else { return }
    print(state.isServiceRunning, state.deviceOrientation, state.interfaceOrientation)
    fflush(nil)
}
orientd.beginGeneratingDeviceOrientationNotifications { result in
    claim = value(result)
    let preferences = GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
    orientd.requestGeometryUpdate(preferences) { result in
        film = value(result)
        if let state = orientd.state { orientd.onChange(state) }
    }
}

while true {
    var descriptor = pollfd(fd: orientd.fileDescriptor, events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, -1)
    try orientd.process()
}
