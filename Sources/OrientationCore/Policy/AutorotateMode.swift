// SPDX-License-Identifier: Apache-2.0

/// When the device turns the interface.
public enum AutorotateMode: String, NamedValue {
    case always
    /// Except in laptop mode.
    case tabletMode = "tablet-mode"
    /// The sensor has no effect; Rotate, locks and requests work.
    case never
}

/// What has set the mode of autorotation.
public enum AutorotateSource: String, NamedValue {
    /// A client has set it.
    case override
    case configuration
    /// The default, which depends on the kind of the machine.
    case `default`
}
