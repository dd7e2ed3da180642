// SPDX-License-Identifier: Apache-2.0

/// What a convertible is being used as.
public enum TabletMode: UInt8, NamedValue, Hashable, Sendable {
    /// Nothing tells; it counts as a tablet.
    case unknown
    case laptop
    case tablet

    /// The name on the bus.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .laptop: "laptop"
        case .tablet: "tablet"
        }
    }
}
