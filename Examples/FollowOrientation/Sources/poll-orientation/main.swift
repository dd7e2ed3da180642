// SPDX-License-Identifier: Apache-2.0

// The same as follow-orientation, without `async`, for a program that has a loop of its own. Here it is poll(2);
// GLib's, Qt's and others take a descriptor too.

import Glibc
import OrientationClient

/// Ends the program.
func fail(_ error: OrientationError) -> Never {
    print("error: \(error)")
    exit(1)
}

/// Returns the value that a call completed with, or ends the program.
func value<Value>(_ result: Result<Value, OrientationError>) -> Value {
    do { return try result.get() } catch { fail(error) }
}

var claim: OrientationClaim?
var film: GeometryRequest?

do {
    let orientd = try OrientationConnection()
    orientd.onChange = { state in
        print(state.isServiceRunning, state.deviceOrientation, state.interfaceOrientation)
        fflush(nil)
    }
    // These are made when the loop runs. The results are kept in variables, because they end with the last reference.
    orientd.beginGeneratingDeviceOrientationNotifications { claim = value($0) }
    let preferences = GeometryPreferences(appID: "org.example.Player", interfaceOrientations: .landscape)
    orientd.requestGeometryUpdate(preferences) { film = value($0) }
    while true {
        var descriptor = pollfd(fd: orientd.fileDescriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, -1)
        try orientd.process()
    }
} catch {
    fail(error)
}
