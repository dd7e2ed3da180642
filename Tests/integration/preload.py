# SPDX-License-Identifier: Apache-2.0
"""Runs a script under umockdev's preload, so that nothing of it outlives the run or stays in /tmp."""

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
    """Runs this script once more with the preload, its temporary files in a folder of their own.

    The binaries of the folder `build` are named to it by ORIENTD_BUILD. Returns its exit status.
    """
    libc = ctypes.CDLL(None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="orientd-tests-")
    try:
        os.chmod(folder, 0o755)  # other users' clients reach the bus in it
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
