// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl tablet-mode`: what the machine is used as, and what tells so; or what it is to count as.
enum TabletModeCommand {
    static let command = Command(
        name: "tablet-mode",
        operands: "[auto|laptop|tablet|toggle]",
        summary: "set whether this machine counts as a laptop or a tablet",
        description: "Sets what this machine counts as, whatever its switch or hinge says. That ends with 'auto' and "
            + "when orientd ends; 'tablet' also ends when the lid is closed or opened, and when the machine sleeps. "
            + "Without an argument, prints the mode and where it comes from.",
        words: [
            ("auto", "what its switch or hinge says"), ("laptop", "a laptop"), ("tablet", "a tablet"),
            ("toggle", "the other mode; the next time auto, if a switch or hinge tells it"),
        ]
    ) { invocation throws(CommandError) in
        let choice = try invocation.operands.first.map { name throws(CommandError) -> Choice in
            try value(named: name, "cannot set the tablet mode to ")
        }
        let bus = try invocation.connect()
        if let choice {
            try choice == .toggle ? toggle(on: bus) : set(choice, on: bus)
            guard invocation.isJSON || Terminal.isOutput else { return }
        }
        let snapshot = try busCall(bus.readManager())
        if choice != nil, snapshot.status.tabletMode == .tablet {
            // Only what the configuration lacks: the desktop may not have noticed a switch that is made at this moment.
            let problem = Desktop.findings(snapshot.status, on: bus).first { $0.remedy == .configure }
            if let problem { complain("warning: \(problem.advice(on: bus.address))") }
        }
        if choice != nil, snapshot.status.tabletMode == .laptop, snapshot.status.autorotate == .always {
            complain("warning: laptop mode does not keep the interface from turning: autorotate is always")
        }
        let names = ["TabletMode", "TabletModeSource", "HingeAngle"]
        if invocation.isJSON { return try emit([Get.json(names, of: snapshot)]) }
        try emit([choice == nil ? text(snapshot.status) : "Tablet mode: \(Status.tabletMode(snapshot.status))"])
    }

    private enum Choice: String, NamedValue { case auto, laptop, tablet, toggle }

    private static func set(_ choice: Choice, on bus: Bus) throws(CommandError) {
        try busCall(bus.callDaemon("SetTabletMode", isInteractive: true) { $0.append(choice.name) })
    }

    private static func toggle(on bus: Bus) throws(CommandError) {
        let before = try busCall(bus.readManager()).status
        if before.tabletModeSource == .override {
            try set(.auto, on: bus)
            // Without switch and hinge, `auto` means unknown.
            guard try busCall(bus.readManager()).status.tabletModeSource == .none else { return }
        }
        try set(before.tabletMode == .tablet ? .laptop : .tablet, on: bus)
    }

    /// The mode, with what tells it and the angle of the hinge, in the words of `status`.
    static func text(_ status: ManagerStatus) -> String {
        Status.tabletMode(status) + (Status.hinge(status).map { "; hinge: \($0)" } ?? "")
    }
}
