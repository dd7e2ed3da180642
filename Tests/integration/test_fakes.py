# SPDX-License-Identifier: Apache-2.0
"""The fake compositors themselves, with wlr-randr and with clients that write the bytes of the protocols."""

import ctypes
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import unittest

from fakes.hyprland import HyprlandServer
from fakes.niri import NiriServer
from fakes.outputs import ALREADY_SET, Head, Mode
from fakes.outputs import ALREADY_CONFIGURED_HEAD, ALREADY_USED, INVALID_MODE, INVALID_SCALE, INVALID_TRANSFORM
from fakes.outputs import UNCONFIGURED_HEAD
from fakes.sway import GET_INPUTS, GET_VERSION, HEADER, INPUT_EVENT, RUN_COMMAND, SUBSCRIBE, SwayServer, sway_input
from fakes.toplevels import WlrServer
from fakes.wayland import INVALID_METHOD, INVALID_OBJECT
from rig import TIMEOUT, die_with_parent

TOUCH = sway_input("1267:10780:ELAN_Touch", "touch")


class FakeTestCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def serve(self, server):
        self.addCleanup(server.close)
        return server.start()

    def connect(self, path):
        stream = socket.socket(socket.AF_UNIX)
        self.addCleanup(stream.close)
        stream.settimeout(TIMEOUT)
        stream.connect(str(path))
        return stream

    def ask(self, path, request):
        """Returns everything that the server sends until it closes the connection, or until the first newline."""
        stream = self.connect(path)
        stream.sendall(request)
        return self.read(stream, lambda data: data.endswith(b"\n"))

    def read(self, stream, is_complete):
        data = b""
        while not is_complete(data):
            more = stream.recv(65536)
            if not more:
                break
            data += more
        return data


class WaylandStream:
    """A client that knows nothing but messages; bind() takes the version of the global that it finds."""

    def __init__(self, stream):
        self.stream = stream
        self.last_id = 1
        self.data = b""
        self.seen = []

    def new_id(self):
        self.last_id += 1
        return self.last_id

    def send(self, target, opcode, *words):
        """Sends a request of integers and byte strings."""
        body = b""
        for word in words:
            if isinstance(word, bytes):
                word += b"\0"
                body += struct.pack("=I", len(word)) + word + bytes(-len(word) % 4)
            else:
                body += struct.pack("=i" if word < 0 else "=I", word)
        self.stream.sendall(struct.pack("=II", target, len(body) + 8 << 16 | opcode) + body)

    def next(self):
        """Returns (target, opcode, arguments as bytes) of the next event, None at the end of the stream."""
        while len(self.data) < 8 or len(self.data) < struct.unpack_from("=4xHH", self.data)[1]:
            more = self.stream.recv(65536)
            if not more:
                return None
            self.data += more
        target, opcode, size = struct.unpack_from("=IHH", self.data)
        event = target, opcode, self.data[8:size]
        self.data = self.data[size:]
        return event

    def sync(self):
        """Returns the events until the answer of a sync."""
        callback = self.new_id()
        self.send(1, 0, callback)
        events = []
        while (event := self.next()) != (1, 1, struct.pack("=I", callback)):
            if not event:
                raise AssertionError(f"the connection ended after {events}")
            events.append(event)
        return [event for event in events if event[0] != callback]

    def bind(self, interface):
        """Binds a global and returns its id and the events that this causes."""
        registry = self.new_id()
        self.send(1, 1, registry)
        for target, opcode, body in self.sync():
            if (target, opcode) == (registry, 0):
                name, size = struct.unpack_from("=II", body)
                if body[8 : 8 + size - 1] == interface:
                    found = name, struct.unpack("=I", body[-4:])[0]
        identifier = self.new_id()
        self.send(registry, 0, found[0], interface, found[1], identifier)
        return identifier, self.sync()

    def error(self):
        """Returns (object, code) of the protocol error that ends the connection."""
        for target, opcode, body in iter(self.next, None):
            if (target, opcode) == (1, 0):
                return struct.unpack_from("=II", body)
        raise AssertionError("the connection ends without an error")


def words(events, target, code):
    """Returns the argument, which is one integer, of all events of a kind."""
    return [struct.unpack("=I", body)[0] for sender, kind, body in events if (sender, kind) == (target, code)]


