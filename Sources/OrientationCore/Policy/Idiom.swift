// SPDX-License-Identifier: Apache-2.0

/// The kind of machine, with the names of systemd-hostnamed's chassis.
public enum Idiom: String, NamedValue {
    case handset, tablet, convertible, laptop

    /// The default of `SupportedOrientations=`.
    public var supportedOrientations: InterfaceOrientationMask { self == .handset ? .allButUpsideDown : .all }

    /// The default of `Autorotate=` where nothing tells the tablet mode, or ever did.
    public var autorotate: AutorotateMode {
        switch self {
        case .handset, .tablet: .always
        case .convertible: .tabletMode
        case .laptop: .never
        }
    }
}
