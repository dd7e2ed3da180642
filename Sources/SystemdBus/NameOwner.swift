// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// The connection that owns a name on the bus.
package struct NameOwner: Hashable {
    package let uniqueName: String

    /// The process id and the name of its program; 0 and empty if unknown.
    package let process: Int32
    package let command: String

    /// The user that it runs as; nil if unknown.
    package let user: UInt32?
}

extension NameOwner: CustomStringConvertible {
    package var description: String {
        process == 0 ? "another connection" : "process \(process) (\(command))"
    }
}

extension Bus {
    /// The unique name of this connection, such as `:1.5`.
    package var uniqueName: String {
        var name: UnsafePointer<CChar>?
        _ = withPointer { sd_bus_get_unique_name($0, &name) }
        return String(optional: name)
    }

    /// The owner of `name`, nil if it has none; does not activate a service.
    package func owner(of name: String) -> NameOwner? {
        var credentials: OpaquePointer?
        let wanted =
            UInt64(SD_BUS_CREDS_UNIQUE_NAME) | UInt64(SD_BUS_CREDS_PID) | UInt64(SD_BUS_CREDS_COMM)
            | UInt64(SD_BUS_CREDS_EUID) | UInt64(SD_BUS_CREDS_AUGMENT)
        guard withPointer({ sd_bus_get_name_creds($0, name, wanted, &credentials) }) >= 0 else { return nil }
        defer { sd_bus_creds_unref(credentials) }
        var uniqueName: UnsafePointer<CChar>?
        sd_bus_creds_get_unique_name(credentials, &uniqueName)
        var process: pid_t = 0
        sd_bus_creds_get_pid(credentials, &process)
        var command: UnsafePointer<CChar>?
        sd_bus_creds_get_comm(credentials, &command)
        var user: UInt32 = 0
        let hasUser = sd_bus_creds_get_euid(credentials, &user) >= 0
        return NameOwner(
            uniqueName: String(optional: uniqueName),
            process: process,
            command: String(optional: command),
            user: hasUser ? user : nil
        )
    }
}
