// SPDX-License-Identifier: Apache-2.0

/// The names of the D-Bus interface; others depend on them, so they never change.
package enum Names {
    package static let service = "org.orientd1"
    package static let path = "/org/orientd1"
    package static let sensorPath = "/org/orientd1/sensor/"

    package static let manager = "org.orientd1.Manager"
    package static let sensor = "org.orientd1.Sensor"

    package static let claimAction = "org.orientd1.claim"

    static let errorPrefix = "org.orientd1.Error."
}
