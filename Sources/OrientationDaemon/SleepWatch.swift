// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Follows the machine to sleep and back, as systemd-logind tells of it.
///
/// logind holds the sleep up, for some seconds, until ``allowSleep()`` is called. Without logind nothing is told.
final class SleepWatch {
    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"

    private let bus: Bus
    private let log: Log
    private let onChange: (_ isAsleep: Bool) -> Void
    private var slots: [BusSlot] = []
    private var isAsleep = false
    private var isRefused = false

    /// What logind waits for: the end of the last descriptor of it.
    private var inhibitor: FileDescriptor?

    /// Calls `onChange` with true when the machine is about to sleep, and with false when it has woken up.
    init(bus: Bus, log: Log, onChange: @escaping (_ isAsleep: Bool) -> Void) throws(SystemError) {
        self.bus = bus
        self.log = log
        self.onChange = onChange
        let match = "type='signal',sender='\(Self.service)',interface='\(Self.interface)',member='PrepareForSleep'"
        slots = [
            try bus.subscribe(match) { [self] in prepare($0) },
            try bus.onOwnerChange(of: Self.service) { [self] in ownerChanged($0) },
        ]
        inhibit()
    }

    /// Lets the machine go to sleep; where it has woken up meanwhile, what was asked for then is not given up.
    func allowSleep() {
        if isAsleep { inhibitor = nil }
    }

    private func prepare(_ signal: BusMessage) {
        do throws(BusError) {
            let isAsleep = try signal.readBool()
            set(isAsleep: isAsleep)
            if !isAsleep && inhibitor == nil { inhibit() }
        } catch {
            log.warning("\(Self.service) does not tell whether the machine sleeps: \(error)")
        }
    }

    private func ownerChanged(_ owner: String?) {
        // The end of a sleep that another has begun will not be told of.
        set(isAsleep: false)
        if owner != nil && inhibitor == nil { inhibit() }
    }

    private func set(isAsleep: Bool) {
        guard isAsleep != self.isAsleep else { return }
        self.isAsleep = isAsleep
        onChange(isAsleep)
    }

    private func inhibit() {
        do throws(BusError) {
            try bus.callLater(Self.service, Self.path, Self.interface, "Inhibit") { call in
                call.append("sleep")
                call.append("orientd")
                call.append("The sensor is put to rest")
                call.append("delay")
            } completion: { [self] in
                take($0)
            }
        } catch {
            // The connection is closed: Bus.onDisconnect tells of that.
        }
    }

    private func take(_ answer: BusMessage) {
        do throws(BusError) {
            if let error = answer.error { throw error }
            let inhibitor = try answer.readFileDescriptor()
            // A sleep that has begun meanwhile does not wait for this one.
            if !isAsleep { self.inhibitor = inhibitor }
        } catch {
            guard !error.isServiceMissing, !isRefused else { return }
            isRefused = true
            log.warning("the machine will not wait for the sensor to rest before it sleeps: \(error)")
        }
    }
}
