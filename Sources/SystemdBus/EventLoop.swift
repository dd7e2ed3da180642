// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
package import POSIX

/// The one event loop of a process, `sd_event`: everything that is not a blocking call runs in it.
///
/// Use it from one thread. Handlers run on that thread, one after the other.
///
/// What a handler captures: an object that owns the source of its handler (a ``Timer``, an ``EventSource`` ...) captures
/// `[unowned(unsafe) self]`, as the source ends with it; if the handler may release the object's last reference, it wraps
/// its body in `withExtendedLifetime`. A completion that is called once captures `[self]`, and so keeps the object until
/// then, as does every handler of an object that lives as long as the process.
package final class EventLoop {
    private let event: OpaquePointer

    package init() throws(SystemError) {
        var event: OpaquePointer?
        try check("create an event loop", sd_event_new(&event))
        guard let event else { throw SystemError("create an event loop", errno: .invalid) }
        self.event = event
    }

    deinit {
        sd_event_unref(event)
    }

    /// Runs until ``exit(_:)`` and returns its code.
    package func run() throws(SystemError) -> Int32 {
        try check("run the event loop", sd_event_loop(event))
    }

    /// Ends ``run()`` after the handler at hand; the first code given counts.
    package func exit(_ code: Int32 = 0) {
        var given: Int32 = 0
        guard sd_event_get_exit_code(event, &given) == -ENODATA else { return }
        sd_event_exit(event, code)
    }

    /// The monotonic time at which the present turn of the loop began, in seconds.
    package var now: Double {
        var microseconds: UInt64 = 0
        sd_event_now(event, CLOCK_MONOTONIC, &microseconds)
        return Double(microseconds) / 1e6
    }

    /// Pings the service manager's watchdog from this loop, when there is one to ping.
    package func serveWatchdog() throws(SystemError) {
        try check("serve the watchdog", sd_event_set_watchdog(event, 1))
    }

    /// Calls `handler` on SIGTERM, SIGINT and SIGHUP instead of letting them end the process.
    ///
    /// Blocks them for the calling thread, for good or until the watch is cancelled; other threads must not take them
    /// either. One that the process was started to ignore is ignored still.
    package func onTermination(_ handler: @escaping () -> Void) throws(SystemError) -> TerminationWatch {
        var signals = sigset_t()
        sigemptyset(&signals)
        let watched = [SIGTERM, SIGINT, SIGHUP].filter { orientd_is_ignored($0) == 0 }
        for signal in watched { sigaddset(&signals, signal) }
        var previous = sigset_t()
        try check("block signals", -pthread_sigmask(SIG_BLOCK, &signals, &previous))
        var sources: [EventSource] = []
        for signal in watched { sources.append(try source(for: signal, handler)) }
        return TerminationWatch(sources, previous)
    }

    private func source(for signal: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        try register("watch a signal", handler) { source, userdata in
            sd_event_add_signal(event, &source, signal, { _, _, userdata in call(userdata) }, userdata)
        }
    }

    /// Calls `handler` with the exit status of a child process, as shells have it, and reaps the child.
    ///
    /// Blocks SIGCHLD for the calling thread, as sd-event requires.
    package func onExit(of process: Int32, _ handler: @escaping (Int32) -> Void) throws(SystemError) -> EventSource {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGCHLD)
        try check("block signals", -pthread_sigmask(SIG_BLOCK, &signals, nil))
        return try register("watch a process", handler) { source, userdata in
            sd_event_add_child(
                event,
                &source,
                process,
                WEXITED,
                { _, info, userdata in
                    if let userdata { Box<(Int32) -> Void>.closure(in: userdata)(orientd_exit_status(info)) }
                    return 0
                },
                userdata
            )
        }
    }

    /// Calls `handler` whenever `descriptor` can be read, has failed or was hung up.
    ///
    /// The descriptor stays the caller's and must outlive the source.
    package func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        let events = UInt32(EPOLLIN.rawValue)
        return try register("watch a descriptor", handler) { source, userdata in
            sd_event_add_io(event, &source, descriptor, events, { _, _, _, userdata in call(userdata) }, userdata)
        }
    }

    /// Makes a timer that calls `handler` once each time it was armed.
    package func timer(_ handler: @escaping () -> Void) throws(SystemError) -> Timer {
        let source = try register("create a timer", handler) { source, userdata in
            let clock = CLOCK_MONOTONIC
            return sd_event_add_time(event, &source, clock, .max, 0, { _, _, userdata in call(userdata) }, userdata)
        }
        return Timer(source)
    }

    /// Hands `handler` to libsystemd by `add`; one that is refused is let go.
    private func register<Handler>(
        _ operation: String,
        _ handler: Handler,
        _ add: (_ source: inout OpaquePointer?, _ userdata: UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) -> EventSource {
        var source: OpaquePointer?
        let userdata = Box(handler).retained()
        let result = add(&source, userdata)
        if result < 0 { release(userdata) }
        try check(operation, result)
        return try EventSource(owning: source)
    }

    /// Lends the loop to the bus and the device monitor, which attach themselves to it.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(event)
    }
}

/// Calls the handler in an event source's userdata, as the source's callback.
private func call(_ userdata: UnsafeMutableRawPointer?) -> Int32 {
    if let userdata { Box<() -> Void>.closure(in: userdata)() }
    return 0
}

/// The signals that end a program, watched as long as this lives.
///
/// They stay blocked afterwards: who ends in order is not killed on the way by a second one, as timeout(1) sends it.
package final class TerminationWatch {
    private var sources: [EventSource]
    private var previous: sigset_t

    fileprivate init(_ sources: [EventSource], _ previous: sigset_t) {
        self.sources = sources
        self.previous = previous
    }

    /// Watches no more and has the signals do what they did before; to be called on the thread that the watch began on.
    package func cancel() {
        sources = []
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}

/// Something that the loop watches, until this is gone.
package final class EventSource {
    fileprivate let source: OpaquePointer

    /// Takes over a new source whose `userdata` is a retained ``Box``.
    fileprivate init(owning source: OpaquePointer?) throws(SystemError) {
        guard let source else { throw SystemError("watch an event", errno: .invalid) }
        sd_event_source_set_destroy_callback(source, release)
        self.source = source
    }

    deinit {
        sd_event_source_disable_unref(source)
    }
}

/// A one-shot timer on the monotonic clock; disarmed until it is armed.
package final class Timer {
    /// In seconds: 300 years, which the kernel's timers still hold.
    private static let longest = 1e10

    private let source: EventSource

    fileprivate init(_ source: EventSource) {
        self.source = source
    }

    /// Fires once, `seconds` from now; anything it was armed for before is dropped.
    ///
    /// A time past is now, and one that is centuries away never comes.
    /// Up to `slack` seconds later are allowed, so that the kernel can join wake-ups.
    package func arm(after seconds: Double, slack: Double = 0.001) {
        // An accuracy of 0 stands for sd-event's own, which is 250 ms.
        sd_event_source_set_time_accuracy(source.source, max(1, UInt64(slack * 1e6)))
        sd_event_source_set_time_relative(source.source, UInt64(max(0, min(seconds, Self.longest)) * 1e6))
        sd_event_source_set_enabled(source.source, Int32(SD_EVENT_ONESHOT))
    }

    package func disarm() {
        sd_event_source_set_enabled(source.source, Int32(SD_EVENT_OFF))
    }
}
