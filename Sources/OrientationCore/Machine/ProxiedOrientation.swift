// SPDX-License-Identifier: Apache-2.0

/// Which edge net.hadess.SensorProxy reports to desktops that turn their display by it.
public enum ProxiedOrientation: String, NamedValue {
    /// The edge for which the interface is upright: every rule of rotation applies.
    case interface
    /// The edge of the device that is up.
    case device
}

extension OrientationMachine {
    /// The edge that net.hadess.SensorProxy reports, portrait being the display's own top up.
    ///
    /// Unknown until an edge was seen, or a rule or a request has decided without one. On a laptop on which
    /// autorotation is off by default, it is the device's: desktops have rules of their own for such machines.
    func edge(_ choice: ProxiedOrientation) -> DeviceOrientation {
        let sensedEdge = tracker.edge
        guard choice == .interface, sensedEdge != .unknown || status.isDecided else { return sensedEdge }
        if status.interfaceRule == .never, autorotateSource == .default { return sensedEdge }
        return status.interfaceOrientation.device.sensed(natural: status.naturalOrientation)
    }
}

extension ManagerStatus {
    /// Whether anything has decided how the interface is shown; false while it is as it was at the start.
    fileprivate var isDecided: Bool {
        switch interfaceRule {
        case .unknown, .paused: interfaceReason != .startup || askedRequest != nil
        default: true
        }
    }
}
