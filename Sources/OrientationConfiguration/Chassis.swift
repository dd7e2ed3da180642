// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// What systemd-hostnamed takes the machine for.
package enum Chassis {
    private static let service = "org.freedesktop.hostname1"
    private static let path = "/org/freedesktop/hostname1"

    /// Asks over `bus`, and calls `completion` with the answer in a later turn of the loop.
    ///
    /// There is no idiom for a desktop or a server, nor where there is no hostnamed. With the connection closed, the
    /// failure comes at once.
    package static func ask(over bus: Bus, completion: @escaping (Result<Idiom?, BusError>) -> Void) {
        do throws(BusError) {
            try bus.callLater(service, path, "org.freedesktop.DBus.Properties", "Get") { call in
                call.append(service)
                call.append("Chassis")
            } completion: { answer in
                completion(idiom(in: answer))
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Asks over `bus` and waits for the answer: hostnamed's own word, nil where it gives none.
    package static func name(over bus: Bus) -> String? {
        try? bus.property("Chassis", of: service, at: path, on: service)
    }

    private static func idiom(in answer: BusMessage) -> Result<Idiom?, BusError> {
        if let error = answer.error { return error.isServiceMissing ? .success(nil) : .failure(error) }
        do throws(BusError) {
            return .success(Idiom(name: try answer.readVariant(String.self)))
        } catch {
            return .failure(error)
        }
    }
}
