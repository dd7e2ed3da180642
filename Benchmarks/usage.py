# SPDX-License-Identifier: Apache-2.0
"""What a process uses, from /proc."""

import pathlib
import time


def usage_of_threads(pid):
    """Returns {thread: (run time in ns, voluntary context switches)}."""
    usage = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            run_time = int((task / "schedstat").read_text().split()[0])
            status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line)
            usage[task.name] = run_time, int(status["voluntary_ctxt_switches"])
        except FileNotFoundError:
            pass  # the thread has ended
    return usage


def memory(pid):
    """Returns resident and private dirty memory in kB."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        key, size = line.split()[:2]
        sizes[key.rstrip(":")] = int(size)
    return sizes["Rss"], sizes["Private_Dirty"]


class Window:
    """A period in which a process is observed; it begins now. What a thread used that ends in it is not counted."""

    def __init__(self, pid):
        self.pid = pid
        self.before = usage_of_threads(pid)
        self.started = time.monotonic()

    def end(self):
        """Returns the seconds since the beginning, and the run time in ns and the wake-ups of all threads."""
        after = usage_of_threads(self.pid)
        seconds = time.monotonic() - self.started
        run_time, switches = (
            sum(after[thread][column] - self.before.get(thread, (0, 0))[column] for thread in after)
            for column in (0, 1)
        )
        return seconds, run_time, switches
