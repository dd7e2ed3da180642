// SPDX-License-Identifier: Apache-2.0

/// Why the interface orientation last changed.
public enum InterfaceReason: String, NamedValue {
    /// It has not changed since the start.
    case startup
    /// The device turned.
    case sensor
    /// The lock was set or removed.
    case lock
    /// Rotate or AlignToDevice was called.
    case manual
    /// A request was added, changed or removed, or an application's mask was changed.
    case request
    /// Laptop mode began or ended, or a turn ended a rotation by hand in it.
    case tabletMode = "tablet-mode"
    /// The configuration or the autorotation mode changed.
    case configuration
}
