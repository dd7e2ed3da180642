// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX
import SystemdBus

/// The outputs, the touch devices and the focused window of an X server.
///
/// libxcb waits for the server, which may be stopped or grabbed by another client. A thread of its own makes all calls;
/// a thread that waits for ever ends with the process.
final class X11Outputs: OutputBackend {
    /// Is run on the thread, in the order of the requests.
    typealias Request = @Sendable (X11Screen) -> Void
    /// Is run in the loop.
    typealias Report = @Sendable (X11Outputs) -> Void

    let onEvent: (OutputEvent) -> Void
    private let requests: Mailbox<Request>
    private var watch: EventSource?
    /// Is called when the server has handled all requests.
    private(set) var onFinished: () -> Void = {}

    /// Connects to an X server; nothing is called before the loop runs.
    init(to display: String, loop: EventLoop, onEvent: @escaping (OutputEvent) -> Void) throws(SystemError) {
        self.onEvent = onEvent
        let (requests, reports) = (try Mailbox<Request>(), try Mailbox<Report>())
        self.requests = requests
        watch = try loop.watch(reports, owned(by: self) { outputs, report in report(outputs) })
        let thread = try startThread("start a thread for the X server") {
            do throws(SystemError) {
                try X11Screen(display, requests, reports).run()
            } catch {
                let problem = "\(error)"
                reports.send { $0.onEvent(.givenUp(problem)) }
            }
        }
        pthread_detach(thread)
    }

    deinit { requests.send { $0.loop.exit() } }

    func apply(_ change: OutputChange) { requests.send { $0.apply(change) } }

    /// Makes built-in touch screens and pens follow an output from now on, or restores what they had before.
    func mapInput(to output: String, _ isMapped: Bool) { requests.send { $0.input?.map(to: output, isMapped) } }

    /// Calls `completion` when the mappings of input devices are as requested.
    func finish(completion: @escaping () -> Void) {
        onFinished = completion
        requests.send { $0.finish() }
    }
}
