// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// What a machine is, as systemd-hostnamed calls its chassis.
package enum Idiom: NamedValue, Hashable, Sendable {
    case handset
    case tablet
    case convertible
    case laptop

    /// The name in the configuration and on hostnamed's bus object.
    package var name: String {
        switch self {
        case .handset: "handset"
        case .tablet: "tablet"
        case .convertible: "convertible"
        case .laptop: "laptop"
        }
    }

    /// What such a machine supports unless the configuration says otherwise.
    package var supportedOrientations: InterfaceOrientationMask {
        self == .handset ? .allButUpsideDown : .all
    }

    /// When such a machine turns its interface unless the configuration says otherwise.
    package var autorotate: AutorotateMode {
        switch self {
        case .handset, .tablet: .always
        case .convertible: .tabletMode
        // Nothing tells that its keyboard is folded away.
        case .laptop: .never
        }
    }
}
