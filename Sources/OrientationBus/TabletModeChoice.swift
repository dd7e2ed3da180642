// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// What a client may set the tablet mode to.
package enum TabletModeChoice: String, NamedValue {
    /// What tablet switch and hinge say.
    case auto
    case laptop, tablet

    /// The mode that it overrides them with; unknown for none.
    package var mode: TabletMode { TabletMode(name: name) ?? .unknown }
}
