// SPDX-License-Identifier: Apache-2.0

/// Command lines that fix what the checks find.
enum Remedy {
    static let install = Distribution.current.reinstallingThis
    static let installPolkit = Distribution.current.installingPolkit
    static let restart = "sudo systemctl restart orientd"
    static let calibrate = "sudo orientctl calibrate"
    static let log = "journalctl -u orientd -b"
    /// Shows whether this user's session is local and active, as polkit asks.
    static let session = "loginctl session-status"
    static let report = "orientctl doctor --report report.txt"

    /// Creates the user orientd; the bus skipped the rules for it while it did not exist.
    static let createUser = "sudo systemd-sysusers; sudo systemctl reload dbus"

    /// Makes udev load the drivers of all devices again.
    static let loadDrivers = "sudo systemctl restart systemd-udev-trigger"

    static let applySensorRules = applyRules("--subsystem-match=iio --action=add")
    static let applyInputRules = applyInputRules(to: "ACCELEROMETER")
    static let applySwitchRules = applyInputRules(to: "SWITCH")

    private static func applyInputRules(to kind: String) -> String {
        applyRules("--subsystem-match=input --property-match=ID_INPUT_\(kind)=1 --action=change")
    }

    /// Makes udev apply its rules to devices again.
    ///
    /// Rules that udev read before the user orientd existed have no effect, and systemd 252's `udevadm control
    /// --reload` does not read unchanged files again.
    private static func applyRules(_ filter: String) -> String {
        "sudo systemctl restart systemd-udevd; sudo udevadm trigger \(filter) --settle"
    }
}
