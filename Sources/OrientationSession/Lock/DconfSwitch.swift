// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// A switch in the user's database of dconf: its file is read here; dconf's service writes it and announces changes.
final class DconfSwitch: DesktopSwitch {
    private static let service = "ca.desrt.dconf", interface = "ca.desrt.dconf.Writer"
    private static let path = "/ca/desrt/dconf/Writer/user"

    private let key: String
    private let bus: Bus
    private let report: SwitchReport
    private var slot: BusSlot?
    /// The service's name for our last change.
    private var tag = ""

    /// `bus` is that of the session.
    init(_ key: String, on bus: Bus, report: @escaping SwitchReport) throws(SystemError) {
        (self.key, self.bus, self.report) = (key, bus, report)
        // Notify and WritabilityNotify begin with a key, or a folder that is above all keys that changed.
        let rule = "interface='\(Self.interface)',path='\(Self.path)',arg0path='\(key)'"
        slot = try bus.subscribe(rule, from: .owner(of: Self.service)) { [unowned(unsafe) self] in
            if !isOurs($0) { begin() }
        }
    }

    /// Whether a signal announces our last change; only Notify has a tag.
    private func isOurs(_ signal: BusMessage) -> Bool {
        guard (try? signal.skip()) != nil, (try? signal.skip()) != nil else { return false }
        return (try? signal.readString()) == tag
    }

    func begin() {
        let file = (userConfigurationFolder ?? "") + "/dconf/user"
        do throws(SystemError) {
            // dconf replaces the file before it announces the change.
            let bytes = try FileDescriptor.contents(of: file, limit: 1 << 24)
            do throws(MessageError) {
                report(.reads(.desktop, try DconfDatabase(bytes).value(of: key).map { .locked($0) } ?? .unset), nil)
            } catch {
                report(.reads(.desktop, .unknown), "\(file) \(error.problem)")
            }
        } catch {
            let isMissing = error.errno == .notFound
            report(.reads(.desktop, isMissing ? .unset : .unknown), isMissing ? nil : "\(error)")
        }
    }

    func write(_ isLocked: Bool) {
        bus.callLater(Self.service, Self.path, Self.interface, "Change") { [key] call in
            call.append(bytes: DconfDatabase.change(of: key, to: isLocked))
        } completion: { [self] result in
            // Somebody else may have written it meanwhile.
            begin()
            do throws(BusError) {
                tag = try result.get().readString()
                report(.written, nil)
            } catch {
                report(.refused, "\(error)")
            }
        }
    }
}
