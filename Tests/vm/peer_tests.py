#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: umockdev-wrapper peer_tests.py TESTS DAEMON [ARGUMENT...]

Runs the tests of the sensor core in TESTS, a file of iio-sensor-proxy, with the DAEMON in its place, and each with
libssc's mock. The last line is "N passed, N failed"; those that the file itself skips do not count.
"""
import importlib.util
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

MOCK = "/usr/libexec/installed-tests/libssc/ssc-server"
# It sends ten readings a second, and a test waits for one of them, which an emulated processor that does other work may
# miss: here each lasts a second.
SLOWLY = """
import runpy, sys, time
sleep = time.sleep
time.sleep = lambda seconds: sleep(10 * seconds)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Mock:
    """libssc's mock. It takes a client's sensors for busy after the client was killed, so each test has its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-c", SLOWLY, MOCK], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
        )
        while line := self.process.stdout.readline():
            if "Waiting for MSGs" in line:
                return
        raise RuntimeError("libssc's mock does not start")

    def stop(self):
        """Ends it with the processes that send readings."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdout.close()
        self.process.wait()


def load_tests(path, command):
    """Returns the class of all tests."""
    top = pathlib.Path(tempfile.mkdtemp())
    (top / "src").mkdir()
    wrapper = top / "src" / "iio-sensor-proxy"
    # The tests set UMOCKDEV_DEBUG, with which umockdev logs every system call.
    wrapper.write_text(f"#!/bin/sh\nunset UMOCKDEV_DEBUG\nexec {shlex.join(command)} \"$@\"\n")
    wrapper.chmod(0o755)
    os.environ["top_builddir"] = str(top)
    specification = importlib.util.spec_from_file_location("peer_tests", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    tests, testbed = module.Tests, module.UMockdev.Testbed

    # The tests name the device as its sensor; the kernel names it as its node.
    add_device = testbed.add_device

    def add_named_as_node(self, subsystem, _, parent, attributes, properties):
        node = properties[properties.index("DEVNAME") + 1]
        return add_device(self, subsystem, os.path.basename(node), parent, attributes, properties)

    testbed.add_device = add_named_as_node

    # They wait for five seconds, which is too short on an emulated processor that does other work, too.
    assert_eventually = tests.assertEventually
    tests.assertEventually = lambda self, condition, message=None: assert_eventually(self, condition, message, 400)
    # Their run() reads it after a failure, and would hide that.
    tests.log = None
    set_up = tests.setUp

    def set_up_with_mock(self):
        mock = Mock()
        self.addCleanup(mock.stop)
        set_up(self)

    tests.setUp = set_up_with_mock
    return tests


def main():
    tests = load_tests(sys.argv[1], sys.argv[2:])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(tests)
    )
    failed = len({test.id() for test, _ in result.failures + result.errors})
    passed = result.testsRun - failed - len(result.skipped)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


sys.exit(main())
