# SPDX-License-Identifier: Apache-2.0
"""Compares the members of D-Bus interfaces, and names those that differ."""


def differences(expected, found, file):
    """Yields a line for each member that a file lacks, has in excess, or describes otherwise than orientd.

    Both are {name: description}; a name may be a tuple of words, such as ("property", "Claims").
    """
    for name in sorted(expected.keys() | found.keys()):
        words = name if isinstance(name, str) else " ".join(name)
        if name not in found:
            yield f"{words} is missing in {file}"
        elif name not in expected:
            yield f"{words} in {file} does not exist in orientd"
        elif found[name] != expected[name]:
            yield f"{words} is {found[name]} in {file}, but {expected[name]} in orientd"


def assert_same_members(test, expected, found, file):
    """Fails with one line for each member that differs."""
    lines = list(differences(expected, found, file))
    if lines:
        test.fail("\n" + "\n".join(lines))
