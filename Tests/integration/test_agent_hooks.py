# SPDX-License-Identifier: Apache-2.0
"""The executables that the agent runs when the display is rotated, the tablet mode changes, or the lock does."""

import contextlib
import os
import pathlib
import resource
import signal
import time

from agent_session import AgentTestCase, monitor, panel
from evdev import EventNode, event_node
from rig import LIBC, PYTHON, wait_until

TABLET = 2
CLONE_NEWNS, CLONE_NEWUSER, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x10000000, 0x1000, 0x4000, 0x40000

# The facts in the order in which RECORD writes them.
FACTS = ("EVENT", "OUTPUT", "TRANSFORM", "INTERFACE_ORIENTATION", "DEVICE_ORIENTATION", "TABLET_MODE", "ROTATION_LOCK")
RECORD = 'echo "$0|$#|$1|' + "|".join(f"$ORIENTD_{name}" for name in FACTS) + '" >>"$FOLDER/records"\n'

# Waits until the test removes the gate.
WAIT = 'while [ -e "$FOLDER/gate" ]; do sleep 0.01; done\n'


def system_folder(folder):
    """Returns a function that gives the calling process a view of the system in which /etc is `folder`."""

    def mount(source, target, flags):
        if LIBC.mount(source, target, None, flags, None) != 0:
            raise OSError("cannot mount")

    def enter():
        user, group = os.geteuid(), os.getegid()
        if LIBC.unshare(CLONE_NEWNS) != 0:
            if LIBC.unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0:
                raise OSError("no mount namespace: neither root nor user namespaces")
            pathlib.Path("/proc/self/setgroups").write_text("deny")
            pathlib.Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            pathlib.Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        mount(None, b"/", MS_REC | MS_PRIVATE)
        mount(str(folder).encode(), b"/etc", MS_BIND)

    return enter


