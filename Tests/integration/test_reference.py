# SPDX-License-Identifier: Apache-2.0
"""The documentation matches the programs: the D-Bus reference, the example configuration and the example clients."""

import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import sensor_proxy
from agent_session import AgentTestCase
from gi.repository import Gio, GLib
from members import assert_same_members
from rig import (
    BUILD,
    LANDSCAPE_LEFT,
    MANAGER,
    PORTRAIT,
    PYTHON,
    REQUEST,
    ROOT_PATH,
    RigTestCase,
    SENSOR,
    SENSOR_PREFIX,
    SOURCE_ROOT,
    UPSIDE_DOWN,
    accelerometer,
    wait_until,
)

sys.path.insert(0, str(SOURCE_ROOT / "docs"))

import docstrings  # noqa: E402

REFERENCE = SOURCE_ROOT / "docs" / "org.orientd1.md"
README = SOURCE_ROOT / "README.md"
CLIENTS = SOURCE_ROOT / "docs" / "clients.md"
MANUAL = SOURCE_ROOT / "docs" / "orient-agent.1.scd"
DESKTOPS = SOURCE_ROOT / "docs" / "desktops.md"
DRAWING = SOURCE_ROOT / "docs" / "tablet.py"
QT_TYPE = "org.qtproject.QtDBus.QtTypeName"
EMITS_CHANGED = "org.freedesktop.DBus.Property.EmitsChangedSignal"
INTERFACES = SOURCE_ROOT / "systemd" / "dbus-1" / "interfaces"
CHANGES = {"true": "announced", "const": "constant", "false": "silent"}


def documented(interface):
    """Returns what the reference documents: {("property", name): (type, change), (kind, name): arguments}."""
    text = REFERENCE.read_text()
    (section,) = re.findall(rf"^## Interface `{re.escape(interface)}`\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    properties = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| (announced|constant|silent) \|", section, re.M)
    methods = re.findall(r"^### Method `(\w+)\((.*?)\)`$", section, re.M)
    (signals,) = re.findall(r"^### Signals\n(.*?)(?=^##|\Z)", section, re.M | re.S) or [""]
    signals = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", signals, re.M)
    return (
        {("property", name): (kind, change) for name, kind, change in properties}
        | {("method", name): arguments for name, arguments in methods}
        | {("signal", name): arguments for name, arguments in signals}
    )


def members(interface):
    """Returns the members of an element of introspection data, as text without white space between elements."""

    def canonical(element):
        return xml.etree.ElementTree.canonicalize(xml.etree.ElementTree.tostring(element), strip_text=True)

    return {(element.tag, element.get("name")): canonical(element) for element in interface}


