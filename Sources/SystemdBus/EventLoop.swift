// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
package import POSIX

/// The event loop of a process, `sd_event`; use it from one thread, on which the handlers run.
///
/// A handler of an object that holds the handler's source (a ``Timer``, an ``EventSource`` ...) is ``owned(by:_:)`` it.
/// A completion that is called once captures `[self]`, and so keeps the object until then, as does every handler of an
/// object that lives as long as the process.
package final class EventLoop {
    private let event: OpaquePointer

    package init() throws(SystemError) {
        event = try create("create an event loop") { sd_event_new(&$0) }
    }

    deinit { sd_event_unref(event) }

    /// Runs until ``exit(_:)`` and returns its code; keeps `objects` as long, such as sources.
    package func run(keeping objects: AnyObject?...) throws(SystemError) -> Int32 {
        defer { withExtendedLifetime(objects) {} }
        return try check("run the event loop", sd_event_loop(event))
    }

    /// Ends ``run(keeping:)`` after the current handler; the first code counts.
    package func exit(_ code: Int32 = 0) {
        var given: Int32 = 0
        guard sd_event_get_exit_code(event, &given) == -ENODATA else { return }
        sd_event_exit(event, code)
    }

    /// Readable while something is due, for a program that has a loop of its own and calls ``runWhatIsDue()`` then.
    package var descriptor: Int32 { sd_event_get_fd(event) }

    /// Runs the handlers of all that is due, without waiting.
    package func runWhatIsDue() throws(SystemError) {
        while try check("run the event loop", sd_event_run(event, 0)) > 0 {}
    }

    /// The monotonic time at which the current iteration began, in seconds.
    package var now: Double {
        var microseconds: UInt64 = 0
        sd_event_now(event, CLOCK_MONOTONIC, &microseconds)
        return Double(microseconds) / 1e6
    }

    /// Pings the service manager's watchdog from this loop, if there is one.
    package func serveWatchdog() throws(SystemError) {
        try check("serve the watchdog", sd_event_set_watchdog(event, 1))
    }

    /// Calls `handler` on SIGTERM, SIGINT and SIGHUP, except for those that the process was started to ignore.
    ///
    /// Blocks them for the calling thread until the watch is cancelled; all other threads must block them too.
    package func onTermination(_ handler: @escaping () -> Void) throws(SystemError) -> TerminationWatch {
        var previous = sigset_t()
        try check("block signals", -pthread_sigmask(SIG_BLOCK, nil, &previous))
        var sources: [EventSource] = []
        for signal in [SIGTERM, SIGINT, SIGHUP] where orientd_is_ignored(signal) == 0 {
            sources.append(try onSignal(signal, handler))
        }
        return TerminationWatch(sources, previous)
    }

    /// Calls `handler` on a signal, which stays blocked for the calling thread; all other threads must block it too.
    package func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        try block(signal)
        return try EventSource("watch a signal", userdata: Box(handler)) { source, userdata in
            sd_event_add_signal(event, &source, signal, { _, _, userdata in call(userdata) }, userdata)
        }
    }

    private func block(_ signal: Int32) throws(SystemError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        try check("block signals", -pthread_sigmask(SIG_BLOCK, &signals, nil))
    }

    /// Calls `handler` with the exit status of a child process, as shells have it, and reaps the child.
    ///
    /// Blocks SIGCHLD for the calling thread, as sd-event requires.
    package func onExit(of process: Int32, _ handler: @escaping (Int32) -> Void) throws(SystemError) -> EventSource {
        try block(SIGCHLD)
        return try EventSource("watch a process", userdata: Box(handler)) { source, userdata in
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

    /// Calls `handler` whenever `descriptor` is readable, failed or hung up; it must stay open as long as the source.
    package func watch(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> EventSource {
        try watch(descriptor, for: UInt32(EPOLLIN.rawValue), handler)
    }

    /// Calls `handler` with each value that is sent, until the source is released, also by `handler`.
    package func watch<Element: Sendable>(
        _ mailbox: Mailbox<Element>,
        _ handler: @escaping (Element) -> Void
    ) throws(SystemError) -> EventSource {
        let life = EventSource.Life()
        let source = try watch(mailbox.descriptor) {
            var batch: [Element] = []
            mailbox.receive(into: &batch)
            for element in batch where !life.hasEnded { handler(element) }
        }
        source.life = life
        return source
    }

    /// Calls `handler` when nobody reads a pipe or socket any more; returns nil for a file, which cannot hang up.
    package func onHangUp(of descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> EventSource? {
        do throws(SystemError) {
            // The kernel always reports an error and a hang-up.
            return try watch(descriptor, for: 0, handler)
        } catch {
            guard error.errno == .notPermitted else { throw error }
            return nil
        }
    }

    private func watch(
        _ descriptor: Int32,
        for events: UInt32,
        _ handler: @escaping () -> Void
    ) throws(SystemError) -> EventSource {
        try EventSource("watch a descriptor", userdata: Box(handler)) { source, userdata in
            sd_event_add_io(event, &source, descriptor, events, { _, _, _, userdata in call(userdata) }, userdata)
        }
    }

    /// Creates a timer that calls `handler` once each time it is armed.
    package func timer(_ handler: @escaping () -> Void) throws(SystemError) -> Timer {
        let source = try EventSource("create a timer", userdata: Box(handler)) { source, userdata in
            let clock = CLOCK_MONOTONIC
            return sd_event_add_time(event, &source, clock, .max, 0, { _, _, userdata in call(userdata) }, userdata)
        }
        return Timer(source)
    }

    /// Lends the loop to the bus and the device monitor, which attach themselves to it.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(event) }
}

/// Calls the handler in an event source's userdata, as the source's callback.
private func call(_ userdata: UnsafeMutableRawPointer?) -> Int32 {
    if let userdata { Box<() -> Void>.closure(in: userdata)() }
    return 0
}

/// The signals that end a program, watched as long as this lives.
///
/// They stay blocked afterwards, so that a second signal cannot interrupt an orderly shutdown.
package final class TerminationWatch {
    private var sources: [EventSource]
    private var previous: sigset_t

    fileprivate init(_ sources: [EventSource], _ previous: sigset_t) {
        self.sources = sources
        self.previous = previous
    }

    /// Waits until a descriptor can be written; returns false, at once, for one of the signals.
    ///
    /// The signal counts as handled then. Call it on the thread that started the watch.
    package func waitUntilWritable(_ descriptor: Int32) -> Bool {
        // Without a handler the signal would end the process; an ignored one stays ignored.
        for signal in [SIGTERM, SIGINT, SIGHUP] { orientd_catch_signal(signal) }
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return ppoll(&request, 1, nil, &previous) != -1
    }

    /// Ends the watch and unblocks the signals; call it on the thread that started the watch.
    package func cancel() {
        sources = []
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}

/// An event source of the loop, which ends when this is released.
package final class EventSource {
    /// Whether the source has been released, for a callback that calls its handler several times.
    fileprivate final class Life {
        var hasEnded = false
    }

    fileprivate let source: OpaquePointer
    fileprivate var life: Life?

    /// Creates the source with `add`, whose `userdata` is `box`.
    ///
    /// It does not make the box, as Embedded Swift 6.2 has no generic initializers of classes.
    fileprivate init(
        _ operation: String,
        userdata box: AnyObject,
        _ add: (_ source: inout OpaquePointer?, _ userdata: UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) {
        source = try register(operation, userdata: box, add)
        sd_event_source_set_destroy_callback(source, release)
    }

    deinit {
        life?.hasEnded = true
        sd_event_source_disable_unref(source)
    }
}

/// A one-shot timer on the monotonic clock; disarmed until it is armed.
package final class Timer {
    /// In seconds: 300 years, which fits the kernel's timers.
    private static let longest = 1e10

    private let source: EventSource

    fileprivate init(_ source: EventSource) {
        self.source = source
    }

    /// Fires once in `seconds`, at once if that is negative; replaces the time that was set before.
    ///
    /// It may fire up to `slack` seconds later, so that the kernel can combine wake-ups.
    package func arm(after seconds: Double, slack: Double = 0.001) {
        // An accuracy of 0 would mean sd-event's default, 250 ms.
        sd_event_source_set_time_accuracy(source.source, max(1, UInt64(slack * 1e6)))
        sd_event_source_set_time_relative(source.source, UInt64(max(0, min(seconds, Self.longest)) * 1e6))
        sd_event_source_set_enabled(source.source, Int32(SD_EVENT_ONESHOT))
    }

    package func disarm() { sd_event_source_set_enabled(source.source, Int32(SD_EVENT_OFF)) }
}
