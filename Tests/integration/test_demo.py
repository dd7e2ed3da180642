# SPDX-License-Identifier: Apache-2.0
"""The shell of `make try`, in a terminal."""

import os
import re
import signal
import subprocess
import threading

from agent_session import AgentTestCase, panel
from rig import BUILD, SOURCE_ROOT, wait_until

DONE = 0


class Trial(AgentTestCase):
    def setUp(self):
        super().setUp()
        (self.home / ".bashrc").write_text("PS1='mine> '; PROMPT_COMMAND='PS1=\"mine> \"'; ANSWER=42\n")
        self.start_compositor(panel())
        names = ("HOME", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY")
        # Not the mocked devices: it looks for those of this machine.
        variables = {name: self.environment()[name] for name in names} | {"TERM": "dumb"}
        self.controller, terminal = os.openpty()
        self.said = ""
        self.shell = self.rig.spawn(
            ["setsid", "--ctty", "--wait", SOURCE_ROOT / "Tests" / "demo.sh", BUILD, "shell"],
            env=self.rig.plain_environment | variables,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        threading.Thread(target=self.read, daemon=True).start()
        self.rig.on_close(lambda: os.close(self.controller))
        self.wait_for("^orientd\\$ $")

    def read(self):
        while True:
            try:
                self.said += os.read(self.controller, 4096).decode()
            except OSError:
                return

    def wait_for(self, pattern):
        try:
            wait_until(lambda: re.search(pattern, self.said.replace("\r", ""), re.M), "")
        except AssertionError:
            raise AssertionError(f"{pattern} is not in: {self.said}") from None

    def type(self, line):
        self.said = ""
        os.write(self.controller, line.encode() + b"\n")

    def test_agent_turns_the_display_with_the_device(self):
        self.type("orient-agent &")
        wait_until(lambda: self.compositor.head("eDP-1").transform != "normal", "the display has turned")
        self.type("kill %1; wait; echo resto''red")
        self.wait_for("^restored$")
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")
        self.type("exit")
        wait_until(lambda: self.shell.poll() is not None, "the shell has ended")

    def test_shell_has_a_prompt_of_its_own_and_a_device_that_turns(self):
        self.type("echo the answer is $ANSWER")
        self.wait_for("^the answer is 42\norientd\\$ $")
        self.type("orientctl get Claims")
        self.wait_for("^1\norientd\\$ $")
        # Without this command reading the sensor.
        self.type("until orientctl status --json | grep -q 'DeviceOrientation.*landscape'; do :; done; echo tur''ned")
        self.wait_for("^turned$")
        self.type("exit")
        wait_until(lambda: self.shell.poll() is not None, "it ends")
        self.assertEqual(self.shell.returncode, DONE)

    def test_doctor_changes_nothing_on_this_machine(self):
        self.type("orientctl doctor; echo en''ded")
        self.wait_for("^ended$")
        self.assertRegex(self.said, r"\nok    bus: the bus at unix:abstract=orientd-demo-\d+\r\n")
        self.assertNotRegex(self.said, "try:.*(sudo|install|systemctl|gsettings|log)")
        self.type("exit")
        wait_until(lambda: self.shell.poll() is not None, "it ends")
