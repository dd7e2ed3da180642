# SPDX-License-Identifier: Apache-2.0
"""Hyprland: its socket for requests, one request a connection, its socket for events, and its outputs."""

import json
import re

from fakes.outputs import TRANSFORMS, OutputResource
from fakes.server import Connection, SocketServer
from fakes.toplevels import WlrServer

SIGNATURE = "fake_1700000000_1"

# A call of hl.device with a table of plain values, in any order; a script has one or more.
DEVICE_CALL = re.compile(r"\s*hl\.device\s*\(?\s*\{(?P<fields>[^{}]*)\}\s*\)?\s*")
MONITOR_CALL = re.compile(r"hl\.monitor\(\{([^{}]*)\}\)")
FIELD = re.compile(r"\s*(\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|-?[\w.]+)\s*(?:[,;]|$)")


def fields_of(text):
    """Returns the fields of a table as text."""
    return {key: value.strip("\"'") for key, value in FIELD.findall(text)}


class RequestConnection(Connection):
    """Reads one request, which has no end mark, answers it and closes."""

    def receive(self):
        request, self.input = self.input.decode(), b""
        self.server.owner.requests.append(request)
        ignored = self.server.owner.ignored
        if ignored is not None and request.startswith(ignored):
            return
        self.answer(self.server.owner.reply(request).encode())
        self.server.drop(self)


class EventConnection(Connection):
    """Sends events; Hyprland ignores what is written to it."""

    def receive(self):
        self.input = b""


class RequestServer(SocketServer):
    connection_type = RequestConnection


class EventServer(SocketServer):
    connection_type = EventConnection


class HyprlandServer:
    """Hyprland with touch screens, pen tablets and mice, by their names.

    With `is_lua` it is configured in Lua, as since 0.55: `keyword` fails and `eval` calls hl.device. Else `eval` is
    unknown. `options` has {device: {option: value}} as clients set them, with all values as text. With a `compositor`, it
    lists its heads as monitors, which `hl.monitor` changes.
    """

    def __init__(
        self, runtime_directory, touch=(), tablets=(), mice=(), is_lua=False, compositor=None, signature=None
    ):
        folder = runtime_directory / "hypr" / (signature or SIGNATURE)
        self.commands = RequestServer(folder / ".socket.sock")
        self.events = EventServer(folder / ".socket2.sock")
        self.commands.owner = self
        self.touch = list(touch)
        self.tablets = list(tablets)
        self.mice = list(mice)
        self.is_lua = is_lua
        self.compositor = compositor
        self.requests = []
        self.options = {}
        # The start of the requests that it does not answer: "" for all, None for none.
        self.ignored = None

    def start(self):
        self.commands.start()
        self.events.start()
        return self

    def stop(self):
        self.commands.stop()
        self.events.stop()

    def restart(self):
        """Ends and starts again; what clients have set is lost."""
        self.stop()
        self.options = {}
        self.start()

    def close(self):
        self.commands.close()
        self.events.close()

    def has_unread(self):
        """Returns whether a client or this server has yet to read something."""
        return self.commands.has_unread() or self.events.has_unread()

    def publish(self, event, data=""):
        """Sends an event."""
        self.events.send_raw(f"{event}>>{data}\n".encode())

    def reload(self):
        """Reads the configuration again, which forgets what clients have set."""
        with self.commands.lock:
            self.options = {}
        self.publish("configreloaded")

    def option(self, device, name):
        """Returns the value that a client has set for a device, or None."""
        with self.commands.lock:
            return self.options.get(device, {}).get(name)

    def reply(self, request):
        """Returns the reply to a request such as "j/devices" or "[[BATCH]]keyword A 1;keyword B 2"."""
        if request.startswith("[[BATCH]]"):
            parts = [part for part in request.removeprefix("[[BATCH]]").split(";") if part.strip()]
            return "\n\n".join(self.reply(part.strip()) for part in parts)
        command = re.sub(r"^\w*/", "", request, count=1)
        name, _, rest = command.partition(" ")
        if name == "devices":
            return json.dumps(self.devices())
        if command == "monitors all" and self.compositor:
            return json.dumps(self.compositor.monitors())
        if name == "version":
            return json.dumps({"tag": "v0.57.0", "version": "0.57.0"} if self.is_lua else {"tag": "v0.41.2"})
        if name == "keyword":
            return self.keyword(rest)
        if name == "eval" and self.is_lua:
            return self.evaluate(rest)
        return "unknown request"

    def devices(self):
        """Returns the JSON of `devices`."""
        names = {"mice": self.mice, "keyboards": ["power-button"], "tablets": self.tablets, "touch": self.touch}
        address = iter(range(0x1000, 0x10000, 0x10))
        listed = {
            kind: [{"address": hex(next(address)), "name": name} for name in found] for kind, found in names.items()
        }
        for name in self.tablets:
            tool = {"address": hex(next(address)), "type": "tabletTool"}
            pad = {"address": hex(next(address)), "type": "tabletPad", "belongsTo": {"address": "0x0", "name": name}}
            listed["tablets"] += [tool, pad]
        return listed | {"switches": []}

    def keyword(self, text):
        if self.is_lua:
            return "unknown request"
        if text.startswith("monitor ") and self.compositor:
            return self.compositor.replace(*text.removeprefix("monitor ").split(","))
        match = re.fullmatch(r"device\[([^]]+)\]:(\w+) (.*)", text)
        if not match:
            return f"invalid keyword: {text}"
        self.set(*match.groups())
        return "ok"

    def evaluate(self, text):
        monitors = MONITOR_CALL.findall(text)
        if monitors and self.compositor:
            return self.compositor.configure([fields_of(fields) for fields in monitors])
        calls = [fields_of(match["fields"]) for match in DEVICE_CALL.finditer(text)]
        if not calls or DEVICE_CALL.sub("", text) or any("name" not in fields for fields in calls):
            return "error: the fake knows only hl.device with a name"
        for fields in calls:
            device = fields.pop("name")
            for option, value in fields.items():
                self.set(device, option, value)
        return "ok"

    def set(self, device, option, value):
        self.options.setdefault(device, {})[option] = value