class Reference(RigTestCase):
    def introspected(self, interface, path):
        """Returns what the daemon's introspection data says, in the format of documented()."""
        text = self.client.call("Introspect", "org.freedesktop.DBus.Introspectable", path)[0]
        root = xml.etree.ElementTree.fromstring(text)
        (element,) = [found for found in root.iter("interface") if found.get("name") == interface]
        members = {}
        for found in element:
            if found.tag == "property":
                annotations = {note.get("name"): note.get("value") for note in found.iter("annotation")}
                description = (found.get("type"), CHANGES[annotations.get(EMITS_CHANGED, "true")])
            else:
                description = ", ".join(f"{arg.get('type')} {arg.get('name')}" for arg in found.iter("arg"))
            members[found.tag, found.get("name")] = description
        return members

    def test_every_member_is_documented_and_nothing_else(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        (request,) = self.client.call("Request", arguments=GLib.Variant("(sua{sv})", ("org.example.Player", 30, {})))
        for interface, path in ((MANAGER, ROOT_PATH), (SENSOR, SENSOR_PREFIX + "0"), (REQUEST, request)):
            with self.subTest(interface):
                expected = self.introspected(interface, path)
                assert_same_members(self, expected, documented(interface), "docs/org.orientd1.md")

    def test_installed_introspection_data_is_the_daemons(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd(configuration=sensor_proxy.SERVED)
        (request,) = self.client.call("Request", arguments=GLib.Variant("(sua{sv})", ("org.example.Player", 30, {})))
        paths = {
            MANAGER: ROOT_PATH,
            SENSOR: SENSOR_PREFIX + "0",
            REQUEST: request,
            sensor_proxy.NAME: sensor_proxy.PATH,
            sensor_proxy.COMPASS: sensor_proxy.COMPASS_PATH,
        }
        self.assertEqual({path.name for path in INTERFACES.iterdir()}, {f"{interface}.xml" for interface in paths})
        for interface, path in paths.items():
            with self.subTest(interface):
                text = self.client.call("Introspect", "org.freedesktop.DBus.Introspectable", path)[0]
                root = xml.etree.ElementTree.fromstring(text)
                (served,) = [found for found in root.iter("interface") if found.get("name") == interface]
                file = INTERFACES / f"{interface}.xml"
                installed = file.read_text()
                (written,) = xml.etree.ElementTree.fromstring(installed)
                # orientd leaves out what is for code generators. That of Qt refuses a type unless it is told one.
                for element in list(written.iter()):
                    notes = {note.get("name"): note for note in element.findall("annotation")}
                    typed = {QT_TYPE: element.get("type")} if element.tag == "property" else {}
                    for direction in ("in", "out"):
                        arguments = [found for found in element.findall("arg") if found.get("direction") == direction]
                        for index, found in enumerate(arguments):
                            typed[f"{QT_TYPE}.{direction.capitalize()}{index}"] = found.get("type")
                    other = {name for name, found in typed.items() if not re.fullmatch("[bdosu]|as", found)}
                    self.assertEqual({name for name in notes if name.startswith(QT_TYPE)}, other, element.attrib)
                    for name in (*other, docstrings.ANNOTATION):
                        if name in notes:
                            element.remove(notes[name])
                self.assertEqual(written.attrib, served.attrib)
                assert_same_members(self, members(served), members(written), file.relative_to(SOURCE_ROOT))
                for found, expected in zip(members(written), members(served)):
                    self.assertEqual(found, expected, f"the order in {file.name} is not that of orientd")
                # It is what code generators of GLib read.
                (parsed,) = Gio.DBusNodeInfo.new_for_xml(installed).interfaces
                self.assertEqual(parsed.name, interface)

    def test_installed_introspection_data_has_the_texts_of_the_reference(self):
        for interface in (MANAGER, SENSOR, REQUEST):
            with self.subTest(interface):
                data = (INTERFACES / f"{interface}.xml").read_text()
                advice = "write it anew with docs/docstrings.py"
                self.assertEqual(data, docstrings.annotated(data, interface), advice)
                (parsed,) = Gio.DBusNodeInfo.new_for_xml(data).interfaces
                for member in (*parsed.methods, *parsed.properties, *parsed.signals):
                    text = Gio.DBusAnnotationInfo.lookup(member.annotations, docstrings.ANNOTATION)
                    self.assertTrue(text and text.endswith("."), f"{member.name}: {text}")


class Settings(RigTestCase):
    # For each program: its file, and what the example shows for settings without a default: a section's name, and the
    # keys in it.
    FILES = {
        "orientd": ("orientd.conf", {"[Application id]": "#[Application org.example.Player]"}),
        "orient-agent": ("agent.conf", {"[Application id]": "#[Application mpv]"}),
    }
    VALUES = {"SupportedOrientations": "landscape"}

    def manual(self, program):
        """Returns the settings in a program's manual."""
        return subprocess.run([BUILD / program, "--settings"], capture_output=True, text=True, check=True).stdout

    def test_output_of_orientd_that_cannot_be_written_is_an_error(self):
        for option in ("--help", "--version", "--settings"):
            with self.subTest(option), open("/dev/full", "wb") as full:
                result = subprocess.run([BUILD / "orientd", option], stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual(result.returncode, 1)
                self.assertIn(b"cannot write standard output: No space left on device", result.stderr)

    def example(self, program):
        return (SOURCE_ROOT / "docs" / self.FILES[program][0]).read_text()

    def test_example_has_every_setting_commented_out_at_its_default(self):
        for program, (_, sections) in self.FILES.items():
            with self.subTest(program):
                settings = []
                for part in re.split(r"^# \[", self.manual(program), flags=re.M)[1:]:
                    section = f"[{part.split(']')[0].capitalize()}]"
                    settings.append(sections.get(section, section))
                    found = re.findall(r"^\*(\w+)=\*$.*?(?:Default: (\S+)|No default)\.$", part, re.M | re.S)
                    settings += [f"#{key}={default or self.VALUES[key]}" for key, default in found]
                    self.assertEqual(len(re.findall(r"^\*\w+=\*$", part, re.M)), len(found))
                lines = self.example(program).splitlines()
                self.assertEqual([line for line in lines if re.match(r"#?\[|#\w+=", line)], settings)

    def test_example_has_the_first_sentence_and_the_values_of_each_setting(self):
        for program in self.FILES:
            with self.subTest(program):
                expected = []
                for key, *texts in re.findall(r"^\*(\w+)=\*$\n\t(.+)\n\t(.+)$", self.manual(program), re.M):
                    firsts = [re.sub(r"\*|(?<!\w)_|_(?!\w)", "", re.split(r"(?<=\.) ", text)[0]) for text in texts]
                    expected.append((*(f"# {first}" for first in firsts), key))
                    self.assertLessEqual(max(map(len, expected[-1])), 120)
                example = re.findall(r"^(# .+)\n(# Takes .+)\n#(\w+)=", self.example(program), re.M)
                self.assertEqual(example, expected)

    def uncommented(self, program):
        """Returns the example with all settings in force."""
        return re.sub(r"^#(\[|\w+=)", r"\1", self.example(program), flags=re.M)

    def test_example_is_valid_when_its_settings_are_uncommented(self):
        daemon = self.rig.start_orientd(configuration=self.uncommented("orientd"))
        self.assertEqual(daemon.log_lines("warning"), [])
        path = self.rig.directory / "agent.conf"
        path.write_text(self.uncommented("orient-agent"))
        variables = self.rig.plain_environment | {"XDG_RUNTIME_DIR": str(self.rig.directory)}
        command = [BUILD / "orient-agent", "--restore", "--config", path]
        result = subprocess.run(command, env=variables | {"WAYLAND_DISPLAY": "none"}, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_manual_pages_have_the_settings_of_the_programs(self):
        build = [SOURCE_ROOT / "docs" / "build.sh", BUILD, self.rig.directory]
        subprocess.run(build, check=True, capture_output=True)
        for program, name in (("orientd", "orientd.conf"), ("orient-agent", "orient-agent.conf")):
            page = (self.rig.directory / f"{name}.5").read_text()
            keys = re.findall(r"^\*(\w+)=\*$", self.manual(program), re.M)
            self.assertGreater(len(keys), 5)
            self.assertEqual(re.findall(r"^\\fB(\w+)=\\fR", page, re.M), keys)
        # The agent's page is found by the name of its file as well.
        self.assertEqual((self.rig.directory / "agent.conf.5").read_text(), ".so man5/orient-agent.conf.5\n")


class Hooks(AgentTestCase):
    def test_manual_names_the_variables_and_events_of_hooks(self):
        folder = self.home / ".config" / "orientd" / "hooks.d"
        folder.mkdir(parents=True)
        output = self.rig.directory / "variables"
        hook = folder / "hook"
        hook.write_text(f"#!/bin/sh\nenv >{output}.new && mv {output}.new {output}\n")
        hook.chmod(0o755)
        self.start_session()
        self.control("lock")
        wait_until(output.exists, "the hook has run")
        (section,) = re.findall(r"^# HOOKS\n(.*?)(?=^# )", MANUAL.read_text(), re.M | re.S)
        documented = set(re.findall(r"\*(ORIENTD_\w+)\*", section))
        variables = dict(line.split("=", 1) for line in output.read_text().splitlines() if "=" in line)
        # The runner of these tests has variables of its own.
        self.assertEqual({name for name in variables if name.startswith("ORIENTD_")} - set(os.environ), documented)
        self.assertIn(variables["ORIENTD_EVENT"], re.findall(r"^\*([\w-]+)\*$", section, re.M))


class ExampleClients(RigTestCase):
    def program(self, document, language, index=0):
        """Returns a program in a language that a document shows."""
        return re.findall(rf"^```{language}\n(.*?)^```$", document.read_text(), re.M | re.S)[index]

    def assert_prints_a_turn(self, command):
        """Checks that a program claims the sensor, and prints the orientation and the one after a turn."""
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        # Without a claim, the properties keep what the last one found. Programs printed that first.
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "portrait")
        self.client.release()
        self.client.wait_for("SensorState", "idle")
        self.rig.turn(LANDSCAPE_LEFT)
        output = self.rig.directory / "output"
        with output.open("wb") as file:
            self.rig.spawn(command, stdout=file, stderr=file)

        def printed():
            """Returns the device orientations, which a program may print after the name of the property."""
            lines = [line.split() for line in output.read_text().splitlines()]
            return [line[-1] for line in lines if line[0] != "InterfaceOrientation"]

        wait_until(lambda: printed() == ["landscape-left"], "the first orientation is printed")
        self.client.wait_for("Claims", 1)
        self.rig.turn(UPSIDE_DOWN)
        wait_until(lambda: printed() == ["landscape-left", "portrait-upside-down"], "the change is printed")
        # It got nothing any more from an orientd that was restarted.
        daemon.stop()
        self.rig.turn(PORTRAIT)
        self.rig.start_orientd()
        self.client.wait_for("Claims", 1)
        wait_until(lambda: printed()[2:] == ["portrait"], "the new orientd is claimed")

    def test_request_of_the_reference(self):
        self.rig.start_orientd()
        output = self.rig.directory / "output"
        with output.open("wb") as file:
            process = self.rig.spawn([PYTHON, "-c", self.program(REFERENCE, "python")], stdout=file, stderr=file)
        wait_until(lambda: "requested" in output.read_text(), "the request is made")
        self.assertEqual(self.client.get("InterfaceOrientation"), "landscape-left")
        wait_until(lambda: "updated" in output.read_text(), "the request is changed")
        self.assertEqual(self.client.get("SupportedOrientations"), 30)
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(output.read_text(), "requested /org/orientd1/request/1\nupdated\nreleased\n")
        self.assertEqual(self.client.get("InterfaceOrientation"), "portrait")

    def test_short_python_client(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        output = self.rig.directory / "output"
        with output.open("wb") as file:
            self.rig.spawn([PYTHON, "-c", self.program(CLIENTS, "python")], stdout=file, stderr=file)
        wait_until(lambda: output.read_text() == "portrait\n", "the first orientation is printed")
        self.client.wait_for("Claims", 1)
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: output.read_text() == "portrait\nlandscape-right\n", "the change is printed")

    def test_python_client(self):
        self.assert_prints_a_turn([PYTHON, "-c", self.program(CLIENTS, "python", 1)])

    def test_line_for_the_shell(self):
        """The README's line, which docs/clients.md has too, runs a script on each rotation of the interface."""
        (line,) = re.findall(r"^orientctl monitor .*\| while .*$", README.read_text(), re.M)
        self.assertIn(f"\n{line}\n", CLIENTS.read_text())
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        output = self.rig.directory / "output"
        output.touch()
        script = self.rig.directory / "rotated"
        script.write_text(f"#!/bin/sh\necho $* >>{output}\n")
        script.chmod(0o755)
        path = {"PATH": f"{BUILD}:{os.environ['PATH']}"}
        self.rig.spawn(["sh", "-c", line], cwd=self.rig.directory, env=self.rig.plain_environment | path)
        wait_until(lambda: output.read_text() == "portrait\n", "the first orientation")
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: output.read_text() == "portrait\nlandscape-right\n", "the rotation")

    def test_c_client(self):
        program = self.rig.directory / "orientation"
        flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "libsystemd"], text=True).split()
        subprocess.run(
            [shutil.which("cc") or "clang", "-x", "c", "-Wall", "-Werror", "-o", program, "-", *flags],
            input=self.program(REFERENCE, "c"),
            text=True,
            check=True,
        )
        self.assert_prints_a_turn([program])