class Outputs(FakeTestCase):
    def open(self, *heads, **options):
        """Starts a compositor and returns a client that has bound the output manager, and the ids of the heads."""
        self.server = self.serve(WlrServer(self.folder / "wayland-7", *(heads or (Head("eDP-1"),)), **options))
        self.client = WaylandStream(self.connect(self.server.path))
        self.manager, events = self.client.bind(b"zwlr_output_manager_v1")
        (self.serial,) = words(events, self.manager, 1)
        return words(events, self.manager, 0)

    def configure(self, serial=None):
        configuration = self.client.new_id()
        self.client.send(self.manager, 0, configuration, self.serial if serial is None else serial)
        return configuration

    def enable(self, configuration, head):
        part = self.client.new_id()
        self.client.send(configuration, 0, part, head)
        return part

    def assert_error(self, target, code):
        self.assertEqual(self.client.error(), (target, code))
        self.assertEqual(len(self.server.protocol_errors), 1)
        self.server.protocol_errors.clear()

    def answers(self, configuration):
        """Returns the events of a configuration, without the answer to the sync that ends them."""
        return [code for target, code, _ in self.client.sync() if target == configuration]

    def test_configuration_is_applied_and_described(self):
        (head,) = self.open()
        configuration = self.configure()
        self.client.send(self.enable(configuration, head), 3, 1)
        self.client.send(configuration, 2)
        events = self.client.sync()
        self.assertEqual([event[:2] for event in events[:3]], [(configuration, 0), (head, 7), (self.manager, 1)])
        self.assertEqual(self.server.head("eDP-1").transform, "90")
        self.assertEqual([one.heads for one in self.server.applied()], [{"eDP-1": {"transform": "90"}}])

    def test_violations_are_the_documented_errors(self):
        def omit(head):
            configuration = self.configure()
            self.client.send(configuration, 2)
            return configuration, UNCONFIGURED_HEAD

        def configure_twice(head):
            configuration = self.configure()
            self.client.send(configuration, 1, head)
            self.enable(configuration, head)
            return configuration, ALREADY_CONFIGURED_HEAD

        def use_twice(head):
            configuration = self.configure()
            self.enable(configuration, head)
            self.client.send(configuration, 3)
            self.client.send(configuration, 2)
            return configuration, ALREADY_USED

        def set_late(head):
            configuration = self.configure()
            part = self.enable(configuration, head)
            self.client.send(configuration, 2)
            self.client.send(part, 3, 1)
            return configuration, ALREADY_USED

        def set_invalid(opcode, code, *values):
            def action(head):
                part = self.enable(self.configure(), head)
                self.client.send(part, opcode, *values)
                return part, code

            return action

        def set_twice(head):
            part = self.enable(self.configure(), head)
            self.client.send(part, 2, 0, 0)
            self.client.send(part, 2, 0, 0)
            return part, ALREADY_SET

        def unknown_object(head):
            self.client.send(77, 0)
            return 1, INVALID_OBJECT

        def unknown_request(head):
            self.client.send(self.manager, 9)
            return 1, INVALID_METHOD

        def short_request(head):
            self.client.send(self.manager, 0)
            return 1, INVALID_METHOD

        def used_id(head):
            self.client.send(self.manager, 0, self.manager, 1)
            return 1, INVALID_OBJECT

        for action in (
            omit,
            configure_twice,
            use_twice,
            set_late,
            set_twice,
            set_invalid(0, INVALID_MODE, 2),
            set_invalid(3, INVALID_TRANSFORM, 8),
            set_invalid(4, INVALID_SCALE, 0),
            unknown_object,
            unknown_request,
            short_request,
            used_id,
        ):
            with self.subTest(action):
                (head,) = self.open()
                self.assert_error(*action(head))
                self.assertEqual(self.server.applied() == [], action not in (set_late,))
                self.server.close()

    def test_requests_of_later_versions_are_errors(self):
        (head,) = self.open(version=2)
        self.client.send(head, 0)
        self.assert_error(1, INVALID_METHOD)

    def test_stale_serial_is_cancelled_even_if_a_new_head_is_omitted(self):
        (head,) = self.open()
        self.server.plug(Head("HDMI-A-1", position=(1200, 0)))
        configuration = self.configure()
        self.enable(configuration, head)
        self.client.send(configuration, 2)
        self.assertEqual(self.answers(configuration), [2])
        self.assertEqual(self.server.applied()[0].answer, "cancelled")

    def test_scripted_answers(self):
        def described(configuration, events):
            names = {(configuration, 0): "succeeded", (configuration, 1): "failed", (configuration, 2): "cancelled"}
            names[self.manager, 1] = "done"
            return [names[event[:2]] for event in events if event[:2] in names]

        for script, expected in (
            ("refuse", ["failed"]),
            ("cancel", ["cancelled", "done"]),
            ("race", ["done", "cancelled"]),
        ):
            with self.subTest(script):
                (head,) = self.open()
                getattr(self.server, script)()
                configuration = self.configure()
                self.enable(configuration, head)
                self.client.send(configuration, 2)
                self.assertEqual(described(configuration, self.client.sync()), expected)
                self.server.close()

    def test_held_configurations_are_answered_later(self):
        (head,) = self.open()
        self.server.hold()
        configuration = self.configure()
        self.enable(configuration, head)
        self.client.send(configuration, 2)
        self.assertEqual(self.answers(configuration), [])
        self.server.release()
        self.assertEqual(self.answers(configuration), [0])

    def test_destroyed_ids_are_free_again(self):
        (head,) = self.open()
        configuration = self.configure()
        part = self.enable(configuration, head)
        self.client.send(configuration, 4)
        self.assertEqual(words(self.client.sync(), 1, 1)[:2], [part, configuration])
        self.client.send(self.manager, 0, configuration, self.serial)
        self.client.sync()

    def test_heads_come_and_go(self):
        (head,) = self.open()
        self.server.plug(Head("HDMI-A-1"))
        announced = words(self.client.sync(), self.manager, 0)
        self.server.unplug("eDP-1")
        events = [event[:2] for event in self.client.sync()]
        self.assertEqual(len(announced), 1)
        self.assertIn((head, 9), events)
        self.assertIn((self.manager, 1), events)

    def test_automatic_placement_makes_a_row(self):
        heads = self.open(Head("eDP-1"), Head("DP-1", enabled=False), Head("HDMI-A-1"), is_automatic=True)
        configuration = self.configure()
        for head in heads:
            if head == heads[1]:
                self.client.send(configuration, 1, head)
            else:
                part = self.enable(configuration, head)
                self.client.send(part, 2, 7, 7)
                self.client.send(part, 3, 3 if head == heads[0] else 0)
        self.client.send(configuration, 2)
        self.assertEqual(self.answers(configuration), [0])
        self.assertEqual([head.position for head in self.server.heads], [(0, 0), (0, 0), (1920, 0)])

    def test_restart_keeps_the_heads_and_the_name(self):
        self.open()
        self.server.change("eDP-1", transform="180")
        self.server.restart()
        while self.client.next():
            pass
        self.client = WaylandStream(self.connect(self.server.path))
        self.client.bind(b"zwlr_output_manager_v1")
        self.assertEqual(self.server.head("eDP-1").transform, "180")