class HyprlandCompositor(WlrServer):
    """Hyprland's heads as of 0.57, which reports changes to wl_output only.

    Over wlr-output-management it carries nothing out, as on a screen without a new frame. `rules` has those of
    `hl.monitor`, by the output that they name. With `has_frames` it does, and what was set so takes precedence over
    rules that come later, as since 0.44.
    """

    def __init__(self, *arguments, has_frames=False, **options):
        super().__init__(*arguments, **options)
        self.rules = {}
        self.overrides = {}
        self.mirrors = {}
        self.has_frames = has_frames

    def submitted(self, resource):
        if self.has_frames:
            self.overrides |= resource.configuration.heads
            super().submitted(resource)
        else:
            self.configurations.append(resource.configuration)

    def publish(self):
        self.arrange()
        for output in self.resources(OutputResource):
            output.describe()

    def configure(self, monitors):
        """Adds to the rules for exactly these outputs, or else to Hyprland's defaults, and returns the reply."""
        with self.lock:
            for fields in monitors:
                name = fields.pop("output")
                self.rules[name] = {"mode": "", "scale": "1", "transform": "0"} | self.rules.get(name, {}) | fields
                self.show(self.head(name), self.rules[name])
            self.publish()
        return "ok"

    def show(self, head, rule):
        """Shows a head as a rule says; without a place in it, where it is."""
        sizes = [f"{mode.width}x{mode.height}" for mode in head.modes]
        size = rule["mode"].partition("@")[0]
        head.mode = head.modes[sizes.index(size) if size in sizes else 0]
        head.scale = float(rule["scale"])
        head.transform = TRANSFORMS[int(rule["transform"])]
        if "position" in rule:
            head.position = tuple(int(number) for number in rule["position"].split("x"))

    def replace(self, name, mode, *fields):
        """Replaces the rule of an output as `keyword monitor` does before 0.57, and returns the reply."""
        with self.lock:
            if mode == "disable":
                self.head(name).enabled = False
            elif mode == "transform":
                self.head(name).transform = TRANSFORMS[int(fields[0])]
            else:
                position, scale, *extras = fields
                rule = {"mode": mode, "position": position, "scale": scale, "transform": "0", "mirror": "none"}
                self.rules[name] = rule | dict(zip(extras[::2], extras[1::2], strict=True))
                self.head(name).enabled = True
                self.show(self.head(name), self.rules[name])
            for override, properties in self.overrides.items():
                self.head(override).enabled = properties is not None
                for key, value in (properties or {}).items():
                    setattr(self.head(override), key, value)
            self.publish()
        return "ok"

    def monitors(self):
        """Returns what `monitors all` lists."""
        with self.lock:
            return [
                {
                    "name": head.name,
                    "disabled": not head.enabled,
                    "width": head.mode.width,
                    "height": head.mode.height,
                    "refreshRate": head.mode.refresh / 1000,
                    "x": head.position[0],
                    "y": head.position[1],
                    "scale": head.scale,
                    "transform": TRANSFORMS.index(head.transform),
                    "mirrorOf": self.mirrors.get(head.name, "none"),
                }
                for head in self.heads
            ]