class Pictures(RigTestCase):
    """The animated pictures of a tablet in the README and in semantics.md."""

    def setUp(self):
        super().setUp()
        sys.path.insert(0, str(DRAWING.parent))
        self.addCleanup(sys.path.remove, str(DRAWING.parent))
        import tablet

        self.script = tablet

    def test_pictures_are_what_the_script_draws(self):
        subprocess.run([DRAWING, BUILD, "--output", self.rig.directory], check=True)
        for name in self.script.PICTURES:
            with self.subTest(picture=name):
                drawn = (self.rig.directory / f"{name}.svg").read_text()
                self.assertEqual((DRAWING.parent / f"{name}.svg").read_text(), drawn, "draw it again with docs/tablet.py")
                self.assertLess(len(drawn), 60_000)

    def test_first_picture_is_what_its_script_draws(self):
        subprocess.run([DRAWING.parent / "lead.py", BUILD, "--output", self.rig.directory], check=True)
        drawn = (self.rig.directory / "lead.svg").read_text()
        self.assertEqual((DRAWING.parent / "lead.svg").read_text(), drawn, "draw it again with docs/lead.py")

    # The browser faded to the still picture towards the end: the page went before its time, and a film came back.
    def test_animations_say_how_they_end(self):
        for name in ("lead", *self.script.PICTURES):
            picture = (DRAWING.parent / f"{name}.svg").read_text()
            frames = dict(re.findall(r"^@keyframes (\w+)\{(.*)\}$", picture, re.M))
            gradual = re.findall(r"^\.(\w+)\{.*linear infinite\}$", picture, re.M)
            self.assertTrue(gradual)
            for animation in gradual:
                self.assertIn("100%{", frames[animation], name)

    def test_pictures_are_scaled_on_small_screens(self):
        for picture in DRAWING.parent.glob("*.svg"):
            with self.subTest(picture=picture.name):
                self.assertRegex(picture.read_text(), r"^<svg [^>]*viewBox=")

    def test_picture_of_the_axes_is_what_its_script_draws(self):
        drawn = subprocess.run([DRAWING.parent / "face-up.py"], check=True, capture_output=True, text=True).stdout
        self.assertEqual((DRAWING.parent / "face-up.svg").read_text(), drawn, "draw it again with docs/face-up.py")

    def test_pictures_have_the_lines_of_status(self):
        shown = {
            tuple(f"{label}: {value}" for label, value in recording.status(properties))
            for recording in (self.script.Recording(name, BUILD / "orientctl") for name in self.script.PICTURES)
            for _, properties in recording.states
        }
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "portrait")
        printed = {self.status()}
        self.turn("landscape-left")
        printed.add(self.status())
        self.turn("portrait")
        self.rig.orientctl("lock")
        printed.add(self.status())
        self.turn("landscape-left")
        printed.add(self.status())
        request = self.request("org.example.Player")
        printed.add(self.status())
        self.client.ask("Release", interface=REQUEST, path=request)
        self.rig.orientctl("align")
        printed.add(self.status())
        self.turn("portrait")
        printed.add(self.status())
        self.rig.orientctl("unlock")
        self.request("mpv")
        printed.add(self.status())
        self.assertEqual(shown, printed)

    def turn(self, orientation):
        self.rig.turn({"portrait": PORTRAIT, "landscape-left": LANDSCAPE_LEFT}[orientation])
        self.client.wait_for("DeviceOrientation", orientation)

    def request(self, application):
        return self.client.ask("Request", "sua{sv}", application, 24, {})[0]

    def status(self):
        """Returns the lines of `orientctl status` that the pictures show."""
        lines = self.rig.orientctl("status").stdout.splitlines()
        return tuple(line for line in lines if line.startswith(("Device:", "Interface:", "Lock:")))


