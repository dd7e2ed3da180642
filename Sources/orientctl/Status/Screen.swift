// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// Lines that fill a terminal and are drawn again where they change; Ctrl-Z gives the terminal back.
final class Screen {
    /// The alternate screen, without a cursor and without wrapping of long lines.
    private static let takeTerminal = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let giveTerminalBack = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let write: (String) -> Void
    private var watches: [EventSource] = []
    private var isTaken = false
    private var lines: [String] = []
    /// The lines on the terminal.
    private var shown: [String] = []

    /// `write` writes to the terminal without delay.
    init(loop: EventLoop, write: @escaping (String) -> Void) throws(SystemError) {
        self.write = write
        watches = [
            try loop.onSignal(SIGWINCH) { [self] in redraw() },
            try loop.onSignal(SIGCONT) { [self] in resume() },
        ]
        // Shells without job control ignore it for their commands.
        guard orientd_is_ignored(SIGTSTP) == 0 else { return }
        watches.append(try loop.onSignal(SIGTSTP) { [self] in suspend() })
    }

    /// Draws what differs from what is shown, as far as it fits.
    func draw(_ lines: [String]) {
        self.lines = lines
        if !isTaken {
            guard !lines.isEmpty, Terminal.isInForeground else { return }
            isTaken = true
            write(Self.takeTerminal)
        }
        let rows = Terminal.size?.rows ?? .max
        // The last row says that there is more.
        let lines = lines.count > rows ? lines.prefix(rows - 1) + ["…"] : lines
        var text = ""
        for (row, line) in lines.enumerated() where row >= shown.count || line != shown[row] {
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        if lines.count < shown.count { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
        shown = lines
        if !text.isEmpty { write(text) }
    }

    /// Gives the terminal back.
    func leave() {
        guard isTaken else { return }
        isTaken = false
        shown = []
        write(Self.giveTerminalBack)
    }

    /// Draws everything again, after the size or the terminal's contents have changed.
    private func redraw() {
        if isTaken {
            shown = []
            write("\u{1B}[2J")
        }
        draw(lines)
    }

    private func suspend() {
        leave()
        kill(getpid(), SIGSTOP)
    }

    /// Takes the terminal again, unless this program goes on in the background; `fg` sends the signal again.
    private func resume() {
        if Terminal.isInForeground { redraw() } else { leave() }
    }
}
