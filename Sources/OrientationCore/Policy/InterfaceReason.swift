// SPDX-License-Identifier: Apache-2.0

/// Why the interface orientation last changed.
public enum InterfaceReason: String, NamedValue {
    /// It has not changed since the start.
    case startup
    /// The device was turned.
    case sensor
    /// The rotation lock was set or lifted.
    case lock
    /// Rotate or AlignToDevice was called.
    case manual
    /// A request was presented, changed or released.
    case request
    /// The machine entered or left laptop mode.
    case tabletMode = "tablet-mode"
    /// The configuration or the autorotation mode changed.
    case configuration
}
