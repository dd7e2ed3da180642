// SPDX-License-Identifier: Apache-2.0

package import POSIX

/// A D-Bus error that was received, or is to be sent.
package struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error's name, such as `org.freedesktop.DBus.Error.AccessDenied`.
    package let name: String
    package let message: String

    package init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// The beginning of the names of D-Bus's own errors.
    package static let standard = "org.freedesktop.DBus.Error."

    package static func invalidArguments(_ message: String) -> BusError { BusError(standard + "InvalidArgs", message) }
    package static func accessDenied(_ message: String) -> BusError { BusError(standard + "AccessDenied", message) }
    package static func unknownObject(_ message: String) -> BusError { BusError(standard + "UnknownObject", message) }
    package static func failed(_ message: String) -> BusError { BusError(standard + "Failed", message) }

    /// Creates the error of a call that could not be sent or served.
    package init(_ error: SystemError) { self = .failed("\(error)") }

    static let unexpectedTypes = invalidArguments("the arguments are not of the expected types")

    /// Whether the error means that the caller lacks permission.
    package var isRefusal: Bool {
        name == Self.standard + "AccessDenied" || name == Self.interactiveAuthorizationRequired
    }

    /// The name of the error of a call that polkit would allow after asking a person, which the call did not allow.
    package static let interactiveAuthorizationRequired = standard + "InteractiveAuthorizationRequired"

    /// Whether the service has ended, or let the call time out, before it replied.
    package var isNoReply: Bool {
        // The second is sd-bus's own, for a call that it has waited for.
        name == Self.standard + "NoReply" || name == Self.standard + "Timeout"
    }

    /// Whether the bus could not start the service, or not in time.
    package var isFailedStart: Bool {
        name == Self.standard + "TimedOut" || name.begins(with: Self.standard + "Spawn.")
    }

    /// Whether the error means that no service could answer.
    package var isServiceMissing: Bool {
        [
            Self.standard + "ServiceUnknown", Self.standard + "NameHasNoOwner", "org.freedesktop.systemd1.NoSuchUnit",
            "org.freedesktop.systemd1.UnitMasked",
        ].contains(name)
    }

    package var description: String {
        let saysMore = name != Self.standard + "Failed"
        return message.isEmpty ? name : message + (saysMore ? " (\(name))" : "")
    }
}
