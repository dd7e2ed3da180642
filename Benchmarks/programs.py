# SPDX-License-Identifier: Apache-2.0
"""The programs that are compared: orientd and iio-sensor-proxy."""

import dataclasses
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIGURATION = SOURCE_ROOT / "Benchmarks" / "orientd.conf"
TREES = SOURCE_ROOT / ".build" / "bench"
PEER = "iio-sensor-proxy"
# Debian's releases whose iio-sensor-proxy is measured.
SUITES = ("bookworm", "sid")


@dataclasses.dataclass(frozen=True)
class Program:
    """A daemon to measure and its names on the bus."""

    title: str
    executable: pathlib.Path
    # What starts it, with its arguments.
    command: tuple
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
    executable = pathlib.Path(os.environ["ORIENTD_BUILD"]) / "orientd"
    return Program(
        title="orientd",
        executable=executable,
        command=(executable, "--config", CONFIGURATION),
        name="org.orientd1",
        path="/org/orientd1",
        interface="org.orientd1.Manager",
        claim="Claim",
        orientation="DeviceOrientation",
        actions=("org.orientd1.claim", "org.orientd1.request"),
        broadcasts=True,
    )


def iio_sensor_proxy(tree):
    """Returns the one in a tree, which runs with the loader and the libraries of its release."""
    changes = gzip.decompress((tree / "usr/share/doc" / PEER / "changelog.Debian.gz").read_bytes()).decode()
    version = re.match(r"\S+ \(([\d.]+)", changes)[1]
    executable = next(path for folder in ("libexec", "sbin") for path in tree.glob(f"usr/{folder}/{PEER}"))
    libraries = [path for folder in ("lib", "usr/lib") for path in tree.glob(f"{folder}/*-linux-gnu")]
    loader = next(path for folder in libraries for path in folder.glob("ld-linux*"))
    return Program(
        title=f"{PEER} {version}",
        executable=executable,
        command=(loader, "--library-path", ":".join(map(str, libraries)), executable),
        name="net.hadess.SensorProxy",
        path="/net/hadess/SensorProxy",
        interface="net.hadess.SensorProxy",
        claim="ClaimAccelerometer",
        orientation="AccelerometerOrientation",
        actions=("net.hadess.SensorProxy.claim-sensor",),
        broadcasts=False,
    )


def provide_peers():
    """Unpacks iio-sensor-proxy with its libraries from Debian's releases below .build; installs nothing."""
    for suite in SUITES:
        if (TREES / suite).is_dir():
            continue
        new = TREES / f"{suite}.new"
        shutil.rmtree(new, ignore_errors=True)
        # The signature of a mirror's copy of sid expires within days.
        options = [f"--include={PEER}", '--aptopt=Acquire::Check-Valid-Until "false"']
        subprocess.run(["mmdebstrap", "--quiet", "--variant=extract", *options, suite, new], check=True)
        new.rename(TREES / suite)


def programs():
    """Returns {title: Program}, with orientd first."""
    found = [orientd(), *(iio_sensor_proxy(TREES / suite) for suite in SUITES)]
    return {program.title: program for program in found}
