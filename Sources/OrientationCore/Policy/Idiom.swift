// SPDX-License-Identifier: Apache-2.0

/// The kind of machine, with the names of systemd-hostnamed's chassis.
public enum Idiom: String, NamedValue {
    case handset, tablet, convertible, laptop

    /// The default of `SupportedOrientations=`.
    public var supportedOrientations: InterfaceOrientationMask { self == .handset ? .allButUpsideDown : .all }

    /// The default of `Autorotate=`.
    ///
    /// `detectsTabletMode` is whether a switch or the hinge angle reports the tablet mode; many convertibles have the
    /// chassis `laptop`.
    public func autorotate(detectsTabletMode: Bool) -> AutorotateMode {
        switch self {
        case .handset, .tablet: .always
        case .convertible: .tabletMode
        case .laptop: detectsTabletMode ? .tabletMode : .never
        }
    }
}