class Documents(unittest.TestCase):
    """The documents that people read on a web site."""

    def documents(self):
        return [*SOURCE_ROOT.glob("*.md"), *(SOURCE_ROOT / "docs").glob("*.md")]

    def anchors(self, document):
        """Returns the anchors of the headings, as GitHub makes them."""
        headings = re.findall(r"^#+ (.*)$", document.read_text(), re.M)
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def test_links_lead_somewhere(self):
        for document in self.documents():
            for target in re.findall(r"\]\(([^()\s]+)\)", document.read_text()):
                with self.subTest(document=document.name, target=target):
                    if target.startswith("https://"):
                        continue
                    path, _, anchor = target.partition("#")
                    file = document.parent / path if path else document
                    self.assertTrue(file.exists())
                    self.assertTrue(not anchor or anchor in self.anchors(file))

    def test_links_have_titles(self):
        for document in self.documents():
            with self.subTest(document=document.name):
                self.assertEqual(re.findall(r"\[[\w./-]+\.(?:md|scd|conf|svg|py)\]\([^()]*\)", document.read_text()), [])

    def test_desktops_are_named_in_one_order(self):
        for document in self.documents():
            with self.subTest(document=document.name):
                names = re.findall(r"GNOME[\w ,]*Phosh[\w ,]*Cinnamon", document.read_text())
                self.assertEqual(names, [], "GNOME, KDE Plasma, Cinnamon and Phosh")

    def test_architecture_names_what_exists(self):
        text = (SOURCE_ROOT / "docs" / "architecture.md").read_text()
        sources = [path for path in (SOURCE_ROOT / "Sources").rglob("*") if path.suffix in ("", ".swift", ".c", ".h")]
        suites = list((SOURCE_ROOT / "Tests").glob("*Tests/**/*.swift"))
        known = "\n".join(path.read_text() for path in (*sources, *suites) if path.is_file())
        paths = [str(path) for path in sources]
        names = set(re.findall(r"`([A-Za-z+/]+\.swift|Orientation[A-Za-z]+/[A-Za-z/+.]+|[A-Z][A-Za-z0-9]+)`", text))
        self.assertGreater(len(names), 60)
        missing = {
            name
            for name in names
            if not any(path.endswith("/" + name.rstrip("/")) for path in paths)
            and name not in (path.stem for path in suites)
            and ("/" in name or name.endswith(".swift") or not re.search(rf"\b{name}\b", known))
            and not any((SOURCE_ROOT / folder / name).exists() for folder in (".", "Tests"))
        }
        self.assertEqual(missing, set())

    def test_desktops_start_the_agent_in_every_session_of_the_readme(self):
        text = " ".join(README.read_text().split())
        (names,) = re.findall(r"has the line for (.*?) and other X11 sessions", text)
        names, found = names.split(", "), []
        for section in DESKTOPS.read_text().split("\n## "):
            title, _, text = section.partition("\n")
            sessions = [name for name in names if name in title]
            lines = [block for block in re.findall(r"^```\n(.*?)^```", text, re.M | re.S) if "orient-agent" in block]
            self.assertGreaterEqual(len(lines), len(sessions), title)
            found += sessions
        self.assertEqual(sorted(found), sorted(names))

    def test_readme_is_short(self):
        self.assertLess(len(README.read_text().splitlines()), 180)
