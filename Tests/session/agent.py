# SPDX-License-Identifier: Apache-2.0
"""A running orient-agent, and a rig in which it meets orientd and a compositor."""

import shutil
import signal
import subprocess

from compositor import AS_USER
from rig import BUILD, TIMEOUT, Rig, die_with_parent


class Agent:
    """A running orient-agent with its log."""

    def __init__(self, command, environment, log_path):
        self.log_path = log_path
        self.may_end = False
        with open(log_path, "wb") as log:
            self.process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    def log(self):
        return self.log_path.read_text(errors="replace")

    def log_lines(self, text):
        """Returns the log lines so far that contain a text."""
        return [line for line in self.log().splitlines() if text in line]

    def assert_running(self):
        if self.process.poll() is not None:
            raise AssertionError(f"orient-agent ends with {self.process.returncode}")

    def wait_for_end(self):
        """Waits until it exits and returns its exit status."""
        self.may_end = True
        return self.process.wait(TIMEOUT)

    def stop(self, number=signal.SIGTERM):
        """Sends it a signal and returns its exit status."""
        self.process.send_signal(number)
        return self.wait_for_end()

    def close(self):
        """Stops it; fails if it has ended without being asked to, or ends with an error."""
        ended_early = self.process.poll() is not None and not self.may_end
        try:
            if self.process.poll() is None and self.stop() != 0:
                raise AssertionError(f"orient-agent ends with {self.process.returncode} on SIGTERM: {self.log()}")
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        if ended_early:
            raise AssertionError(f"orient-agent had ended by itself with {self.process.returncode}: {self.log()}")


class SessionRig(Rig):
    """A private bus with orientd, and a compositor whose user runs orient-agent outside of the compositor's tree."""

    def __init__(self, compositor_class):
        super().__init__()
        self.agents = []
        self.compositor = compositor_class(self)

    def spawn_agent(self, *arguments, configuration="", environment=None):
        """Starts the agent as the compositor's user, in the compositor's session."""
        # The user may not be allowed to reach the folder of the build.
        program = self.directory / "orient-agent"
        if not program.exists():
            shutil.copy2(BUILD / "orient-agent", program)
        path = self.directory / f"agent-{len(self.agents)}.conf"
        path.write_text(configuration)
        agent = Agent(
            [*AS_USER, program, "--bus", self.address, "--config", path, "-v", *arguments],
            {
                "PATH": "/usr/sbin:/usr/bin",
                "DBUS_SESSION_BUS_ADDRESS": self.address,
                **self.compositor.environment(),
                **(environment or {}),
            },
            self.directory / f"orient-agent-{len(self.agents)}.log",
        )
        self.agents.append(agent)
        return agent

    def close(self):
        """Ends everything, then fails if an agent or a daemon misbehaved."""
        complaints = []
        for agent in self.agents:
            try:
                agent.close()
            except (AssertionError, subprocess.TimeoutExpired) as complaint:
                complaints.append(str(complaint))
        self.compositor.stop()
        try:
            super().close()
        except AssertionError as complaint:
            complaints.append(str(complaint))
        if complaints:
            raise AssertionError("; ".join(complaints))
