// SPDX-License-Identifier: Apache-2.0

import POSIX
import SystemdBus

/// Claims that were accepted, whose answers wait for the first reading, so that what is read then is known.
final class WaitingClaims {
    /// Seconds after which a claim is answered even though there is no reading.
    private static let timeout = 1.0

    private let hasFirstReading: () -> Bool
    private var messages: [BusMessage] = []
    private var timer: Timer?

    /// `hasFirstReading` says whether a reading has come since sampling began, or none is to be expected.
    init(loop: EventLoop, hasFirstReading: @escaping () -> Bool) throws(SystemError) {
        self.hasFirstReading = hasFirstReading
        timer = try loop.timer { [self] in answer() }
    }

    /// Answers a claim, now or with those that wait.
    func add(_ message: BusMessage) {
        messages.append(message)
        if messages.count == 1 { timer?.arm(after: Self.timeout) }
        answerIfKnown()
    }

    /// Answers the claims that wait, if there is something to answer now.
    func answerIfKnown() {
        if !messages.isEmpty && hasFirstReading() { answer() }
    }

    /// Answers the claims that wait, whatever is known.
    func answer() {
        timer?.disarm()
        let answered = messages
        messages = []
        for message in answered { message.reply() }
    }
}
