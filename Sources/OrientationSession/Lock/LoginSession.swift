// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// The session of this process, as systemd-logind or elogind knows it; without either, the only one.
final class LoginSession {
    private static let service = "org.freedesktop.login1"
    private static let interface = "org.freedesktop.login1.Session"

    private(set) var isActive = false
    /// Why this is no session of a person at the built-in display, as words that follow "the session"; nil if it is.
    private(set) var problem: String?
    private var slot: BusSlot?

    /// Waits for the service, and later calls `onChange` when the session comes into use or is left.
    init(on bus: Bus, onChange: @escaping () -> Void) throws(SystemError) {
        let path: String
        do throws(BusError) {
            let manager = Self.service + ".Manager"
            path = try bus.call(Self.service, "/org/freedesktop/login1", manager, "GetSession") { $0.append("auto") }
                .readObjectPath()
        } catch {
            if error.isServiceMissing { isActive = true } else { problem = "is unknown: \(error)" }
            return
        }
        let match = "type='signal',sender='\(Self.service)',path='\(path)',member='PropertiesChanged'"
        slot = try bus.subscribe(match) { [unowned(unsafe) self] signal in
            do throws(BusError) {
                _ = try signal.readString()
                if try readProperties(signal) { onChange() }
            } catch {
                return  // a malformed signal
            }
        }
        do throws(BusError) {
            let call = try bus.call(Self.service, path, "org.freedesktop.DBus.Properties", "GetAll") {
                $0.append(Self.interface)
            }
            _ = try readProperties(call)
        } catch {
            problem = "is unknown: \(error)"
        }
    }

    /// Returns whether ``isActive`` has changed.
    private func readProperties(_ message: BusMessage) throws(BusError) -> Bool {
        let wasActive = isActive
        try message.readNamedVariants { name throws(BusError) in
            switch name {
            case "Active": isActive = try message.readAnyVariant() == .flag(true)
            case "Class":
                let kind = try message.readTextVariant()
                if kind != "user", !kind.hasPrefix("user-") { problem = "is of class \(kind)" }
            case "Remote": if try message.readAnyVariant() == .flag(true) { problem = "is remote" }
            case "Seat":
                try message.readVariant("(so)") { () throws(BusError) in
                    try message.readStruct("so") { () throws(BusError) in
                        if try message.readString() != "seat0" { problem = "is not on the built-in display's seat" }
                        _ = try message.readObjectPath()
                    }
                }
            default: try message.skip()
            }
        }
        return isActive != wasActive
    }
}
