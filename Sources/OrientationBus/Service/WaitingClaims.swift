// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Claims that were accepted, whose answers wait for the first reading, so that what is read then is known.
final class WaitingClaims {
    /// Seconds after which a claim is answered even though there is no reading.
    private let timeout: Double

    /// Whether a reading has come since sampling began, or none is to be expected; answers the claims that wait then.
    var hasFirstReading = false {
        didSet { if hasFirstReading { answer() } }
    }

    private var messages: [BusMessage] = []
    private var timer: Timer?

    init(timeout: Double, loop: EventLoop) throws(SystemError) {
        self.timeout = timeout
        timer = try loop.timer { [self] in answer() }
    }

    /// Answers a claim, now or with those that wait.
    func add(_ message: BusMessage) {
        if hasFirstReading { return message.reply() }
        messages.append(message)
        if messages.count == 1 { timer?.arm(after: timeout) }
    }

    private func answer() {
        guard !messages.isEmpty else { return }
        timer?.disarm()
        let answered = messages
        messages = []
        for message in answered { message.reply() }
    }
}
