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
    ///
    /// Without orientd the text is empty, which hides a module whose format is no more than the text.
    var line: String {
        let object = JSONValue()
        object.set("text", .text(text))
        object.set("alt", .text(isLocked ? "locked" : status?.interfaceOrientation.name ?? "stopped"))
        object.set("class", .texts(classes))
        object.set("tooltip", .text(tooltip))
        return object.line
    }

    private var status: ManagerStatus? { snapshot?.status }

    private var isLocked: Bool { status.map { $0.rotationLock != .off } ?? false }

    private var text: String {
        guard let status else { return "" }
        return status.interfaceOrientation.name + (isLocked ? " (locked)" : "")
    }

    /// The classes for style sheets.
    private var classes: [String] {
        guard let status else { return ["stopped"] }
        var classes = [isLocked ? "locked" : "unlocked", status.interfaceOrientation.name]
        if status.tabletMode != .unknown { classes.append(status.tabletMode.name) }
        if status.sensorState != .sampling { classes.append("no-sensor") }
        return classes
    }

    private var tooltip: String {
        guard let status else { return "orientd is not running" }
        var lines = [
            "Device: \(Status.device(status))", "Interface: \(Status.interface(status, deciding: deciding))",
            "Lock: \(status.rotationLock.name)",
        ]
        if status.sensorState != .sampling { lines.append("Sensor: \(status.sensorState.name)") }
        // Pango's markup; ids of applications may contain what has a meaning there.
        return escapedMarkup(lines.joined(separator: "\n"))
    }
}
