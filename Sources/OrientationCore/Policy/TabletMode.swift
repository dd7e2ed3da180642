// SPDX-License-Identifier: Apache-2.0

/// How a convertible is being used.
public enum TabletMode: String, NamedValue {
    /// Nothing reports it; treated as a tablet.
    case unknown
    case laptop, tablet
}

/// What the tablet mode is derived from.
public enum TabletModeSource: String, NamedValue {
    case none
    /// A tablet switch of the kernel, or with TabletWithoutKeyboard=yes the keyboards.
    case `switch`
    /// A sensor of the hinge's angle.
    case hinge
    /// The accelerometers of both halves.
    case accelerometers
    /// A client has set it.
    case override
}
