// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// A switch in the user's database of dconf: its file is read here, and dconf's service writes it and announces changes.
final class DconfSwitch: DesktopSwitch {
    private static let service = "ca.desrt.dconf"
    private static let interface = "ca.desrt.dconf.Writer"
    private static let path = "/ca/desrt/dconf/Writer/user"
    /// In bytes.
    private static let largestFile = 1 << 24

    private let key: String
    private let bus: Bus
    private let onEvent: (SwitchEvent) -> Void
    private var slots: [BusSlot] = []
    /// The service's name for our last change.
    private var tag = ""

    /// `bus` is that of the session.
    init(_ key: String, on bus: Bus, onEvent: @escaping (SwitchEvent) -> Void) throws(SystemError) {
        (self.key, self.bus, self.onEvent) = (key, bus, onEvent)
        let match = "type='signal',interface='\(Self.interface)',path='\(Self.path)',member="
        slots = [
            try bus.subscribe(match + "'Notify'") { [unowned(unsafe) self] in notified($0) },
            try bus.subscribe(match + "'WritabilityNotify'") { [unowned(unsafe) self] _ in read() },
        ]
    }

    /// Handles the paths that changed: one key, a folder that was reset, or some below a common folder.
    private func notified(_ signal: BusMessage) {
        var isOurs = false
        do throws(BusError) {
            let prefix = try signal.readString()
            try signal.readArray("s") { () throws(BusError) in
                let changed = prefix + (try signal.readString())
                isOurs = isOurs || changed == key || changed.hasSuffix("/") && key.hasPrefix(changed)
            }
            if isOurs, try signal.readString() != tag { read() }
        } catch {
            onEvent(.unreadable("invalid signal of \(Self.service): \(error)"))
        }
    }

    func begin() { read() }

    private func read() {
        guard let folder = AgentConfiguration.configurationFolder else {
            return onEvent(.unreadable("neither XDG_CONFIG_HOME nor HOME is set"))
        }
        let file = folder + "/dconf/user"
        do throws(SystemError) {
            // dconf replaces the file before it announces the change.
            let bytes = try FileDescriptor.contents(of: file, limit: Self.largestFile)
            do throws(MessageError) {
                onEvent(.reads(try DconfDatabase(bytes).value(of: key).map { .locked($0) } ?? .unset))
            } catch {
                onEvent(.unreadable("\(file) \(error.problem)"))
            }
        } catch {
            onEvent(error.errno == .notFound ? .reads(.unset) : .unreadable("\(error)"))
        }
    }

    func write(_ isLocked: Bool) {
        bus.callLater(Self.service, Self.path, Self.interface, "Change") { [key] call in
            call.append(bytes: DconfDatabase.change(of: key, to: isLocked))
        } completion: { [self] result in
            do throws(BusError) {
                tag = try result.get().readString()
                onEvent(.written)
            } catch {
                onEvent(.refused("\(error)"))
            }
            // Somebody else may have written it meanwhile.
            read()
        }
    }
}
