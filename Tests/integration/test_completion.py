# SPDX-License-Identifier: Apache-2.0
"""The completions of orientctl, typed into the real shells."""

import os
import pathlib
import re
import shutil
import subprocess

from rig import BUILD, RigTestCase, wait_until

TAB = "\t"


class CompletionTestCase(RigTestCase):
    SHELL = None

    def setUp(self):
        super().setUp()
        self.program = shutil.which(self.SHELL)
        self.assertIsNotNone(self.program, f"{self.SHELL} is not installed")
        self.home = self.rig.directory / "home"
        self.home.mkdir()
        (self.home / "trace one.csv").touch()
        self.script = subprocess.check_output([BUILD / "orientctl", "completion", self.SHELL], text=True)
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{BUILD}:{os.environ['PATH']}",
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "200",
        }

    def start_shell(self, *command, setup):
        """Starts a shell on a terminal and has it run `setup`."""
        self.controller, terminal = os.openpty()
        self.addCleanup(os.close, self.controller)
        self.rig.spawn(
            [self.program, *command],
            env=self.environment,
            cwd=self.home,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        os.set_blocking(self.controller, False)
        self.text = ""
        self.type(f"{setup}; echo rea''dy\n")
        wait_until(lambda: "ready" in self.read(), "the shell is ready")

    def type(self, text):
        os.write(self.controller, text.encode())

    def read(self):
        try:
            while chunk := os.read(self.controller, 65536):
                self.text += chunk.decode(errors="replace")
        except (BlockingIOError, OSError):
            pass
        return self.text

    def assert_inserts(self, line, rest):
        """Types a line and a tab, and waits until the shell has added `rest`; then deletes the line."""
        self.press_tab(line, lambda text: line + rest in text, rest)

    def assert_lists(self, line, *words):
        """Types a line and tabs, and waits until the shell lists these words; then deletes the line."""
        self.press_tab(line + TAB, lambda text: set(words) <= set(text.replace(line, " ").split()), words)

    def press_tab(self, line, is_done, expected):
        self.text = ""
        self.type(line + TAB)

        def text():
            return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x07", "", self.read())

        try:
            wait_until(lambda: is_done(text()), "the completions")
        except AssertionError as error:
            raise AssertionError(f"{self.SHELL} completes {line!r} as {text()!r}, not {expected!r}") from error
        self.type("\x15\n")  # Ctrl-U

    def assert_completes(self, explanation):
        """Checks a shell on a terminal; it shows `explanation` beside commands."""
        self.assert_inserts("orientctl stat", "us ")
        self.assert_lists("orientctl re", "record", *explanation, "replay", "requests")
        self.assert_lists("orientctl lock ", "current", "left-up", "off", "toggle", "landscape-left")
        self.assert_lists("orientctl --json autorotate ", "auto", "always", "tablet-mode", "never")
        self.assert_lists("orientctl monitor --", "--full", "--waybar", "--json", "--bus=")
        self.assert_inserts("orientctl run --preferred=landscape-l", "eft")
        self.assert_lists("orientctl --bus=", "system", "session")
        self.assert_lists("orientctl -b session replay --classifier=", "robust", "base")
        self.assert_inserts("orientctl replay tr", "ace\\ one.csv")
        self.assert_lists("orientctl get Interface", "InterfaceOrientation", "InterfaceReason", "InterfaceRule")
        self.assert_inserts("orientctl monitor InterfaceOrientation RotationL", "ock")
        self.assert_inserts("orientctl help cal", "ibrate")
        self.assert_lists("orientctl completion ", "bash", "fish", "zsh")
        self.assert_inserts("orientctl run --supported=all mkdi", "r")
        self.assert_inserts("orientctl -b session run --supported all cat tr", "ace\\ one.csv")
        self.assert_inserts("orientctl -b session unl", "ock ")
        self.assert_inserts("orientctl --bus=unix:path=/x unl", "ock ")
        self.assert_inserts("orientctl -- unl", "ock ")
        self.assert_inserts("orientctl run --supported=normal,landscape-l", "eft")


class Bash(CompletionTestCase):
    SHELL = "bash"

    def setUp(self):
        super().setUp()
        path = self.home / "completion"
        path.write_text(self.script)
        self.start_shell(
            "--norc", "--noprofile", "-i", setup=f"bind 'set show-all-if-ambiguous on'; source {path}"
        )

    def test_completions(self):
        self.assert_completes(())


class Zsh(CompletionTestCase):
    SHELL = "zsh"

    def setUp(self):
        super().setUp()
        folder = self.home / "functions"
        folder.mkdir()
        (folder / "_orientctl").write_text(self.script)
        setup = f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u; LISTMAX=1000; unsetopt zle_bracketed_paste"
        self.start_shell("-f", "-i", setup=setup)

    def test_completions(self):
        self.assert_completes(("accelerometer's",))


class Fish(CompletionTestCase):
    SHELL = "fish"

    def completions(self, line):
        """Returns what fish completes, as {word: description}."""
        folder = pathlib.Path(self.home) / ".config" / "fish" / "completions"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "orientctl.fish").write_text(self.script)
        run = subprocess.run(
            [self.program, "-c", f"complete -C {line!r}"],
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(run.stderr, "")
        return dict((row + "\t").split("\t")[:2] for row in run.stdout.splitlines())

    def test_completions(self):
        self.assertEqual(set(self.completions("orientctl re")), {"record", "replay", "requests"})
        self.assertEqual(self.completions("orientctl unl"), {"unlock": "release the lock"})
        self.assertEqual(set(self.completions("orientctl -b session unl")), {"unlock"})
        autorotate = "set when the interface follows the device"
        self.assertEqual(self.completions("orientctl autor"), {"autorotate": autorotate})
        source = self.completions("orientctl record --sour")["--source="]
        self.assertEqual(source, "record SOURCE: auto, iio, iio:URI, replay:FILE or simulate")
        locks = {"current", "off", "toggle", "portrait", "left-up", "normal"}
        self.assertLessEqual(locks, set(self.completions("orientctl lock ")))
        self.assertEqual(set(self.completions("orientctl --json autorotate ")), {"auto", "always", "tablet-mode", "never"})
        modes = {"auto", "laptop", "tablet", "toggle"}
        self.assertEqual(set(self.completions("orientctl tablet-mode ")), modes)
        options = {"--full", "--waybar", "--json", "--bus="}
        self.assertLessEqual(options, set(self.completions("orientctl monitor --")))
        self.assertIn("RotationLock", self.completions("orientctl monitor InterfaceOrientation RotationL"))
        self.assertIn("--preferred=landscape-left", self.completions("orientctl run --preferred=landscape-l"))
        self.assertEqual(set(self.completions("orientctl -b ")), {"system", "session"})
        self.assertIn("trace one.csv", {word.replace("\\", "") for word in self.completions("orientctl replay tr")})
        self.assertEqual(set(self.completions("orientctl help cal")), {"calibrate"})
        self.assertIn("mkdir", self.completions("orientctl run --supported=all mkdi"))
        after = self.completions("orientctl -b session run --supported all mkdir --par")
        self.assertEqual(set(after), {"--parents"})
        self.assertEqual(self.completions("orientctl run --supported=all mkdir --supp"), {})
        self.assertEqual(set(self.completions("orientctl run --supp")), {"--supported="})
        self.assertEqual(self.completions("orientctl lock current "), {})
        self.assertNotIn("current", self.completions("orientctl help lock "))
        masks = self.completions("orientctl run --supported=normal,landscape-l")
        self.assertEqual(set(masks), {"--supported=normal,landscape-left"})
