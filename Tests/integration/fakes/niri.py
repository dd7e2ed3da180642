# SPDX-License-Identifier: Apache-2.0
"""niri's IPC: one JSON value a line, as the crate niri-ipc documents it."""

import json

from fakes.outputs import TRANSFORMS
from fakes.server import Connection, SocketServer

# The JSON of niri_ipc::Transform, which turns counter-clockwise as wl_output does.
NIRI_TRANSFORMS = ("Normal", "90", "180", "270", "Flipped", "Flipped90", "Flipped180", "Flipped270")

def description(head):
    """Returns a head as niri_ipc::Output."""
    logical = None
    if head.enabled:
        logical = head.rectangle._asdict()
        logical |= {"scale": float(head.scale), "transform": NIRI_TRANSFORMS[TRANSFORMS.index(head.transform)]}
    return {
        "name": head.name,
        "make": head.make,
        "model": head.model,
        "serial": head.serial_number,
        "physical_size": [100, 160],
        "modes": [
            {
                "width": mode.width,
                "height": mode.height,
                "refresh_rate": mode.refresh,
                "is_preferred": mode == head.modes[0],
            }
            for mode in head.modes
        ],
        "current_mode": head.modes.index(head.mode) if head.enabled else None,
        "is_custom_mode": False,
        "vrr_supported": False,
        "vrr_enabled": head.adaptive_sync,
        "logical": logical,
    }


class NiriConnection(Connection):
    def __init__(self, server, stream):
        super().__init__(server, stream)
        self.has_events = False
        self.knows_outputs = False

    def receive(self):
        for line in self.take_lines():
            if not self.has_events:  # niri reads nothing after EventStream
                self.handle(line)

    def handle(self, line):
        try:
            request = json.loads(line)
        except ValueError as error:
            self.reply({"Err": f"error parsing request: {error}"})
            return
        self.server.requests.append(request)
        self.knows_outputs = self.knows_outputs or request == "Outputs"
        if request == "EventStream":
            self.has_events = True
            self.reply({"Ok": "Handled"})
            for event in self.server.initial_events():
                self.send(json.dumps(event).encode() + b"\n")
        else:
            self.reply(self.server.reply(request))

    def reply(self, value):
        self.answer(json.dumps(value).encode() + b"\n")


class NiriServer(SocketServer):
    """niri's socket; `requests` has the JSON value of every request, `heads` the outputs.

    With an `error`, changes of outputs fail with that text. `display`, a WlrServer, gets the same heads. To the transforms
    that it is given, it adds the quarter turns in `quirks`, by output, as for a panel orientation of the kernel.
    """

    connection_type = NiriConnection

    def __init__(self, path, *heads, display=None):
        super().__init__(path)
        self.heads = list(heads)
        self.display = display
        self.requests = []
        self.error = None
        self.quirks = {}

    def head(self, name):
        return next(head for head in self.heads if head.name == name)

    def transforms(self):
        """Returns (output, transform) of all changes that clients have asked for."""
        with self.lock:
            asked = [request["Output"] for request in self.requests if isinstance(request, dict)]
        turned = [one for one in asked if "Transform" in one["action"]]
        return [(one["output"], one["action"]["Transform"]["transform"]) for one in turned]

    def reply(self, request):
        if request == "Version":
            return {"Ok": {"Version": "26.04"}}
        if request == "Outputs":
            return {"Ok": {"Outputs": {head.name: description(head) for head in self.heads}}}
        try:
            name, changes = self.requested(request)
        except (AttributeError, KeyError, TypeError, ValueError):
            return {"Err": "error parsing request: unknown variant or field"}
        if self.error:
            return {"Err": self.error}
        heads = [head for head in self.heads if head.name == name]
        for head in heads:
            for key, value in changes.items():
                setattr(head, key, value)
        self.show()
        return {"Ok": {"OutputConfigChanged": "Applied" if heads else "OutputWasMissing"}}

    def requested(self, request):
        """Returns the name and the changes of an Output request with exactly the documented members."""
        ((kind, body),) = request.items()
        ((action, values),) = body["action"].items()
        ((member, value),) = values.items()
        if kind != "Output" or sorted(body) != ["action", "output"] or member != action.lower():
            raise KeyError(kind)
        if action == "Transform":
            name = body["output"]
            return name, {"transform": TRANSFORMS[(NIRI_TRANSFORMS.index(value) + self.quirks.get(name, 0)) % 4]}
        if action == "Position" and value != "Automatic":
            return body["output"], {"position": (value["Specific"]["x"], value["Specific"]["y"])}
        if action == "Position":
            return body["output"], {}
        raise KeyError(action)

    def initial_events(self):
        """Returns the state that a new stream begins with."""
        keyboard_layouts = {"names": ["English (US)"], "current_idx": 0}
        return (
            self.workspaces(),
            {"WindowsChanged": {"windows": []}},
            {"KeyboardLayoutsChanged": {"keyboard_layouts": keyboard_layouts}},
            {"OverviewOpenedOrClosed": {"is_open": False}},
            {"ConfigLoaded": {"failed": False}},
        )

    def workspaces(self):
        """Returns the event that lists one empty workspace for each enabled head."""
        workspaces = [
            {
                "id": number,
                "idx": 1,
                "name": None,
                "output": head.name,
                "is_urgent": False,
                "is_active": True,
                "is_focused": number == 1,
                "active_window_id": None,
            }
            for number, head in enumerate((head for head in self.heads if head.enabled), 1)
        ]
        return {"WorkspacesChanged": {"workspaces": workspaces}}

    def change(self, name, **properties):
        """Changes a head, as another client does; niri's IPC has no event for that."""
        with self.lock:
            for key, value in properties.items():
                setattr(self.head(name), key, value)
            self.show()

    def reload(self):
        """Reads the configuration again, whose outputs have changed; that forgets what clients have set."""
        with self.lock:
            for head in self.heads:
                head.transform = "normal"
            self.show()
            self.publish({"ConfigLoaded": {"failed": False}})

    def show(self):
        """Lets the Wayland display report the heads."""
        if self.display:
            with self.display.lock:
                self.display.heads = list(self.heads)
                self.display.publish()

    def plug(self, head):
        """Adds a head, which gets a workspace."""
        with self.lock:
            self.heads.append(head)
            self.show()
            self.publish(self.workspaces())

    def unplug(self, name):
        """Removes a head and its workspace."""
        with self.lock:
            self.heads.remove(self.head(name))
            self.show()
            self.publish(self.workspaces())

    def publish(self, event):
        """Sends an event to all streams."""
        with self.lock:
            for connection in self.connections:
                if connection.has_events:
                    connection.send(json.dumps(event).encode() + b"\n")

    def has_stream(self):
        """Returns whether a client reads events."""
        with self.lock:
            return any(connection.has_events for connection in self.connections)

    def has_reader(self):
        """Returns whether a client has asked for the outputs."""
        with self.lock:
            return any(connection.knows_outputs for connection in self.connections)
