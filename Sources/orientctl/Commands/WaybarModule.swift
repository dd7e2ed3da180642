// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationBus
import OrientationCore
import SystemdBus

/// The module that `orientctl monitor --waybar` shows in waybar, as waybar-custom(5) describes.
struct WaybarModule {
    /// Nil while orientd does not run.
    let snapshot: ManagerSnapshot?
    let deciding: ListedRequest?

    /// One line of JSON.
    var line: String {
        // Without orientd the text is empty, which hides a module whose format is no more than the text.
        guard let status = snapshot?.status else {
            return JSONValue([
                "text": "", "alt": "stopped", "class": .texts(["stopped"]), "tooltip": .text(CommandError.notRunning),
            ]).line
        }
        let isLocked = status.rotationLock != .off
        let interface = status.interfaceOrientation.name
        var classes = [isLocked ? "locked" : "unlocked", interface]
        var tooltip = [
            "Device: \(Status.device(status))", "Interface: \(Status.interface(status, deciding: deciding))",
            "Lock: \(Status.lock(status))",
        ]
        if status.tabletMode != .unknown { classes.append(status.tabletMode.name) }
        if status.sensorState != .sampling {
            if status.sensorState != .idle { classes.append("no-sensor") }
            tooltip.append("Sensor: \(status.sensorState.name)")
        }
        return JSONValue([
            "text": .text(interface + (isLocked ? " (locked)" : "")), "alt": .text(isLocked ? "locked" : interface),
            "class": .texts(classes),
            // Pango's markup; ids of applications may contain what has a meaning there.
            "tooltip": .text(escapedMarkup(tooltip.joined(separator: "\n"))),
        ]).line
    }
}
