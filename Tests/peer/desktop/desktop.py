# SPDX-License-Identifier: Apache-2.0
"""A desktop on private buses: orientd as net.hadess.SensorProxy, and a shell in an invisible window."""

import os
import subprocess

from rig import BUILD, LANDSCAPE_LEFT, LANDSCAPE_RIGHT, PORTRAIT, UPSIDE_DOWN, RigTestCase, accelerometer, wait_until

SENSOR_PROXY = "net.hadess.SensorProxy"
CLAIM_SENSOR = "net.hadess.SensorProxy.claim-sensor"
ACTIONS = (CLAIM_SENSOR, *(f"org.orientd1.{action}" for action in ("claim", "lock", "rotate", "request")))
CONFIGURATION = "[Bus]\nSensorProxy=yes\n"

# Seconds in which a shell must start, on a loaded machine.
START = 40

# The successive turns of the device and the transform that the output must have after each (names of wl_output).
TURNS = (
    (PORTRAIT, "normal"),
    (LANDSCAPE_RIGHT, "90"),
    (UPSIDE_DOWN, "180"),
    (LANDSCAPE_LEFT, "270"),
    (PORTRAIT, "normal"),
)


def tablet(raw=PORTRAIT):
    """Returns a polled accelerometer that iio-sensor-proxy also recognises."""
    return accelerometer(raw=raw, properties={"IIO_SENSOR_PROXY_TYPE": "iio-poll-accel"})


class DesktopTestCase(RigTestCase):
    """Tests a client of net.hadess.SensorProxy that polkit allows to claim."""

    def turn(self, raw, held):
        """Turns the device and returns when orientd has published that."""
        self.rig.turn(raw)
        self.client.wait_for("DeviceOrientation", held)

    def check_that_rules_apply(self, wait_for):
        """Locks, rotates and requests, on a device that starts in landscape-left.

        `wait_for` is called with each transform that the output must have next (names of wl_output), in this order.
        """
        wait_for("270")
        self.control("lock")
        self.turn(PORTRAIT, "portrait")
        self.control("rotate", "landscape-left")  # nothing else may come before this
        wait_for("90")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        self.turn(PORTRAIT, "portrait")
        self.control("unlock")
        wait_for("normal")
        film = self.rig.spawn([BUILD / "orientctl", "run", "--supported=landscape", "sleep", "infinity"])
        wait_for("270")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        self.turn(LANDSCAPE_RIGHT, "landscape-right")
        wait_for("90")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        film.terminate()
        wait_for("180")

    def control(self, *arguments):
        """Runs a command of orientctl that must succeed."""
        run = self.rig.orientctl(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)

    def start_daemon(self):
        """Starts orientd, or the program that `Tests/peer/desktop/run --daemon` names."""
        self.rig.start_polkit(allowed=ACTIONS)
        if daemon := os.environ.get("PEER_DAEMON"):
            self.rig.spawn([daemon], env=self.rig.mocked_environment())
        else:
            self.rig.start_orientd(configuration=CONFIGURATION)
        wait_until(lambda: self.client.owner(SENSOR_PROXY), f"{SENSOR_PROXY} is on the bus")


class ShellTestCase(DesktopTestCase):
    """Tests a shell that runs in the compositor phoc, which runs in a window of an X server without a screen.

    The X server provides a keyboard, a pointer and a touch screen. Headless compositors have none of them, and without
    them phosh and mutter do not rotate anything.
    """

    # Where the shell keeps its settings: the backend of GSettings.
    settings = "memory"

    def start_phoc(self):
        """Starts a session bus and phoc; programs that are started with self.environment run in it."""
        runtime = self.rig.directory / "runtime"
        runtime.mkdir(mode=0o700)
        configuration = self.rig.directory / "phoc.ini"
        configuration.write_text("[core]\nxwayland=false\n")
        self.environment = dict(
            self.rig.plain_environment,
            XDG_RUNTIME_DIR=str(runtime),
            HOME=str(self.rig.directory),
            GSETTINGS_BACKEND=self.settings,
            NO_AT_BRIDGE="1",
            WLR_BACKENDS="x11",
            WLR_RENDERER="pixman",
        )
        self.session_bus = self.answer(["dbus-daemon", "--session", "--nofork", "--print-address"])
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.session_bus
        self.start_x_server("Xvfb")
        self.start(["phoc", "-C", configuration])
        self.environment["WAYLAND_DISPLAY"] = "wayland-0"
        wait_until((runtime / "wayland-0").exists, "phoc runs", START)

    def start_x_server(self, *command):
        """Starts an X server; programs that are started later run in it."""
        self.environment["DISPLAY"] = ":" + self.answer([*command, "-displayfd", "1", "-nolisten", "tcp"])

    def start(self, command):
        """Starts a program of the desktop."""
        with open(self.rig.directory / f"{os.path.basename(command[0])}.log", "wb") as log:
            self.rig.spawn(command, env=self.environment, stdout=log, stderr=log)

    def answer(self, command):
        """Starts a server and returns its first line of output; at the end it gets SIGTERM, so that it can clean up."""
        server = self.rig.spawn(command, env=self.environment, stdout=subprocess.PIPE)
        self.rig.on_close(server.terminate)
        self.rig.on_close(server.wait)
        return server.stdout.readline().decode().strip()

    def check_that_output_follows(self, transform):
        """Turns the device, which starts in landscape-left; `transform` returns the output's transform or None."""
        wait_until(lambda: transform() == "270", "the shell starts in the device's orientation", START)
        for raw, wanted in TURNS:
            self.rig.turn(raw)
            wait_until(lambda: transform() == wanted, f"the output's transform is {wanted}")

    def check_that_output_obeys(self, transform):
        """Checks that orientd's rules turn and hold the output; `transform` returns its transform or None."""
        wait_until(transform, "the shell starts", START)
        shown = [transform()]

        def wait_for(wanted):
            def is_shown():
                if (now := transform()) != shown[-1]:
                    shown.append(now)
                return now == wanted

            wait_until(is_shown, f"the output's transform is {wanted}", START)
            self.assertLessEqual(len(shown), 2, shown)
            del shown[:-1]

        self.check_that_rules_apply(wait_for)

    def print_logs(self):
        super().print_logs()
        for name in ("phoc", "phosh", "mutter", "orient-agent"):
            log = self.rig.directory / f"{name}.log"
            if log.exists():
                print(f"\n{log.name}:\n{log.read_text(errors='replace')[-3000:]}")
