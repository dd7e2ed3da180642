# SPDX-License-Identifier: Apache-2.0
"""orient-agent in a session whose compositor is a fake, with the real orientd on a private bus."""

import contextlib
import subprocess

from fakes.outputs import Head, Mode
from fakes.toplevels import WlrServer
from rig import BUS_CONFIGURATION, Client, Program, wait_until
from rotation import HELD, RotationTestCase

# For each device orientation, the transform that the panel gets; the panel is upright in portrait.
TRANSFORMS = {"portrait": "normal", "landscape-left": "270", "portrait-upside-down": "180", "landscape-right": "90"}

# What tells a program about the session that the tests run in.
SESSION_VARIABLES = (
    *("WAYLAND_DISPLAY", "DISPLAY", "SWAYSOCK", "I3SOCK", "NIRI_SOCKET", "HYPRLAND_INSTANCE_SIGNATURE"),
    *("XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_SESSION_ID", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION"),
    *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_STATE_HOME", "XDG_DATA_HOME"),
)


def panel(name="eDP-1", **properties):
    """Returns a panel that is higher than wide, like a tablet's."""
    return Head(name, **({"modes": (Mode(1200, 1920, 60000), Mode(600, 960, 60000))} | properties))


def monitor(name="HDMI-A-1", **properties):
    """Returns a monitor, at the right of panel() unless another position is given."""
    return Head(name, **({"modes": (Mode(1920, 1080, 60000),), "position": (1200, 0)} | properties))


def overlap(first, second):
    """Returns whether two rectangles overlap."""
    return (
        first.x < second.x + second.width
        and second.x < first.x + first.width
        and first.y < second.y + second.height
        and second.y < first.y + first.height
    )


def touch(first, second):
    """Returns whether two rectangles that do not overlap share a part of an edge."""
    rows = min(first.y + first.height, second.y + second.height) - max(first.y, second.y)
    columns = min(first.x + first.width, second.x + second.width) - max(first.x, second.x)
    return rows == 0 and columns > 0 or columns == 0 and rows > 0


class Agent(Program):
    """A running orient-agent."""

    def __init__(self, rig, arguments, environment, before_exec=None):
        super().__init__(rig, "orient-agent", arguments, environment, before_exec)
        self.reported = 0

    def warnings(self):
        return self.log_lines("warning: ")

    def new_warnings(self):
        """Returns the warnings since the last call."""
        warnings = self.warnings()[self.reported :]
        self.reported += len(warnings)
        return warnings

    def wait_for_warning(self, *texts):
        """Waits for a new warning, checks that there is only one and that it has these texts, and returns it."""
        wait_until(lambda: len(self.warnings()) > self.reported, f"a warning with {texts}")
        (warning,) = self.new_warnings()
        for text in texts:
            if text not in warning:
                raise AssertionError(f"{text!r} is not in: {warning}")
        return warning


class AgentTestCase(RotationTestCase):
    """Tests with orientd, a fake compositor and the agent; a warning that no test expects is a failure."""

    def open_rig(self):
        super().open_rig()
        self.runtime = self.rig.directory / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.home = self.rig.directory / "home"
        self.home.mkdir()
        self.state = self.rig.directory / "state"
        self.state.mkdir()
        self.agents = []
        self.servers = []

    def close_rig(self):
        unexpected = [line for agent in self.agents for line in agent.new_warnings()]
        super().close_rig()
        self.assertEqual(unexpected, [])

    def serve(self, server):
        """Starts a server that closes with the rig."""
        self.rig.on_close(server.close)
        self.servers.append(server)
        return server.start()

    def start_compositor(self, *heads, **options):
        """Starts a compositor that supports wlr-output-management."""
        self.compositor = self.serve(WlrServer(self.runtime / "wayland-7", *heads, **options))
        return self.compositor

    def start_session_bus(self):
        """Starts the session's bus and returns a client of it."""
        configuration = self.rig.directory / "session-bus.conf"
        text = BUS_CONFIGURATION.format(socket=self.runtime / "bus").replace("<type>system", "<type>session")
        configuration.write_text(text)
        command = ["dbus-daemon", "--nofork", "--print-address", f"--config-file={configuration}"]
        self.session_bus = self.rig.spawn(command, stdout=subprocess.PIPE)
        self.session_bus.stdout.readline()  # the bus accepts connections now
        client = Client(f"unix:path={self.runtime}/bus")
        self.rig.clients.append(client)
        return client

    def environment(self):
        """Returns the environment of a program of the session."""
        variables = self.rig.mocked_environment()
        for name in SESSION_VARIABLES:
            variables.pop(name, None)
        return variables | {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "WAYLAND_DISPLAY": "wayland-7",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
        }

    def launch(self, *arguments, environment=None, before_exec=None):
        """Starts the agent with these arguments and changes of the environment; None removes a variable."""
        variables = self.environment() | (environment or {})
        variables = {name: value for name, value in variables.items() if value is not None}
        agent = Agent(self.rig, arguments, variables, before_exec)
        self.agents.append(agent)
        self.rig.daemons.append(agent)
        return agent

    def spawn_agent(self, *arguments, settings=(), **options):
        """Starts the agent with lines for the section [Agent] of its configuration."""
        path = self.rig.directory / f"agent-{len(self.agents)}.conf"
        path.write_text("\n".join(["[Agent]", *settings, ""]))
        return self.launch("--bus", self.rig.address, "--config", str(path), *arguments, **options)

    def start_agent(self, *arguments, **options):
        """Starts the agent; returns it when its claim has had a reading and it has handled all that was sent to it."""
        claims = self.client.get("Claims")
        agent = self.spawn_agent(*arguments, **options)

        def has_started():
            if not agent.is_running():
                raise AssertionError(f"orient-agent ends with {agent.process.returncode}: {agent.log()}")
            is_read = self.client.get("Claims") > claims and self.client.get("DeviceOrientation") != "unknown"
            return is_read and self.is_connected()

        wait_until(has_started, "the agent has a claim, a reading and a display")
        self.wait_until_idle(agent)
        return agent

    def restart_orientd(self):
        """Stops orientd, starts it again with the same saved state, and returns when the agent has claimed it."""
        stopped = self.rig.daemons[0]
        stopped.stop()
        configuration = stopped.configuration_path.read_text()
        self.rig.start_orientd(
            "--rate", "100", configuration=configuration, environment={"STATE_DIRECTORY": str(self.state)}
        )
        self.client.wait_for("Claims", 1)

    def start_session(self, *heads, held="portrait", settings=(), arguments=(), **options):
        """Starts orientd, a compositor and the agent, and returns the agent."""
        self.start(held=held, claim=False, environment={"STATE_DIRECTORY": str(self.state)})
        self.start_compositor(*(heads or (panel(),)), **options)
        return self.start_agent(*arguments, settings=settings)

    def is_connected(self):
        """Returns whether the agent uses the compositor."""
        return self.compositor.has_client()

    def wait_until_idle(self, agent):
        """Waits until the agent sleeps, and it and the servers have read everything that the other has sent."""

        def is_idle():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                slept = wakeups(agent.pid)
                has_unread = any(server.has_unread() for server in self.servers)
                # It sleeps, and has not run meanwhile.
                return is_asleep(agent.pid) and not has_unread and wakeups(agent.pid) == slept
            return True

        wait_until(is_idle, "the agent is idle")

    def restore(self, *arguments, settings=()):
        """Runs `orient-agent --restore`, which must succeed."""
        agent = self.spawn_agent("--restore", *arguments, settings=settings)
        self.assertEqual(agent.wait_for_end(), 0, agent.log())

    def control(self, *arguments):
        """Runs orientctl, which must succeed."""
        result = self.rig.orientctl(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def hold(self, held):
        """Turns the device; returns when orientd has decided.

        The new edge's axis changes first, and the others when orientd has read it: a reading that mixes the old x with
        the new y would be (0, 0, 0), and orientd would decide once more.
        """
        raw = HELD[held][0]
        axis = max(range(3), key=lambda index: abs(raw[index]))
        self.rig.write(f"in_accel_{'xyz'[axis]}_raw", raw[axis])
        wait_until(lambda: abs(self.client.get("Gravity")[axis]) > 0.5, "orientd has read the first axis")
        self.rig.turn(raw)
        self.client.wait_for("InterfaceOrientation", HELD[held][1])

    def show(self, held, name="eDP-1"):
        """Turns the device and waits until the panel has followed."""
        self.hold(held)
        self.wait_for_transform(TRANSFORMS[held], name)

    def wait_for_transform(self, transform, name="eDP-1"):
        """Waits until the compositor shows an output in a transform, with no change under way."""
        found = []

        def has_transform():
            found[:] = [self.compositor.head(name).transform]
            return found[0] == transform

        try:
            wait_until(has_transform, "")
        except AssertionError:
            raise AssertionError(f"{name} is {found[0]} instead of {transform}") from None

    def transforms(self):
        """Returns the transforms of the panel that the agent has asked for, each once for a run of equal ones."""
        asked = [one.heads.get("eDP-1") or {} for one in self.compositor.applied()]
        values = [properties["transform"] for properties in asked if "transform" in properties]
        return [value for index, value in enumerate(values) if index == 0 or value != values[index - 1]]

    def is_tight(self):
        """Returns whether no enabled outputs overlap and each is connected with the first."""
        places = [head.rectangle for head in self.compositor.heads if head.enabled]
        if any(overlap(one, other) for one in places for other in places if one is not other):
            return False
        reached, waiting = places[:1], places[1:]
        for place in reached:
            near = [other for other in waiting if touch(place, other)]
            waiting = [other for other in waiting if other not in near]
            reached += near
        return not waiting

    def wait_until_tight(self):
        """Waits until the outputs have neither gaps nor overlaps."""
        try:
            wait_until(self.is_tight, "")
        except AssertionError:
            places = {head.name: head.rectangle for head in self.compositor.heads if head.enabled}
            raise AssertionError(f"gap or overlap: {places}") from None


def is_asleep(pid):
    """Returns whether a process waits for something."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def wakeups(pid):
    """Returns how often a process has gone to sleep so far."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches:"))
