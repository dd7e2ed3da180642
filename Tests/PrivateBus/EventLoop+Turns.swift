// SPDX-License-Identifier: Apache-2.0

// A release build makes this library too, and has no internals to show it.
#if DEBUG
import CLinux
import CSystemd
import POSIX

@testable package import SystemdBus

/// A loop that tests drive turn by turn: sd-event allows only one whole run.
extension EventLoop {
    /// Seconds without any event after which a test has hung.
    private static let timeout = 20.0

    /// Runs turns until `condition` holds; throws when nothing at all happens for long.
    package func run(until condition: () throws -> Bool) throws {
        while try !condition() {
            let result = withPointer { sd_event_run($0, UInt64(Self.timeout * 1e6)) }
            guard try check("run a turn of the loop", result) > 0 else {
                throw SystemError("wait for the condition", errno: Errno(ETIMEDOUT))
            }
        }
    }

    /// Runs `body`, which may block, on a thread of its own while this loop serves; returns what `body` does.
    @discardableResult
    package func serve<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        let (reading, writing) = try FileDescriptor.pipe()
        defer {
            close(reading)
            close(writing)
        }
        let job = Job {
            let result = Result { try body() }
            var byte: UInt8 = 0
            write(writing, &byte, 1)
            return result
        }
        var isDone = false
        let watch = try watch(reading) { isDone = true }
        var thread = pthread_t()
        let created = pthread_create(
            &thread,
            nil,
            { job in
                guard let job else { return nil }
                Unmanaged<Job>.fromOpaque(job).takeUnretainedValue().run()
                return nil
            },
            Unmanaged.passUnretained(job).toOpaque()
        )
        try check("create a thread", -created)
        defer { withExtendedLifetime((job, watch)) {} }
        let outcome = Result { try run { isDone } }
        pthread_join(thread, nil)
        try outcome.get()
        guard let result = job.result as? Result<Value, any Error> else {
            throw SystemError("run the body", errno: .invalid)
        }
        return try result.get()
    }
}

/// What the other thread runs; joined before its result is looked at.
private final class Job {
    private let body: () -> Any
    private(set) var result: Any?

    init(_ body: @escaping () -> Any) {
        self.body = body
    }

    func run() {
        result = body()
    }
}
#endif
