// SPDX-License-Identifier: Apache-2.0

@testable import OrientationSession

/// The database of a user's dconf, which any of the user's programs can write.
enum DconfFuzzer {
    static func run(_ bytes: [UInt8]) {
        guard let database = try? DconfDatabase(bytes) else { return }
        guard let extended = try? DconfDatabase(bytes + [0xff, 0, 0x62]) else { fatalError("a longer file is refused") }
        for desktop in [DesktopLock.gnome, .cinnamon] {
            // What follows the last table has no meaning.
            if let value = try? database.value(of: desktop.path) {
                precondition((try? extended.value(of: desktop.path)) == value)
            }
            if let isLocked = try? database.isLocked(desktop.path) {
                precondition((try? extended.isLocked(desktop.path)) == isLocked)
            }
        }
    }
}
