// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl tablet-mode`: what the machine is used as, and what tells so; or what it is to count as.
enum TabletModeCommand {
    static let command = Command(
        name: "tablet-mode",
        operands: "[auto|laptop|tablet|toggle]",
        summary: "set what this machine counts as; auto: as it measures;\n"
            + "toggle: the other mode, then auto; alone: print it"
    ) { invocation throws(CommandError) in
        let name = invocation.operands.first
        let choice: Choice? =
            if let name { try value(named: name, "cannot set the tablet mode to ") } else { nil }
        let bus = try invocation.connect()
        if let choice {
            let name = try choice.choice(busCall(bus.readManager()).status).name
            try busCall(bus.callDaemon("SetTabletMode", isInteractive: true) { $0.append(name) })
            guard invocation.isJSON else { return }
        }
        let snapshot = try busCall(bus.readManager())
        let names = ["TabletMode", "TabletModeSource", "HingeAngle"]
        try emit([invocation.isJSON ? Get.json(names, of: snapshot) : text(snapshot.status)])
    }

    private enum Choice: NamedValue {
        case set(TabletModeChoice), toggle

        static let allCases = TabletModeChoice.allCases.map { Choice.set($0) } + [.toggle]

        var name: String { if case .set(let choice) = self { choice.name } else { "toggle" } }

        /// What the service is called with.
        func choice(_ status: ManagerStatus) -> TabletModeChoice {
            switch self {
            case .set(let choice): choice
            case .toggle where status.tabletModeSource == .override: .auto
            case .toggle: status.tabletMode == .tablet ? .laptop : .tablet
            }
        }
    }

    /// The mode, and what tells it.
    static func text(_ status: ManagerStatus) -> String {
        let source =
            switch status.tabletModeSource {
            case .none: "as nothing on this machine measures it"
            case .switch: "by its tablet switch"
            case .hinge: "by the sensor of its hinge"
            case .accelerometers: "by the accelerometers of its halves"
            case .override: "as it was set; 'orientctl tablet-mode auto' ends that"
            }
        let angle = status.hingeAngle < 0 ? "" : ", \(Int(status.hingeAngle))°"
        return "\(status.tabletMode.name), \(source)\(status.tabletModeSource == .override ? "" : angle)"
    }
}
