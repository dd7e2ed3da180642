// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationSensors
import POSIX
import SystemdBus
import Testing

@Suite
struct `The helper thread` {
    // The loop and its timers hang on completions, and libsystemd is for one thread. A helper that was kept waiting
    // between its answer and the end of its turn let go of them beside the loop, and the process could abort.
    @Test func `lets nothing go that a completion holds`() throws {
        let rounds = try Rounds(count: 20_000)
        #expect(try rounds.run() == 0)
    }
}

/// One job after the other, each of whose completions holds a witness and asks for the next.
private final class Rounds {
    private let loop: EventLoop
    private let helper: HelperThread
    private let lettingGo = LettingGo()
    private var remaining: Int

    init(count: Int) throws(SystemError) {
        remaining = count
        loop = try EventLoop()
        helper = try HelperThread(loop: loop)
    }

    /// Returns how many witnesses were let go on another thread.
    func run() throws(SystemError) -> Int {
        next()
        _ = try loop.run()
        return lettingGo.elsewhere
    }

    private func next() {
        guard remaining > 0 else { return loop.exit() }
        remaining -= 1
        let witness = Witness(lettingGo)
        helper.run {
        } completion: { [self] in
            withExtendedLifetime(witness) { next() }
        }
    }
}

/// Counts what is let go on another thread than the one that made it.
// Sendable unchecked: a count that two threads have got wrong is above 0 all the same.
private final class LettingGo: @unchecked Sendable {
    let thread = pthread_self()
    var elsewhere = 0
}

private final class Witness {
    private let lettingGo: LettingGo

    init(_ lettingGo: LettingGo) {
        self.lettingGo = lettingGo
    }

    deinit {
        if pthread_equal(pthread_self(), lettingGo.thread) == 0 { lettingGo.elsewhere += 1 }
    }
}
