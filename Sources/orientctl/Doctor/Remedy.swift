// SPDX-License-Identifier: Apache-2.0

/// Command lines that mend what more than one check finds.
enum Remedy {
    static let install = "sudo make install"
    static let restart = "sudo systemctl restart orientd"
    static let calibrate = "sudo orientctl calibrate"

    /// Shows what orientd says.
    static let log = "journalctl -u orientd -b"

    /// Sees what not every user may.
    static let asRoot = "sudo orientctl doctor"

    /// For what only its developers can mend.
    static let report = "orientctl doctor --report report.txt"
}
