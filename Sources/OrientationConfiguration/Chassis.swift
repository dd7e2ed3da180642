// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// The chassis type from systemd-hostnamed.
package enum Chassis {
    private static let service = "org.freedesktop.hostname1"
    private static let path = "/org/freedesktop/hostname1"

    /// Calls `completion` with the chassis type: later, or at once if the connection is closed.
    ///
    /// It is nil for other chassis, such as a desktop's or a server's, without hostnamed, and with an error.
    package static func ask(over bus: Bus, completion: @escaping (Idiom?, BusError?) -> Void) {
        bus.callLater(service, path, "org.freedesktop.DBus.Properties", "Get") { call in
            call.append(service)
            call.append("Chassis")
        } completion: { answer in
            do throws(BusError) {
                completion(Idiom(name: try answer.get().readTextVariant()), nil)
            } catch {
                completion(nil, error.isServiceMissing ? nil : error)
            }
        }
    }

    /// Returns hostnamed's name of the chassis; nil if there is none.
    package static func name(over bus: Bus) -> String? {
        try? bus.property("Chassis", of: service, at: path, on: service)
    }
}