class Randr(FakeTestCase):
    """wlr-randr, which links libwayland-client."""

    def randr(self, *arguments):
        """Runs wlr-randr and returns its exit status, output and errors."""
        environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder), WAYLAND_DISPLAY="wayland-7")
        del environment["LD_PRELOAD"]
        result = subprocess.run(
            ["wlr-randr", *arguments],
            env=environment,
            capture_output=True,
            timeout=TIMEOUT,
            text=True,
            preexec_fn=die_with_parent,
        )
        return result.returncode, result.stdout, result.stderr

    def open(self, **options):
        modes = (Mode(2560, 1600, 60000), Mode(1280, 800, 60000))
        heads = (
            Head("eDP-1", modes, scale=1.25),
            Head("HDMI-A-1", (Mode(1920, 1080, 60000),), position=(2048, 0)),
            Head("DP-1", enabled=False),
        )
        self.server = self.serve(WlrServer(self.folder / "wayland-7", *heads, **options))

    def test_it_lists_the_heads(self):
        for version in (1, 2, 3, 4):
            with self.subTest(version=version):
                self.open(version=version)
                status, output, errors = self.randr()
                self.assertEqual((status, errors), (0, ""))
                for text in ("eDP-1 ", "2560x1600 px, 60.000000 Hz (preferred, current)", "Scale: 1.25", "2048,0"):
                    self.assertIn(text, output)
                self.assertEqual(output.count("Enabled: no"), 1)
                self.server.close()

    def test_it_turns_one_head_and_names_all(self):
        self.open()
        self.assertEqual(self.randr("--output", "eDP-1", "--transform", "270"), (0, "", ""))
        (configuration,) = self.server.applied()
        self.assertEqual(configuration.heads["DP-1"], None)
        self.assertEqual(configuration.heads["eDP-1"]["transform"], "270")
        self.assertEqual([head.transform for head in self.server.heads], ["270", "normal", "normal"])
        self.assertIn("Transform: 270", self.randr()[1])

    def test_it_reports_failed_and_cancelled(self):
        self.open()
        for script in ("refuse", "cancel"):
            getattr(self.server, script)()
            status, _, errors = self.randr("--output", "eDP-1", "--transform", "90")
            self.assertEqual((status, len(errors.splitlines())), (1, 1), errors)
        self.assertEqual(self.server.head("eDP-1").transform, "normal")


