// SPDX-License-Identifier: Apache-2.0

package import POSIX

/// A D-Bus error that was received, or is to be sent.
package struct BusError: Error, Hashable, Sendable {
    /// The error's name, such as `org.freedesktop.DBus.Error.AccessDenied`.
    package let name: String
    package let message: String

    package init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    package static func invalidArguments(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.InvalidArgs", message)
    }

    package static func accessDenied(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.AccessDenied", message)
    }

    package static func unknownObject(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.UnknownObject", message)
    }

    package static func failed(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.Failed", message)
    }

    /// Creates the error of a call that could not be sent or served.
    package init(_ error: SystemError) {
        self = .failed("\(error)")
    }

    static let unexpectedTypes = invalidArguments("the arguments are not of the expected types")

    /// Whether the error means that the caller lacks permission.
    package var isRefusal: Bool {
        name == "org.freedesktop.DBus.Error.AccessDenied" || name == Self.interactiveAuthorizationRequired
    }

    /// The name of the error of a call that polkit would allow after asking a person, which the call did not allow.
    package static let interactiveAuthorizationRequired =
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"

    /// Whether the service has ended, or let the call time out, before it replied.
    package var isNoReply: Bool {
        // The second is sd-bus's own, for a call that it has waited for.
        name == "org.freedesktop.DBus.Error.NoReply" || name == "org.freedesktop.DBus.Error.Timeout"
    }

    /// Whether the bus could not start the service, or not in time.
    package var isFailedStart: Bool {
        let standard = "org.freedesktop.DBus.Error."
        return name == standard + "TimedOut" || name.begins(with: standard + "Spawn.")
    }

    /// Whether the error means that no service could answer.
    package var isServiceMissing: Bool {
        switch name {
        case "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.systemd1.NoSuchUnit",
            "org.freedesktop.systemd1.UnitMasked":
            true
        default: false
        }
    }
}

extension BusError: CustomStringConvertible {
    package var description: String {
        let saysMore = name != "org.freedesktop.DBus.Error.Failed"
        return message.isEmpty ? name : message + (saysMore ? " (\(name))" : "")
    }
}
