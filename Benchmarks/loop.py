# SPDX-License-Identifier: Apache-2.0
"""GLib's main loop. It blocks between events, so that each is handled when it arrives."""

from gi.repository import GLib


def run_until(condition, timeout):
    """Runs the main loop until `condition` is true, for at most `timeout` seconds, and returns whether it is."""
    expired = []
    timer = GLib.timeout_add(round(timeout * 1000), lambda: expired.append(True) or False)
    while not condition() and not expired:
        GLib.MainContext.default().iteration(True)
    if not expired:
        GLib.source_remove(timer)
    return bool(condition())


def run_for(seconds):
    """Runs the main loop for that many seconds."""
    run_until(lambda: False, seconds)
