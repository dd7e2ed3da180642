// SPDX-License-Identifier: Apache-2.0

import CSystemd
import POSIX

/// The connection that owns a name on the bus.
package struct NameOwner: Hashable, CustomStringConvertible {
    package let uniqueName: String
    /// The process id and the name of its program; 0 and empty if unknown.
    package let process: Int32
    package let command: String
    /// The user that it runs as; nil if unknown.
    package let user: UInt32?

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
    ///
    /// Not by sd_bus_get_name_creds(3): dbus-broker 36 answers with a descriptor of the process, and disconnects whoever
    /// receives none.
    package func owner(of name: String) -> NameOwner? {
        guard let uniqueName = try? askDaemon("GetNameOwner", name).readString() else { return nil }
        let id = (try? askDaemon("GetConnectionUnixProcessID", uniqueName).readUInt32()) ?? 0
        let process = Int32(truncatingIfNeeded: id)
        return NameOwner(
            uniqueName: uniqueName,
            process: process,
            command: commandName(of: process) ?? "",
            user: try? askDaemon("GetConnectionUnixUser", uniqueName).readUInt32()
        )
    }
}
