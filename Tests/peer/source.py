#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Downloads the public tests of iio-sensor-proxy, from its newest Debian source package, to .build/peer.

The tests are under the GPL: they are downloaded and run, but never changed or copied into this source tree. Only the
folder tests/ is unpacked, so that no contributor reads the other sources. Exits with 3 if no Debian mirror answers.
"""

import pathlib
import shutil
import subprocess
import sys
import tarfile

VERSION = "3.9"
ARCHIVE = f"iio-sensor-proxy_{VERSION}.orig.tar.bz2"
SHA256 = "19a4ae99b1b8af603fc789841025f9747bf445418d69ec7389e75adb6c8186bf"
POOL = "pool/main/i/iio-sensor-proxy"

WORK = pathlib.Path(__file__).resolve().parents[2] / ".build" / "peer"
UNAVAILABLE = 3


class Unavailable(Exception):
    """No mirror answers; the text says why."""


class Superseded(Exception):
    """The mirror does not have the pinned version, or no longer."""


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
        raise Unavailable(f"cannot ask apt for the Debian mirror: {error}") from error
    if not listing:
        raise Unavailable("apt has no Debian mirror: run apt-get update on Debian")
    return listing[0]


def download(address, archive):
    """Downloads the pinned archive with apt's helper. Raises Unavailable or Superseded."""
    helper = ["/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=root", "download-file"]
    result = subprocess.run(
        [*helper, address, archive, f"SHA256:{SHA256}"], check=False, capture_output=True, text=True
    )
    if result.returncode == 0:
        return
    if " 404 " in result.stderr or "Hash Sum mismatch" in result.stderr:
        raise Superseded(f"pin a newer version in {__file__}: {result.stderr.strip()}")
    raise Unavailable(result.stderr.strip())


def fetch():
    """Returns the source tree, which contains only tests/. Raises Unavailable or Superseded."""
    tree = WORK / f"iio-sensor-proxy-{VERSION}"
    if (tree / "tests").is_dir():
        return tree
    WORK.mkdir(parents=True, exist_ok=True)
    archive = WORK / ARCHIVE
    download(f"{mirror()}{POOL}/{ARCHIVE}", archive)
    # Unpack elsewhere and rename, so that an interrupted run does not leave an incomplete tree.
    partial = tree.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(archive) as tar:
        members = [member for member in tar if pathlib.PurePath(member.name).parts[1:2] == ("tests",)]
        tar.extractall(partial, members)
    (partial / tree.name).rename(tree)
    partial.rmdir()
    archive.unlink()
    return tree


def main():
    """Downloads the tests and returns the exit status."""
    try:
        fetch()
    except (Unavailable, Superseded) as reason:
        print(f"cannot download the tests of iio-sensor-proxy {VERSION}: {reason}")
        return UNAVAILABLE if isinstance(reason, Unavailable) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
