// SPDX-License-Identifier: Apache-2.0

/// The rotation switch of a desktop: a key of GSettings, a Boolean that is true if the display stays as it is.
struct DesktopLock: Hashable, Sendable {
    /// That of mutter and phosh.
    static let gnome = DesktopLock(schema: "org.gnome.settings-daemon.peripherals.touchscreen", standard: false)
    static let cinnamon = DesktopLock(schema: "org.cinnamon.settings-daemon.peripherals.touchscreen", standard: true)

    static let key = "orientation-lock"

    let schema: String
    /// The value of a key that was never written.
    let standard: Bool

    /// The key in dconf: `/org/gnome/...`.
    var path: String {
        let names = schema.utf8.split(separator: UInt8(ascii: ".")).map { String(Substring($0)) }
        return "/" + (names + [Self.key]).joined(separator: "/")
    }
}
