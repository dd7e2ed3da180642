# SPDX-License-Identifier: Apache-2.0
"""The public tests of iio-sensor-proxy, as its newest Debian source package has them.

They are fetched, run and never changed or copied into this tree: they are GPL. Nothing but the folder tests/ is
unpacked, so that nobody who works here comes to read the rest.
"""

import pathlib
import shutil
import subprocess
import tarfile

VERSION = "3.9"
ARCHIVE = f"iio-sensor-proxy_{VERSION}.orig.tar.bz2"
SHA256 = "19a4ae99b1b8af603fc789841025f9747bf445418d69ec7389e75adb6c8186bf"
POOL = "pool/main/i/iio-sensor-proxy"


class Unavailable(Exception):
    """The package cannot be had here; says why."""


def mirror():
    """Returns the address of the Debian mirror that apt uses."""
    try:
        listing = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unavailable(f"apt does not say where Debian's packages are: {error}") from error
    if not listing:
        raise Unavailable("apt knows of no Debian mirror: run apt-get update on Debian")
    return listing[0]


def fetch(folder):
    """Returns the source tree under `folder`, with tests/ alone; downloads it once. Throws Unavailable."""
    tree = pathlib.Path(folder) / f"iio-sensor-proxy-{VERSION}"
    if (tree / "tests").is_dir():
        return tree
    archive = tree.parent / ARCHIVE
    archive.parent.mkdir(parents=True, exist_ok=True)
    address = f"{mirror()}{POOL}/{ARCHIVE}"
    download = subprocess.run(
        ["/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=root", "download-file", address, archive, f"SHA256:{SHA256}"],
        check=False,
        capture_output=True,
        text=True,
    )
    if download.returncode != 0:
        raise Unavailable(f"cannot fetch {address}: {download.stderr.strip()}")
    # In one step, so that an interrupted run leaves no half of it behind.
    partial = tree.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(archive) as tar:
        members = [member for member in tar if pathlib.PurePath(member.name).parts[1:2] == ("tests",)]
        tar.extractall(partial, members)
    (partial / tree.name).rename(tree)
    partial.rmdir()
    return tree
