# SPDX-License-Identifier: Apache-2.0
"""Runs a script under umockdev's preload, and leaves no processes and no files in /tmp."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile

PR_SET_PDEATHSIG = 1


def is_preloaded():
    """Returns whether this process runs under umockdev's preload."""
    return "umockdev" in os.environ.get("LD_PRELOAD", "")


def run_with_preload(build, arguments):
    """Runs this script again with the preload and its own folder for temporary files.

    Sets ORIENTD_BUILD to `build`, the folder of the programs. Returns the exit status of the script.
    """
    libc = ctypes.CDLL(None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="orientd-tests-")
    try:
        os.chmod(folder, 0o755)  # clients of other users must reach the bus in it
        return subprocess.run(
            ["umockdev-wrapper", "/usr/bin/python3", "-B", sys.argv[0], *arguments],
            env=dict(os.environ, TMPDIR=folder, ORIENTD_BUILD=str(build)),
            check=False,
            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
        ).returncode
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder, ignore_errors=True)
