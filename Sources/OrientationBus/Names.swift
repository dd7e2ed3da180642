// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX
import SystemdBus

/// The names of the D-Bus interface; others depend on them, so they never change.
package enum Names {
    package static let service = "org.orientd1"
    package static let path = "/org/orientd1"
    package static let sensorPath = "/org/orientd1/sensor/"
    package static let requestPath = "/org/orientd1/request/"

    package static let manager = "org.orientd1.Manager"
    package static let sensor = "org.orientd1.Sensor"
    package static let request = "org.orientd1.Request"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    package static let peer = "org.freedesktop.DBus.Peer"

    package enum Action {
        package static let claim = "org.orientd1.claim"
        package static let lock = "org.orientd1.lock"
        package static let rotate = "org.orientd1.rotate"
        package static let request = "org.orientd1.request"
        package static let tabletMode = "org.orientd1.tablet-mode"
        package static let configure = "org.orientd1.configure"
        /// The action of iio-sensor-proxy.
        package static let claimSensor = "net.hadess.SensorProxy.claim-sensor"
    }

    package static let errorPrefix = "org.orientd1.Error."

    /// The error of every limit.
    package static let limitError = "org.orientd1.Error.LimitExceeded"

    /// The path of a request's object; `/` for none.
    package static func path(of request: RotationRequest.ID?) -> String {
        request.map { requestPath + "\($0)" } ?? "/"
    }

    /// The id in a request's path; nil for any other path.
    package static func request(at path: String) -> RotationRequest.ID? {
        guard let number = path.dropping(prefix: requestPath), let id = RotationRequest.ID(number) else { return nil }
        return "\(id)" == number ? id : nil
    }
}

extension BusError {
    /// Converts a refusal of the policy.
    init(_ refusal: RotationRefusal) {
        switch refusal {
        case .invalidArgument(let text): self = .invalidArguments(text)
        case .invalidInterfaceOrientation: self.init(Names.errorPrefix + "InvalidInterfaceOrientation", "\(refusal)")
        case .orientationNotSupported: self.init(Names.errorPrefix + "OrientationNotSupported", "\(refusal)")
        case .notYourRequest: self.init(Names.errorPrefix + "NotYourRequest", "\(refusal)")
        case .limitExceeded(let text): self = .limitExceeded(text)
        case .unknownRequest: self = .unknownObject("\(refusal)")
        }
    }
}
