# SPDX-License-Identifier: Apache-2.0
"""Wrong command lines: each program says in the same way what is wrong, and what to do."""

import subprocess
import unittest

from rig import BUILD

USAGE = 2
DAEMONS = ("orientd", "orient-agent", "orientd-tablet-switch")


class Options(unittest.TestCase):
    def assert_misuse(self, program, argument, problem):
        with self.subTest(program, argument=argument):
            run = subprocess.run([BUILD / program, argument], capture_output=True, text=True, timeout=10, check=False)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (USAGE, "", f"{program}: {problem}\n"))

    def test_wrong_options(self):
        for program in (*DAEMONS, "orientctl"):
            hint = f"; try: {program} --help"
            for argument, problem in (
                ("--frobnicate", f"unknown option '--frobnicate'{hint}"),
                ("-x", f"unknown option '-x'{hint}"),
            ):
                self.assert_misuse(program, argument, problem)

    def test_what_is_right_is_named(self):
        for program in (*DAEMONS, "orientctl"):
            self.assert_misuse(program, "--hepl", "unknown option '--hepl'; did you mean '--help'?")
            self.assert_misuse(program, "--help=x", f"option '--help' takes no value; try: {program} --help")
        self.assert_misuse("orientd", "--re", "'--re' is ambiguous: --replace or --record; try: orientd --help")

    def test_operands_of_programs_that_have_none(self):
        for program in DAEMONS:
            self.assert_misuse(program, "now", f"unexpected argument 'now'; try: {program} --help")

    def test_values(self):
        bus = "use system, session or a D-Bus address"
        for program, argument, problem in (
            ("orientd", "--config", "option '--config' needs a value; try: orientd --help"),
            ("orientd", "--bus=x", f"--bus=x: {bus}"),
            ("orientd", "--rate=0", "--rate=0: use a number of Hz from 1 to 1000"),
            ("orient-agent", "--bus=x", f"--bus=x: {bus}"),
            ("orient-agent", "--backend=x", "--backend=x: use auto, wlr, niri or x11"),
            ("orientctl", "--bus=x", f"--bus=x: {bus}"),
        ):
            self.assert_misuse(program, argument, problem)

    def test_help(self):
        for program in (*DAEMONS, "orientctl"):
            with self.subTest(program):
                run = subprocess.run([BUILD / program, "--help"], capture_output=True, text=True, timeout=10, check=False)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertTrue(run.stdout.startswith(f"Usage: {program} [OPTION]..."), run.stdout)
                self.assertIn("-h, --help", run.stdout)