def is_alive(pid):
    """Returns whether a process runs; a dead one may be a zombie of the process that adopted it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid):
    """Returns the processes whose parent is `pid`, zombies included."""
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


class HookTestCase(AgentTestCase):
    def open_rig(self):
        super().open_rig()
        self.folder = self.home / ".config" / "orientd" / "hooks.d"
        self.folder.mkdir(parents=True)

    def environment(self):
        return super().environment() | {"FOLDER": str(self.rig.directory)}

    def add(self, name, *lines, folder=None, start="#!/bin/sh\n", mode=0o755):
        """Adds a hook."""
        path = (folder or self.folder) / name
        path.write_text(start + "".join(f"{line}\n" for line in lines))
        path.chmod(mode)
        return path

    def add_for(self, event, name, *lines):
        """Adds a hook that does nothing but for one event."""
        return self.add(name, f'[ "$1" = {event} ] || exit 0', *lines)

    def close_gate(self):
        """Lets hooks with WAIT wait until open_gate()."""
        (self.rig.directory / "gate").touch()

    def open_gate(self):
        (self.rig.directory / "gate").unlink()

    def records(self, event=None):
        """Returns the facts of each run of RECORD so far, and of an event only if one is given."""
        try:
            lines = (self.rig.directory / "records").read_text().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            path, count, argument, *facts = line.split("|")
            facts = dict(zip(FACTS, facts, strict=True))
            self.assertEqual((count, argument), ("1", facts["EVENT"]))
            if event in (None, argument):
                found.append({"path": path} | facts)
        return found

    def wait_for_records(self, event, count=1):
        """Waits for that many runs of RECORD for an event and returns their facts."""
        return wait_until(lambda: len(self.records(event)) >= count and self.records(event), f"{count} runs for {event}")

    def facts(self, event):
        """Returns what a hook is to be told now."""
        return {
            "EVENT": event,
            "OUTPUT": "eDP-1",
            "TRANSFORM": self.client.get("OutputTransform"),
            "INTERFACE_ORIENTATION": self.client.get("InterfaceOrientation"),
            "DEVICE_ORIENTATION": self.client.get("DeviceOrientation"),
            "TABLET_MODE": self.client.get("TabletMode"),
            "ROTATION_LOCK": self.client.get("RotationLock"),
        }

    def read_number(self, name):
        """Waits for a number that a hook writes into a file."""
        path = self.rig.directory / name
        return int(wait_until(lambda: path.exists() and path.read_text().strip(), name))

    def kill_at_end(self, pid):
        """Kills a process that a hook has left when the rig closes."""

        def end():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        self.rig.on_close(end)


class Events(HookTestCase):
    def assert_told(self, event, count):
        """Waits for the run with that number and checks what it is told."""
        record = self.wait_for_records(event, count)[-1]
        self.assertEqual(record, {"path": str(self.folder / "record")} | self.facts(event))
        self.assertEqual(len(self.records(event)), count)

    def test_rotation_runs_them_before_and_after(self):
        self.add("record", RECORD)
        self.start_session()
        for count, held in enumerate(("landscape-left", "portrait-upside-down", "portrait"), 1):
            self.show(held)
            self.assert_told("rotate-before", count)
            self.assert_told("rotate-after", count)
        self.assertEqual([record["TRANSFORM"] for record in self.records("rotate-before")], ["270", "180", "normal"])
        self.assertEqual(self.records("lock") + self.records("tablet-mode"), [])

    def test_lock_runs_them(self):
        self.add("record", RECORD)
        self.start_session()
        for count, command in enumerate((["lock"], ["unlock"], ["lock", "landscape-left"]), 1):
            self.control(*command)
            self.assert_told("lock", count)
        self.assertEqual(len({record["ROTATION_LOCK"] for record in self.records("lock")}), 3)

    def test_tablet_mode_runs_them_also_at_the_start(self):
        self.add("record", RECORD)
        self.rig.add_device(event_node(attributes={"capabilities/sw": f"{TABLET:x}"}))
        node = EventNode(self.rig, switches=TABLET)
        self.start_session()
        self.client.wait_for("DeviceOrientation", "portrait")
        record = self.wait_for_records("tablet-mode")[0]
        self.assertEqual((record["TABLET_MODE"], record["OUTPUT"]), ("tablet", "eDP-1"))
        for count, switches in ((2, 0), (3, TABLET)):
            node.switch(switches)
            self.assert_told("tablet-mode", count)

    def test_rotation_that_moves_neighbours_is_one_rotation(self):
        self.add("record", RECORD)
        agent = self.start_session(panel(), monitor())
        for count, held in enumerate(("landscape-left", "portrait-upside-down", "portrait"), 1):
            self.show(held)
            self.wait_until_tight()
            self.wait_for_records("rotate-after", count)
            wait_until(lambda: not children(agent.pid), "the hooks have ended")
            self.wait_until_idle(agent)
            self.assertEqual([len(self.records(event)) for event in ("rotate-before", "rotate-after")], [count, count])

    def test_correction_of_a_panel_that_comes_back_unrotated_runs_only_those_after_it(self):
        self.add("record", RECORD)
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.assert_told("rotate-after", 1)
        for count in (2, 3):
            self.compositor.change("eDP-1", enabled=False)
            self.wait_until_idle(agent)
            self.compositor.change("eDP-1", enabled=True, transform="normal")
            self.wait_for_transform("270")
            self.assert_told("rotate-after", count)
        self.assertEqual(len(self.records("rotate-before")), 1)

    def test_refused_rotation_has_no_hooks_after_it(self):
        self.add("record", RECORD)
        agent = self.start_session()
        self.compositor.refuses = lambda change: (change.heads["eDP-1"] or {}).get("transform") == "270"
        self.hold("landscape-left")
        agent.wait_for_warning("eDP-1")
        self.show("landscape-right")
        self.wait_for_records("rotate-after")
        self.assertEqual([record["TRANSFORM"] for record in self.records("rotate-before")], ["270", "90"])
        self.assertEqual([record["TRANSFORM"] for record in self.records("rotate-after")], ["90"])

    def test_outputs_that_come_and_go_run_them(self):
        self.add_for("outputs", "record", 'echo "$ORIENTD_OUTPUT:$ORIENTD_OUTPUTS" >>"$FOLDER/outputs"')
        self.start_session()
        self.show("landscape-left")
        record = self.rig.directory / "outputs"
        self.compositor.plug(monitor())
        wait_until(lambda: record.exists() and record.read_text() == "eDP-1:eDP-1 HDMI-A-1\n", "a run for the monitor")
        self.compositor.unplug("HDMI-A-1")
        wait_until(lambda: record.read_text().endswith("\neDP-1:eDP-1\n"), "a run for its end")

    def test_restoring_at_the_end_runs_none(self):
        self.add("record", RECORD)
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_for_records("rotate-after")
        wait_until(lambda: not children(agent.pid), "the hooks have ended")
        # A hook would outlive the agent, and be told what orientd says instead of what is restored.
        self.add("record", "exec sleep 1000")
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")
        self.assertEqual(self.hook_processes(), [])

    def hook_processes(self):
        """Returns the processes that have the environment of a hook of this test."""
        mark = f"FOLDER={self.rig.directory}".encode()
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                variables = (path / "environ").read_bytes().split(b"\0")
                if mark in variables and any(one.startswith(b"ORIENTD_EVENT=") for one in variables):
                    found.append(int(path.name))
        for pid in found:
            self.kill_at_end(pid)
        return found

    def test_nothing_runs_without_an_event(self):
        self.add("record", RECORD)
        agent = self.start_session()
        self.compositor.publish_unchanged()
        self.wait_until_idle(agent)
        self.assertEqual(self.records(), [])


class Files(HookTestCase):
    def test_names_have_no_meaning_for_a_shell(self):
        names = ("a b", "$HOME", "$(touch evil)", "x; touch evil", "'", "-n", "*", "é")
        for name in names:
            self.add(name, RECORD)
        self.start_session()
        self.show("landscape-left")
        records = self.wait_for_records("rotate-after", len(names))
        self.assertEqual(sorted(record["path"] for record in records), sorted(str(self.folder / name) for name in names))
        self.assertEqual(list(self.home.rglob("evil")), [])

    def test_script_without_an_interpreter_is_one_warning(self):
        self.add("bare", "touch $FOLDER/shell", start="")
        self.add("record", RECORD)
        agent = self.start_session()
        self.control("lock")
        agent.wait_for_warning(str(self.folder / "bare"), "no script with an interpreter, as in #!/bin/sh")
        self.wait_for_records("lock")
        self.assertFalse((self.rig.directory / "shell").exists())

    def test_files_of_the_user_hide_those_of_the_system(self):
        system = self.rig.directory / "etc" / "orientd" / "hooks.d"
        system.mkdir(parents=True)
        for name in ("both", "system", "disabled", "masked"):
            self.add(name, RECORD, folder=system)
        for name in ("both", "user"):
            self.add(name, RECORD)
        self.add("disabled", RECORD, mode=0o644)
        (self.folder / "masked").symlink_to("/dev/null")
        self.start(claim=False, environment={"STATE_DIRECTORY": str(self.state)})
        self.start_compositor(panel())
        self.start_agent(before_exec=system_folder(self.rig.directory / "etc"))
        self.control("lock")
        records = self.wait_for_records("lock", 3)
        expected = [str(self.folder / "both"), "/etc/orientd/hooks.d/system", str(self.folder / "user")]
        self.assertEqual(sorted(record["path"] for record in records), sorted(expected))

    def test_only_executable_files_run(self):
        self.add("plain", RECORD, mode=0o644)
        self.add(".hidden", RECORD)
        self.add("backup~", RECORD)
        (self.folder / "folder").mkdir()
        (self.folder / "dangling").symlink_to(self.home / "missing")
        target = self.add("target", RECORD, folder=self.home)
        (self.folder / "link").symlink_to(target)
        self.start_session()
        self.show("landscape-left")
        records = self.wait_for_records("rotate-after")
        self.assertEqual([record["path"] for record in records], [str(self.folder / "link")])

    def test_hook_that_is_added_later_runs(self):
        self.start_session()
        self.show("landscape-left")
        self.add("record", RECORD)
        self.show("portrait")
        self.wait_for_records("rotate-after")

    def test_xdg_config_home_replaces_the_folder(self):
        folder = self.rig.directory / "configuration" / "orientd" / "hooks.d"
        folder.mkdir(parents=True)
        self.add("record", RECORD, folder=folder)
        self.add("other", RECORD)
        self.start(claim=False)
        self.start_compositor(panel())
        self.start_agent(environment={"XDG_CONFIG_HOME": str(self.rig.directory / "configuration")})
        self.show("landscape-left")
        records = self.wait_for_records("rotate-after")
        self.assertEqual([record["path"] for record in records], [str(folder / "record")])


class Waiting(HookTestCase):
    def test_rotation_waits_for_the_hooks_before_it(self):
        self.add_for("rotate-before", "slow", RECORD, WAIT)
        self.close_gate()
        agent = self.start_session(settings=["HookTimeout=10"])
        self.hold("landscape-left")
        self.wait_for_records("rotate-before")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.applied(), [])
        self.open_gate()
        self.wait_for_transform("270")

    def test_rotation_does_not_wait_for_other_hooks(self):
        self.add("slow", RECORD, f'[ "$1" = rotate-before ] || {{ {WAIT}}}')
        self.close_gate()
        self.start_session(settings=["HookTimeout=10"])
        self.control("lock")
        self.wait_for_records("lock")
        self.control("rotate", "landscape-left")
        self.wait_for_records("rotate-after")
        self.control("rotate", "portrait")
        self.wait_for_transform("normal")
        self.open_gate()

    def test_hook_that_hangs_is_killed_with_its_children(self):
        lines = ("sleep 1000 &", 'echo $! >"$FOLDER/child"', 'echo $$ >"$FOLDER/parent"', "trap '' TERM", "wait")
        hook = self.add_for("rotate-before", "hang", *lines)
        agent = self.start_session(settings=["HookTimeout=0.5"])
        started = time.monotonic()
        self.hold("landscape-left")
        pids = [self.read_number("child"), self.read_number("parent")]
        for pid in pids:
            self.kill_at_end(pid)
        self.wait_for_transform("270")
        self.assertGreaterEqual(time.monotonic() - started, 0.5)
        wait_until(lambda: not any(is_alive(pid) for pid in pids), "hook and child have ended")
        self.assert_reported_once(agent, hook, "0.5")

    def test_default_timeout_is_one_second(self):
        hook = self.add_for("rotate-before", "hang", "exec sleep 1000")
        agent = self.start_session()
        started = time.monotonic()
        self.hold("landscape-left")
        self.wait_for_transform("270")
        self.assertGreaterEqual(time.monotonic() - started, 1)
        self.assert_reported_once(agent, hook)

    def assert_reported_once(self, agent, hook, *texts):
        """Checks that the agent has one warning about a hook that was killed."""
        agent.wait_for_warning(str(hook), *texts)
        wait_until(lambda: not children(agent.pid), "the hook is reaped")
        self.assertEqual(agent.new_warnings(), [])

    def test_newest_target_wins(self):
        self.add_for("rotate-before", "slow", RECORD, WAIT)
        self.close_gate()
        self.start_session(settings=["HookTimeout=10"])
        self.hold("landscape-left")
        self.wait_for_records("rotate-before")
        for held in ("portrait-upside-down", "landscape-right", "portrait-upside-down", "landscape-right"):
            self.hold(held)
        self.open_gate()
        self.wait_for_transform("90")
        self.assertEqual(self.transforms(), ["90"])
        # Once for the first target, and once more for the one that counts.
        self.assertEqual([record["TRANSFORM"] for record in self.records("rotate-before")], ["270", "90"])

    def test_hooks_that_hang_delay_the_newest_target_once_more_at_most(self):
        self.add_for("rotate-before", "hang", RECORD, "exec sleep 1000")
        agent = self.start_session(settings=["HookTimeout=3"])
        self.hold("landscape-left")
        self.wait_for_records("rotate-before")
        for held in ("portrait-upside-down", "landscape-right", "portrait-upside-down", "landscape-right"):
            self.hold(held)
        self.wait_for_transform("90")
        self.assertEqual(len(self.records("rotate-before")), 2)
        wait_until(lambda: not children(agent.pid), "the hooks are reaped")
        self.assertEqual(len(agent.new_warnings()), 2)

    def test_target_that_is_shown_already_is_no_rotation(self):
        self.add_for("rotate-before", "slow", RECORD, WAIT)
        self.add_for("rotate-after", "after", RECORD)
        self.close_gate()
        agent = self.start_session(settings=["HookTimeout=10"])
        self.hold("landscape-left")
        self.wait_for_records("rotate-before")
        self.hold("portrait")
        self.wait_until_idle(agent)
        self.open_gate()
        wait_until(lambda: not children(agent.pid), "the hooks have ended")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.applied(), [])
        self.assertEqual(len(self.records()), 1)

    def test_hook_that_hangs_does_not_delay_the_end(self):
        self.add_for("rotate-before", "slow", RECORD, WAIT)
        self.close_gate()
        agent = self.start_session(settings=["HookTimeout=10"])
        self.hold("landscape-left")
        self.wait_for_records("rotate-before")
        self.assertLess(agent.stop(), 5)
        self.assertEqual(agent.process.returncode, 0)
        self.assertEqual(self.compositor.applied(), [])
        self.open_gate()

    def test_hook_that_hangs_at_the_end_is_killed(self):
        self.add_for("rotate-before", "hang", "sleep 1000 &", 'echo $! >"$FOLDER/child"', "trap '' TERM", "wait")
        agent = self.start_session()
        self.hold("landscape-left")
        pid = self.read_number("child")
        self.kill_at_end(pid)
        agent.stop()
        wait_until(lambda: not is_alive(pid), "the hook's child has ended")


class Processes(HookTestCase):
    def test_failures_are_one_warning_each_and_the_display_is_rotated(self):
        failing = self.add_for("rotate-before", "failing", "exit 3")
        ending = self.add_for("rotate-before", "ending", "kill -TERM $$")
        agent = self.start_session()
        self.show("landscape-left")
        warnings = sorted(agent.new_warnings())
        self.assertEqual(len(warnings), 2, warnings)
        self.assertIn(str(ending), warnings[0])
        self.assertIn("signal 15", warnings[0])
        self.assertIn(str(failing), warnings[1])
        self.assertIn("exit status 3", warnings[1])

    def test_missing_interpreter_is_one_warning(self):
        missing = self.add("missing", start="#!/does/not/exist\n")
        agent = self.start_session()
        self.control("lock")
        agent.wait_for_warning(str(missing), "its interpreter or loader does not exist")

    def test_hook_that_cannot_be_watched_is_killed(self):
        agent = self.start_session(settings=["HookTimeout=10"])
        used = {int(path.name) for path in pathlib.Path(f"/proc/{agent.pid}/fd").iterdir()}
        free = min(set(range(len(used) + 1)) - used)
        # The agent has a descriptor left for its folder, and then for the watch of the first hook.
        resource.prlimit(agent.pid, resource.RLIMIT_NOFILE, (free + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        # A shell would need a descriptor above the limit.
        for name in ("first", "second"):
            self.add(name, "import time", "time.sleep(1000)", start=f"#!{PYTHON}\n")
        self.control("lock")
        agent.wait_for_warning(str(self.folder / "second"), "Too many open files")
        wait_until(lambda: sum(is_alive(int(child)) for child in children(agent.pid)) == 1, "the second has ended")

    def test_background_children_survive(self):
        self.add_for("rotate-before", "service", "sleep 1000 &", 'echo $! >"$FOLDER/child"')
        hanging = self.add_for("rotate-before", "hang", "exec sleep 1000")
        agent = self.start_session(settings=["HookTimeout=0.5"])
        self.hold("landscape-left")
        pid = self.read_number("child")
        self.kill_at_end(pid)
        agent.wait_for_warning(str(hanging))
        self.wait_for_transform("270")
        self.assertTrue(is_alive(pid))
        agent.stop()
        self.assertTrue(is_alive(pid))

    def test_signals_and_descriptors_are_as_in_a_shell(self):
        for name, command in (("signals", "cat /proc/self/status"), ("descriptors", "ls /proc/self/fd")):
            self.add_for("lock", name, f'{command} >"$FOLDER/{name}.new" && mv "$FOLDER/{name}.new" "$FOLDER/{name}"')
        self.start_session()
        self.control("lock")
        paths = [self.rig.directory / name for name in ("signals", "descriptors")]
        wait_until(lambda: all(path.exists() for path in paths), "the hooks have run")
        status = dict(line.split(":\t", 1) for line in paths[0].read_text().splitlines() if ":\t" in line)
        self.assertEqual(int(status["SigBlk"], 16), 0)
        for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            self.assertEqual(int(status["SigIgn"], 16) >> number - 1 & 1, 0, number)
        # The last one is the folder that ls reads.
        self.assertEqual(paths[1].read_text().split(), ["0", "1", "2", "3"])

    def test_no_zombie_is_left(self):
        for number in range(20):
            self.add(f"quick{number}", "exit 0")
        agent = self.start_session(settings=("HookTimeout=10",))
        for held in ("landscape-left", "portrait") * 3:
            self.show(held)
            self.control("lock")
            self.control("unlock")
        self.wait_until_idle(agent)
        # Hooks for the last change may still run; a zombie stays.
        wait_until(lambda: not children(agent.pid), "all hooks are reaped")