class Libwayland(FakeTestCase):
    def test_it_rejects_garbage(self):
        library = ctypes.CDLL("libwayland-client.so.0")
        library.wl_display_connect.restype = ctypes.c_void_p
        for name in ("send_unknown_event", "send_truncated_event", "send_noise"):
            with self.subTest(name):
                server = self.serve(WlrServer(self.folder / "wayland-7", Head("eDP-1")))
                display = ctypes.c_void_p(library.wl_display_connect(bytes(server.path)))
                self.assertGreaterEqual(library.wl_display_roundtrip(display), 0)
                getattr(server, name)()
                self.assertEqual(library.wl_display_roundtrip(display), -1)
                self.assertNotEqual(library.wl_display_get_error(display), 0)
                library.wl_display_disconnect(display)
                server.close()


class Toplevels(FakeTestCase):
    def test_windows_are_announced_with_their_states(self):
        server = self.serve(WlrServer(self.folder / "wayland-7", Head("eDP-1")))
        window = server.open("org.example.Player", "activated", title="A film", outputs=["eDP-1"])
        client = WaylandStream(self.connect(server.path))
        client.bind(b"wl_output")
        manager, events = client.bind(b"zwlr_foreign_toplevel_manager_v1")
        (handle,) = words(events, manager, 0)
        self.assertEqual([code for target, code, _ in events if target == handle], [0, 1, 4, 2, 5])
        server.focus(window, "fullscreen")
        events = client.sync()
        self.assertEqual([event[:2] for event in events[:2]], [(handle, 4), (handle, 5)])
        self.assertEqual(events[0][2], struct.pack("=III", 8, 2, 3))
        server.focus(server.open("org.example.Other"))
        events = client.sync()
        self.assertEqual(len(words(events, manager, 0)), 1)
        self.assertIn((handle, 4, struct.pack("=II", 4, 3)), events)
        window.close()
        self.assertEqual(client.sync()[0][:2], (handle, 6))


class Sway(FakeTestCase):
    def request(self, stream, kind, payload=""):
        stream.sendall(HEADER.pack(b"i3-ipc", len(payload), kind) + payload.encode())
        return self.receive(stream)

    def receive(self, stream):
        data = self.read(
            stream, lambda data: len(data) >= HEADER.size and len(data) >= HEADER.size + HEADER.unpack_from(data)[1]
        )
        return HEADER.unpack_from(data)[2], json.loads(data[HEADER.size :])

    def test_commands_map_inputs_and_events_tell_of_new_ones(self):
        server = self.serve(SwayServer(self.folder / "sway.sock", [TOUCH]))
        stream = self.connect(server.path)
        self.assertEqual(self.request(stream, GET_VERSION)[1]["variant"], "sway")
        self.assertEqual(self.request(stream, GET_INPUTS), (GET_INPUTS, [TOUCH]))
        command = f'input "{TOUCH["identifier"]}" map_to_output eDP-1'
        self.assertEqual(self.request(stream, RUN_COMMAND, command), (RUN_COMMAND, [{"success": True}]))
        self.assertEqual(server.mappings, {TOUCH["identifier"]: "eDP-1"})
        self.assertFalse(self.request(stream, RUN_COMMAND, "dance")[1][0]["success"])
        self.assertEqual(server.commands, [command, "dance"])
        self.assertEqual(self.request(stream, SUBSCRIBE, '["input"]'), (SUBSCRIBE, {"success": True}))
        self.assertTrue(server.is_subscribed("input"))
        pen = sway_input("1386:1:Wacom_Pen", "tablet_tool")
        server.add_input(pen)
        self.assertEqual(self.receive(stream), (INPUT_EVENT, {"change": "added", "input": pen}))

    def test_replies_can_be_replaced(self):
        server = self.serve(SwayServer(self.folder / "sway.sock"))
        server.replace_replies(lambda reply: reply[:-1])
        stream = self.connect(server.path)
        stream.sendall(HEADER.pack(b"i3-ipc", 0, GET_INPUTS))
        server.replace_replies(lambda reply: b"!")
        stream.sendall(HEADER.pack(b"i3-ipc", 0, GET_INPUTS))
        self.assertEqual(self.read(stream, lambda data: data.endswith(b"!"))[HEADER.size :], b"[!")


