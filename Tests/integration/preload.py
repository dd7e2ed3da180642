# SPDX-License-Identifier: Apache-2.0
"""Runs a script under umockdev's preload, in the same state everywhere, and leaves no processes and no files in /tmp."""

import contextlib
import ctypes
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None)

# The other variables of this environment, such as LANG, NO_COLOR, XDG_* and DBUS_*, change what programs do.
KEPT = ("PATH", "HOME", "LD_LIBRARY_PATH", "SESSION_TREE", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS")


def is_preloaded():
    """Returns whether this process runs under umockdev's preload."""
    return "umockdev" in os.environ.get("LD_PRELOAD", "")


def run_with_preload(build, arguments):
    """Runs this script again with the preload and its own folder for temporary files.

    Sets ORIENTD_BUILD to `build`, the folder of the programs. Returns the exit status of the script.
    """
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    folder = tempfile.mkdtemp(prefix="orientd-tests-")
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    try:
        os.chmod(folder, 0o755)  # clients of other users must reach the bus in it
        return subprocess.run(
            ["umockdev-wrapper", "/usr/bin/python3", "-B", sys.argv[0], *arguments],
            env=environment | {"LC_ALL": "C.UTF-8", "TMPDIR": folder, "ORIENTD_BUILD": str(build)},
            stdin=subprocess.DEVNULL,
            check=False,
            preexec_fn=reset_process,
            start_new_session=True,  # without this terminal; Ctrl-C reaches only this process, which ends the others
        ).returncode
    finally:
        end_children()
        shutil.rmtree(folder, ignore_errors=True)


def reset_process():
    """Sets what a process inherits besides the environment; nohup, for example, and `&` in a script ignore signals."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError):  # glibc uses some itself
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # umockdev 0.17 leaks two descriptors per testbed
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_children():
    """Kills the processes that the script has left; as their parents have ended, they are children of this one."""
    children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    while found := children.read_text().split():
        for child in found:
            os.kill(int(child), signal.SIGKILL)
            os.waitpid(int(child), 0)
