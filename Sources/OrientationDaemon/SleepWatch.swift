// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Follows systemd-logind's announcements of sleep.
///
/// logind delays sleep, for some seconds, until ``allowSleep()`` is called. Without logind nothing is announced.
final class SleepWatch {
    private static let service = "org.freedesktop.login1"
    private static let interface = "org.freedesktop.login1.Manager"

    private let bus: Bus
    private let log: Log
    private let onChange: (_ isAsleep: Bool) -> Void
    private var slots: [BusSlot] = []
    private var isAsleep = false
    private var isRefused = false

    /// The inhibitor lock: logind waits until its last descriptor is closed.
    private var inhibitor: FileDescriptor?

    /// Calls `onChange` with true when the machine is about to sleep, and with false when it has woken up.
    ///
    /// It has a connection of its own, the only one that receives file descriptors.
    init(
        _ address: BusAddress,
        loop: EventLoop,
        log: Log,
        onChange: @escaping (_ isAsleep: Bool) -> Void
    ) throws(SystemError) {
        bus = try Bus(address, receivesDescriptors: true)
        self.log = log
        self.onChange = onChange
        try bus.attach(to: loop)
        bus.onInvalidSignal = log.warning
        let rule = "interface='\(Self.interface)',member='PrepareForSleep'"
        slots = [
            try bus.subscribe(rule, from: .owner(of: Self.service), waits: false) {
                [self] signal throws(BusError) in prepare(isAsleep: try signal.readBool())
            },
            try bus.onOwnerChange(of: Self.service, waits: false) { [self] in ownerChanged($0) },
        ]
        inhibit()
    }

    /// Calls `handler` when the connection was closed.
    func onDisconnect(_ handler: @escaping () -> Void) throws(SystemError) -> BusSlot { try bus.onDisconnect(handler) }

    /// Lets the machine go to sleep; once it has woken up, the new inhibitor is kept.
    func allowSleep() { if isAsleep { inhibitor = nil } }

    private func prepare(isAsleep: Bool) {
        set(isAsleep: isAsleep)
        if !isAsleep && inhibitor == nil { inhibit() }
    }

    private func ownerChanged(_ owner: String?) {
        // A new logind does not signal the end of a sleep that its predecessor announced.
        set(isAsleep: false)
        if owner != nil && inhibitor == nil { inhibit() }
    }

    private func set(isAsleep: Bool) {
        guard isAsleep != self.isAsleep else { return }
        self.isAsleep = isAsleep
        onChange(isAsleep)
    }

    private func inhibit() {
        bus.callLater(Self.service, "/org/freedesktop/login1", Self.interface, "Inhibit") { call in
            for argument in ["sleep", "orientd", "Stopping the sensors", "delay"] { call.append(argument) }
        } completion: { [self] in
            keepInhibitor($0)
        }
    }

    private func keepInhibitor(_ answer: Result<BusMessage, BusError>) {
        do throws(BusError) {
            let inhibitor = try answer.get().readFileDescriptor()
            // A sleep that has begun meanwhile is not delayed by this one.
            if !isAsleep { self.inhibitor = inhibitor }
        } catch {
            guard !error.isServiceMissing, !isRefused else { return }
            isRefused = true
            log.warning("sleep will not wait until the sensors are stopped: \(error)")
        }
    }
}