class Niri(FakeTestCase):
    def open(self):
        self.server = self.serve(NiriServer(self.folder / "niri.sock", Head("eDP-1"), Head("DP-1", enabled=False)))

    def request(self, value):
        return json.loads(self.ask(self.server.path, json.dumps(value).encode() + b"\n"))

    def test_outputs_and_transforms(self):
        self.open()
        outputs = self.request("Outputs")["Ok"]["Outputs"]
        self.assertEqual(outputs["eDP-1"]["logical"]["transform"], "Normal")
        self.assertEqual(outputs["DP-1"]["logical"], None)

        def turn(name, transform):
            return self.request({"Output": {"output": name, "action": {"Transform": {"transform": transform}}}})

        self.assertEqual(turn("eDP-1", "90"), {"Ok": {"OutputConfigChanged": "Applied"}})
        self.assertEqual(turn("eDP-2", "90"), {"Ok": {"OutputConfigChanged": "OutputWasMissing"}})
        self.assertIn("Err", turn("eDP-1", "normal"))
        self.assertIn("Err", self.request("Nonsense"))
        self.assertIn("Err", json.loads(self.ask(self.server.path, b"{\n")))
        self.assertEqual(self.server.head("eDP-1").transform, "90")

    def test_a_stream_begins_with_the_state(self):
        self.open()
        stream = self.connect(self.server.path)
        stream.sendall(b'"EventStream"\n')
        lines = self.read(stream, lambda data: data.count(b"\n") == 6).splitlines()
        self.assertEqual(json.loads(lines[0]), {"Ok": "Handled"})
        self.server.plug(Head("HDMI-A-1"))
        event = json.loads(self.read(stream, lambda data: data.endswith(b"\n")))
        names = [one["output"] for one in event["WorkspacesChanged"]["workspaces"]]
        self.assertEqual(names, ["eDP-1", "HDMI-A-1"])


class Hyprland(FakeTestCase):
    def open(self, **options):
        self.server = self.serve(HyprlandServer(self.folder, touch=["elan-touch"], tablets=["wacom-pen"], **options))

    def request(self, text):
        return self.ask(self.server.commands.path, text.encode()).decode()

    def test_devices_are_listed(self):
        self.open()
        devices = json.loads(self.request("j/devices"))
        self.assertEqual([device["name"] for device in devices["touch"]], ["elan-touch"])
        self.assertEqual([device.get("name") for device in devices["tablets"]], ["wacom-pen", None, None])

    def test_keyword_and_eval_depend_on_the_configuration(self):
        keyword = "/keyword device[elan-touch]:transform 1"
        call = '/eval hl.device({ name = "elan-touch", transform = 3, output = "eDP-1" })'
        for is_lua, works, fails, options in (
            (False, keyword, call, {"transform": "1"}),
            (True, call, keyword, {"transform": "3", "output": "eDP-1"}),
        ):
            with self.subTest(is_lua=is_lua):
                self.open(is_lua=is_lua)
                self.assertEqual(self.request(works), "ok")
                self.assertNotEqual(self.request(fails), "ok")
                self.assertEqual(self.server.options, {"elan-touch": options})
                self.server.close()

    def test_batches_are_answered_one_by_one(self):
        self.open()
        batch = "[[BATCH]]keyword device[elan-touch]:transform 1;keyword device[wacom-pen]:transform 1"
        self.assertEqual(self.request(batch), "ok\n\nok")
        self.assertEqual(self.server.option("wacom-pen", "transform"), "1")

    def test_reload_forgets_and_is_announced(self):
        self.open()
        self.request("/keyword device[elan-touch]:transform 1")
        events = self.connect(self.server.events.path)
        self.request("j/version")
        self.server.events.wait_for_connections(1)
        self.server.reload()
        self.assertEqual(self.read(events, lambda data: data.endswith(b"\n")), b"configreloaded>>\n")
        self.assertIsNone(self.server.option("elan-touch", "transform"))
