# SPDX-License-Identifier: Apache-2.0
"""What a desktop finds on the system bus: orientd as net.hadess.SensorProxy, or what is named in its place."""

import os

from rig import RigTestCase, accelerometer, wait_until

SENSOR_PROXY = "net.hadess.SensorProxy"
SENSOR_PROXY_PATH = "/net/hadess/SensorProxy"
CLAIM_SENSOR = "net.hadess.SensorProxy.claim-sensor"
CONFIGURATION = "[Orientation]\nSensorProxy=yes\n"


def tablet(**options):
    """Returns a polled accelerometer that both daemons find."""
    return accelerometer(properties={"IIO_SENSOR_PROXY_TYPE": "iio-poll-accel"}, **options)


class DesktopTestCase(RigTestCase):
    """A test of a client of net.hadess.SensorProxy, which polkit allows to claim."""

    def start_daemon(self):
        """Starts orientd, or the program that `Tests/peer/desktop/run --daemon` names."""
        self.rig.start_polkit(allowed=(CLAIM_SENSOR,))
        if daemon := os.environ.get("PEER_DAEMON"):
            self.rig.spawn([daemon], env=self.rig.mocked_environment())
        else:
            self.rig.start_orientd(configuration=CONFIGURATION)
        wait_until(lambda: self.client.owner(SENSOR_PROXY), f"{SENSOR_PROXY} is on the bus")
