// SPDX-License-Identifier: Apache-2.0

package import CLinux

/// Starts a thread that runs `body` with all signals blocked; it is to be joined or detached.
///
/// `operation` is what the error says cannot be done.
package func startThread(_ operation: String, _ body: sending @escaping () -> Void) throws(SystemError) -> pthread_t {
    // A thread inherits the signal mask; signals belong to the main loop.
    var everything = sigset_t()
    var before = sigset_t()
    sigfillset(&everything)
    pthread_sigmask(SIG_SETMASK, &everything, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    // A stack of the usual 8 MiB may get a huge page of 2 MiB, which is more than the whole daemon needs.
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 256 * 1024)

    var thread = pthread_t()
    let userdata = Unmanaged.passRetained(ThreadBody(body))
    let result = pthread_create(
        &thread,
        &attributes,
        { userdata in
            guard let userdata else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(userdata).takeRetainedValue().run()
            return nil
        },
        userdata.toOpaque()
    )
    if result != 0 { userdata.release() }
    try check(operation, -result)
    return thread
}

private final class ThreadBody {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
}
