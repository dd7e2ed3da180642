// SPDX-License-Identifier: Apache-2.0

/// Why the interface orientation last changed.
public enum InterfaceReason: String, NamedValue {
    /// It has not changed since the start.
    case startup
    case sensor, lock
    /// Rotate or AlignToDevice was called.
    case manual
    case request
    case tabletMode = "tablet-mode"
    /// The configuration or the autorotation mode changed.
    case configuration
}
