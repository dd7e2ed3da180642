# SPDX-License-Identifier: Apache-2.0
"""The programs that are compared: orientd and iio-sensor-proxy."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIGURATION = SOURCE_ROOT / "Benchmarks" / "orientd.conf"
UNPACKED = SOURCE_ROOT / ".build" / "bench" / "iio-sensor-proxy"
PEER = "iio-sensor-proxy"


@dataclasses.dataclass(frozen=True)
class Program:
    """A daemon to measure and its names on the bus."""

    title: str
    executable: pathlib.Path
    arguments: tuple
    name: str
    path: str
    interface: str
    claim: str
    orientation: str
    actions: tuple
    # Whether every listener hears of a change; otherwise only those that have claimed the sensor do.
    broadcasts: bool

    def stripped_size(self):
        """Returns the size of the executable without symbols, in bytes."""
        with tempfile.NamedTemporaryFile() as stripped:
            subprocess.run(["strip", "-o", stripped.name, self.executable], check=True)
            return os.stat(stripped.name).st_size


def orientd():
    return Program(
        title="orientd",
        executable=pathlib.Path(os.environ["ORIENTD_BUILD"]) / "orientd",
        arguments=("--config", str(CONFIGURATION)),
        name="org.orientd1",
        path="/org/orientd1",
        interface="org.orientd1.Manager",
        claim="Claim",
        orientation="DeviceOrientation",
        actions=("org.orientd1.claim", "org.orientd1.request"),
        broadcasts=True,
    )


def iio_sensor_proxy(executable):
    return Program(
        title=PEER,
        executable=executable,
        arguments=(),
        name="net.hadess.SensorProxy",
        path="/net/hadess/SensorProxy",
        interface="net.hadess.SensorProxy",
        claim="ClaimAccelerometer",
        orientation="AccelerometerOrientation",
        actions=("net.hadess.SensorProxy.claim-sensor",),
        broadcasts=False,
    )


def provide_peer():
    """Unpacks the distribution's package of iio-sensor-proxy below .build, unless it is installed; installs nothing."""
    if find_peer() or not shutil.which("apt-get"):
        return
    UNPACKED.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(["apt-get", "download", "-q", PEER], cwd=UNPACKED, stdout=subprocess.DEVNULL, check=False)
    for package in UNPACKED.glob("*.deb") if result.returncode == 0 else ():
        subprocess.run(["dpkg-deb", "-x", package, UNPACKED], check=True)


def find_peer():
    """Returns the path of iio-sensor-proxy, which is unpacked if it is not installed, or None."""
    for root in (pathlib.Path("/"), UNPACKED):
        for folder in ("usr/libexec", "usr/sbin", "usr/lib"):
            if (root / folder / PEER).is_file():
                return root / folder / PEER
    return None


def programs():
    """Returns {title: Program}; iio-sensor-proxy may be missing."""
    found = [orientd()]
    if peer := find_peer():
        found.append(iio_sensor_proxy(peer))
    return {program.title: program for program in found}


def peer_version():
    """Returns the version of the package whose program is measured, or None."""
    peer = find_peer()
    if peer and peer.is_relative_to(UNPACKED):
        command = ["dpkg-deb", "-f", next(UNPACKED.glob("*.deb")), "Version"]
    else:
        command = ["dpkg-query", "-W", "-f", "${Version}", PEER]
    try:
        version = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.sub(r"-.*", "", version.strip())
