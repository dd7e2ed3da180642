// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus
import Testing

@testable import OrientationSensors

@Suite
struct `The helper thread` {
    // Completions hold the loop and its timers, and libsystemd is for one thread. A helper that was delayed between its
    // answer and the end of its job released them on its own thread, and the process could abort.
    @Test func `releases nothing that a completion holds`() throws {
        let rounds = try Rounds(count: 20_000)
        #expect(try rounds.run() == 0)
    }

    // A chip that takes longer than the period was read without pause.
    @Test(arguments: [(10.0, 10.5), (10.25, 10.5), (10.5, 11), (10.75, 11.25), (13, 13.5)] as [(Double, Double)])
    func `leaves a slow chip alone for a whole period`(now: Double, next: Double) {
        #expect(HelperPoll.nextDue(after: 10, period: 0.5, now: now) == next)
    }

    @Test func `does what was asked before its thread ends, idle, and starts another one for the next job`() throws {
        let loop = try EventLoop()
        let helper = try HelperThread(loop: loop)
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        defer { pthread_key_delete(key) }
        var jobsBefore: [Int] = []
        // Each thread counts its own jobs.
        let count = { @Sendable [key] in
            let before = Int(bitPattern: pthread_getspecific(key))
            pthread_setspecific(key, UnsafeRawPointer(bitPattern: before + 1))
            return before
        }
        func note(_ result: Result<Int, SystemError>) {
            if case .success(let before) = result { jobsBefore.append(before) }
        }
        func runTwo() {
            helper.run(count, completion: note)
            helper.endIfIdle()
            helper.run(count, completion: note)
        }
        // A sensor that answered late, and was not needed any more, kept a thread.
        helper.onIdle = { if jobsBefore.count < 4 { runTwo() } else { loop.exit() } }
        runTwo()
        _ = try loop.run()
        #expect(jobsBefore == [0, 1, 0, 1])
    }
}

/// One job after the other, each of whose completions holds a witness and starts the next.
private final class Rounds {
    private let loop: EventLoop
    private let helper: HelperThread
    private let releases = Releases()
    private var remaining: Int

    init(count: Int) throws(SystemError) {
        remaining = count
        loop = try EventLoop()
        helper = try HelperThread(loop: loop)
    }

    /// Returns how many witnesses were released on another thread.
    func run() throws(SystemError) -> Int {
        next()
        _ = try loop.run()
        return releases.elsewhere
    }

    private func next() {
        guard remaining > 0 else { return loop.exit() }
        remaining -= 1
        let witness = Witness(releases)
        helper.run {
        } completion: { [self] _ in
            withExtendedLifetime(witness) { next() }
        }
    }
}

/// Counts what is released on another thread than the one that made it.
// Sendable unchecked: a count that two threads race for is above 0 all the same.
private final class Releases: @unchecked Sendable {
    let thread = pthread_self()
    var elsewhere = 0
}

private final class Witness {
    private let releases: Releases

    init(_ releases: Releases) {
        self.releases = releases
    }

    deinit {
        if pthread_equal(pthread_self(), releases.thread) == 0 { releases.elsewhere += 1 }
    }
}
