// SPDX-License-Identifier: Apache-2.0

package import OrientationConfiguration
package import OrientationCore
import POSIX

/// The settings of orient-agent, with the defaults that orient-agent.conf(5) documents.
package struct AgentConfiguration: Hashable, Sendable {
    /// Which focused windows decide the supported orientations.
    package enum ApplicationWindows: String, NamedValue {
        case no, fullscreen, all
    }

    /// The connectors of the display to rotate, the main one first; empty for the built-in panels.
    package var outputs: [String] = []
    /// Whether the display stays as it is while a monitor is connected, but for commands.
    package var keepsWithMonitor = false
    /// Whether touch screens and pens follow the panel, where that is possible.
    package var mapsInput = true
    package var restores = true
    package var restoresOnServiceLoss = false
    /// Whether a notification offers an orientation that the lock prevents.
    package var suggests = false
    package var applications = ApplicationWindows.fullscreen
    /// Whether a desktop's rotation switch and orientd's lock are kept the same.
    package var syncsLock = true
    /// In seconds.
    package var hookTimeout = 1.0
    package var isForced = false

    /// The orientations that applications support, by application id.
    package var applicationMasks: [String: InterfaceOrientationMask] = [:]

    package init() {}

    /// Reads a list of connectors, which is empty for `auto`; nil if a name is empty or given twice.
    package static func outputs(named text: String) -> [String]? {
        if text == "auto" { return [] }
        var names: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let name = String(Substring(trimmed(part)))
            guard !name.isEmpty, !names.contains(name) else { return nil }
            names.append(name)
        }
        return names
    }

    /// The file of the system and that of the user, which takes precedence.
    package static var standardPaths: [String] {
        ["/etc/xdg/orientd/agent.conf"] + [userConfigurationFolder.map { $0 + "/orientd/agent.conf" }].compactMap { $0 }
    }
}

extension AgentConfiguration: Configurable {
    package static let program = "orient-agent"

    package static let settings: [Setting<AgentConfiguration>] = [
        Setting("Agent", "Output", .outputs) {
            """
            The connector of the display to rotate, such as _DSI-1_. With _auto_, it is the built-in panel: the output \
            whose name begins with eDP, LVDS, DSI, DPI or SPI. Two panels of one device turn as one, around each other, \
            if both are built in, or if both are named here, separated by a comma. Name first the one whose \
            accelerometer *orientd* reads.
            """
        },
        Setting("Agent", "WithMonitor", .either(["turn": false, "keep": true]) { $1(&$0.keepsWithMonitor) }) {
            """
            Whether the device turns the display while another output is connected and on. With _keep_, it does not; \
            commands such as *orientctl rotate* do. Virtual outputs, such as HEADLESS-1, do not count.
            """
        },
        Setting("Agent", "MapInput", .either(["auto": true, "no": false]) { $1(&$0.mapsInput) }) {
            """
            Whether built-in touch screens and pens follow the display. With _auto_, they do on sway, Hyprland and X11; \
            on other compositors *orientctl doctor* names the line that their configuration needs.
            """
        },
        Setting("Agent", "Restore", .boolean { $1(&$0.restores) }) {
            "Whether the display is turned back when orient-agent ends."
        },
        Setting("Agent", "OnServiceLost", .either(["keep": false, "restore": true]) { $1(&$0.restoresOnServiceLoss) }) {
            """
            What happens while orientd does not run: _keep_ leaves the display as it is, _restore_ turns it back.
            """
        },
        Setting("Agent", "Suggest", .either(["no": false, "notify": true]) { $1(&$0.suggests) }) {
            """
            Whether a notification offers to rotate the display while the rotation lock is set. With _notify_, it \
            appears when the device has been held in another allowed orientation for a second, and rotates the display \
            once if it is selected.
            """
        },
        Setting("Agent", "Applications", .name { $1(&$0.applications) }) {
            """
            Which windows decide the supported orientations while they have the focus. _fullscreen_: those that cover \
            the screen; _all_: every window; _no_: none. The orientations of an application come from its section in \
            this file or in *orientd.conf*(5), or else from X-Ubuntu-Supported-Orientations or \
            X-Lomiri-Supported-Orientations in its desktop file.
            """
        },
        Setting("Agent", "LockSync", .either(["auto": true, "no": false]) { $1(&$0.syncsLock) }) {
            """
            Whether the desktop's rotation switch and the rotation lock of *orientd* are one. With _auto_, \
            *orient-agent* keeps them the same in GNOME, Cinnamon and Phosh; with _no_, it exits there.
            """
        },
        Setting("Agent", "HookTimeout", .hookTimeout) {
            "Seconds after which a hook is killed; a rotation waits for its *rotate-before* hooks no longer than that."
        },
        Setting("Agent", "Force", .boolean { $1(&$0.isForced) }) {
            """
            Whether to rotate the display even if the desktop or another program seems to do so. A niri that can \
            rotate outputs itself seems to do so whatever its configuration says.
            """
        },
        Setting(Application.section, "SupportedOrientations", .applicationMask { $1(&$0.applicationMasks) }) {
            """
            The interface orientations that an application supports. _ID_ is its application id on Wayland or its \
            window class on X11, as in *[Application mpv]*; each application has its own section.
            """
        },
    ]
}

extension SettingType<AgentConfiguration> {
    fileprivate static let outputs = value(
        "auto, the name of a connector, or a comma-separated list of names",
        standard: "auto",
        { AgentConfiguration.outputs(named: $0) },
        { $1(&$0.outputs) }
    )

    fileprivate static let hookTimeout = value(
        "a number of seconds from 0.1 to 10",
        standard: "1",
        { number($0).flatMap { (0.1...10).contains($0) ? $0 : nil } },
        { $1(&$0.hookTimeout) }
    )
}
