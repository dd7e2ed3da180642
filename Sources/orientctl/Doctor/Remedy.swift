// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// What fixes a problem.
enum Remedy: Hashable, Sendable {
    /// There is nothing to fix, or no command would help.
    case none
    /// A command line that shows more.
    case command(String)
    /// A command line that changes this system or its desktop, which use no orientd on another bus.
    case change(String)
    /// The arguments of orientctl, for the orientd that was examined.
    case orientctl(String)
    /// The same for what only an administrator may do.
    case administrator(String)
    /// Runs orientd without a service manager.
    case run
    case restart
    case readLog

    static let install = change("install orientd again")

    /// Brings polkit to the bus on this machine.
    static var providePolkit: Remedy {
        providePolkit(isInstalled: HardwareChecks.isInstalled("systemd/system/polkit.service"))
    }

    /// Starts polkit where it `isInstalled`, and otherwise names its packages.
    static func providePolkit(isInstalled: Bool) -> Remedy {
        isInstalled
            ? change("sudo systemctl unmask polkit; sudo systemctl start polkit")
            : change("install the package polkitd or polkit")
    }

    static let showSwitch = command("systemctl status 'orientd-tablet-switch*'")
    static let replaceSensorProxy = change("sudo systemctl mask --now iio-sensor-proxy; sudo systemctl restart orientd")
    static let configure = change("sudoedit /etc/orientd/orientd.conf; sudo systemctl restart orientd")
    static let calibrate = change("sudo orientctl calibrate")
    static let doctor = orientctl("doctor")
    static let report = orientctl("doctor --report report.txt")
    /// Shows whether this user's session is local and active, as polkit asks.
    static let showSession = command("loginctl session-status")

    /// Helps in a session that neither a desktop nor orient-agent turns.
    static var agent: Remedy {
        Program.exists("orient-agent") ? .command("orient-agent &") : change("install the package orient-agent")
    }

    static let stopService = change("sudo systemctl stop orientd")

    static let asRoot = command("sudo orientctl doctor")

    /// Marks the sensor at a path, whose glob in hwdb is given, as the display's.
    static func markDisplay(_ match: String, _ path: String) -> Remedy {
        let record = "printf '\\n%s\\n ACCEL_LOCATION=display\\n' '\(match)'"
        let update = "sudo systemd-hwdb update; sudo udevadm trigger --settle \(path)"
        return change("\(record) | sudo tee -a \(HwdbEntry.standardPath); \(update)")
    }

    /// Creates the user orientd; the bus skipped the rules for it while it did not exist.
    static let createUser = change("sudo systemd-sysusers; sudo systemctl reload dbus")

    /// Makes udev load the drivers of all devices again.
    static let loadDrivers = change("sudo systemctl restart systemd-udev-trigger")

    static let applySensorRules = applyRules("--subsystem-match=iio --action=add")
    static let applyInputRules = applyInputRules(to: "ACCELEROMETER")
    static let applySwitchRules = applyInputRules(to: "SWITCH")

    private static func applyInputRules(to kind: String) -> Remedy {
        applyRules("--subsystem-match=input --property-match=ID_INPUT_\(kind)=1 --action=change")
    }

    /// Makes udev apply its rules to devices again.
    ///
    /// Rules that udev read before the user orientd existed have no effect, and systemd 252's `udevadm control
    /// --reload` does not read unchanged files again.
    private static func applyRules(_ filter: String) -> Remedy {
        change("sudo systemctl restart systemd-udevd; sudo udevadm trigger \(filter) --settle")
    }

    /// The path of orientd, which is not in PATH.
    static let orientd =
        path(of: "orientd", near: DeviceHolders.target(of: "/proc/self/exe")) { access($0, X_OK) == 0 }

    /// The path of a program beside another one, as in a folder of a build, or in `libexec` beside that one's folder;
    /// the program's name if it is in neither.
    static func path(of name: String, near other: String, _ exists: (String) -> Bool) -> String {
        let folders = other.utf8.split(separator: UInt8(ascii: "/")).dropLast().map { String(Substring($0)) }
        let paths = [folders, folders.dropLast() + ["libexec"]].map { "/" + ($0 + [name]).joined(separator: "/") }
        return paths.first(where: exists) ?? name
    }

    /// A text with the command that helps if there is one.
    func added(to text: String, on bus: BusAddress) -> String {
        let command = command(on: bus)
        return text + (command.isEmpty ? "" : "; try: \(command)")
    }

    /// The command line for the orientd on `bus`, which is a service on the system bus only; empty if there is none.
    func command(on bus: BusAddress, orientd: String = Remedy.orientd) -> String {
        let isService = bus == .system
        let option =
            switch bus {
            case .system: "--bus=system"
            case .session: "--bus=session"
            case .address(let address): "--bus='\(address)'"
            }
        let orientd = orientd.includes(" ") ? "'\(orientd)'" : orientd
        let command =
            switch self {
            case .none: ""
            case .command(let command): command
            case .change(let command): isService ? command : ""
            case .orientctl(let arguments): "orientctl " + (isService ? "" : option + " ") + arguments
            case .administrator(let arguments):
                isService ? "sudo orientctl \(arguments)" : "orientctl \(option) \(arguments)"
            case .run: "\(orientd) \(option)"
            case .restart: isService ? "sudo systemctl restart orientd" : "\(orientd) --replace \(option)"
            case .readLog: isService ? "journalctl -u orientd -b" : ""
            }
        return printable(command)
    }
}
