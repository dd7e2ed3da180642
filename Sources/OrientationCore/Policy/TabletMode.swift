// SPDX-License-Identifier: Apache-2.0

/// How a convertible is being used.
public enum TabletMode: String, NamedValue {
    /// Nothing reports it; treated as a tablet.
    case unknown
    case laptop, tablet
}
