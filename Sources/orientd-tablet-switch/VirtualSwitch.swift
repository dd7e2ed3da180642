// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// An input device with a tablet switch only, which the kernel removes when the last descriptor of it is closed.
struct VirtualSwitch {
    private static let path = "/dev/uinput"

    /// The microseconds that compositors get to read the last OFF.
    private static let pause: useconds_t = 1_000_000

    private let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Opens what a switch is created on, where systemd has not done so.
    static func open() throws(SystemError) -> VirtualSwitch {
        VirtualSwitch(FileDescriptor(owning: try checkSystem("open", path, orientd_open_device(path))))
    }

    /// Turns off the switch that an earlier run has created; returns false if there is none.
    func turnOffLeftover() throws(SystemError) -> Bool {
        do throws(SystemError) {
            // This run may end at once, and the switch with it.
            try turnOff()
        } catch {
            guard error.errno == .invalid else { throw error }
            return false
        }
        return true
    }

    /// Turns the switch off before the device goes; throws EINVAL if none was created.
    ///
    /// Once it is gone, the kernel discards the events that were not read, and libinput leaves the keyboard off.
    /// Without the pause this happened with libinput 1.28 in 4 of 20 attempts.
    func turnOff() throws(SystemError) {
        try set(isTablet: false)
        _ = usleep(Self.pause)
    }

    /// Creates the switch, which is off.
    func create() throws(SystemError) {
        try checkSystem("create a switch with", Self.path, orientd_create_tablet_switch(descriptor.rawValue))
    }

    /// Turns the switch; throws EINVAL if none was created.
    func set(isTablet: Bool) throws(SystemError) {
        var events = (input_event(), input_event())
        events.0.type = UInt16(EV_SW)
        events.0.code = UInt16(SW_TABLET_MODE)
        events.0.value = isTablet ? 1 : 0
        events.1.type = UInt16(EV_SYN)
        let size = MemoryLayout.size(ofValue: events)
        let count = retryingInterrupted { CLinux.write(descriptor.rawValue, &events, size) }
        try checkSystem("turn the switch of", Self.path, count)
    }
}
