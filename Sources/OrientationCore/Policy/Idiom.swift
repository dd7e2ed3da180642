// SPDX-License-Identifier: Apache-2.0

/// What a machine is, as systemd-hostnamed calls its chassis.
public enum Idiom: String, NamedValue {
    case handset
    case tablet
    case convertible
    case laptop

    /// What such a machine supports unless the configuration says otherwise.
    public var supportedOrientations: InterfaceOrientationMask {
        self == .handset ? .allButUpsideDown : .all
    }

    /// When such a machine turns its interface unless the configuration says otherwise.
    ///
    /// Many a convertible says that it is a laptop: `tellsTabletMode` is whether a switch or an angle tells when its
    /// keyboard is folded away.
    public func autorotate(tellsTabletMode: Bool) -> AutorotateMode {
        switch self {
        case .handset, .tablet: .always
        case .convertible: .tabletMode
        case .laptop: tellsTabletMode ? .tabletMode : .never
        }
    }
}
