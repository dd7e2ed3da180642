# SPDX-License-Identifier: Apache-2.0
"""wlr-foreign-toplevel-management: windows that exist only in this protocol."""

import struct

from fakes.outputs import OutputResource, OutputServer
from fakes.wayland import Resource, interface
from fakes.workspaces import WorkspaceManager

MANAGER = interface("zwlr_foreign_toplevel_manager_v1", ["stop"], ["toplevel n", "finished"])
HANDLE = interface(
    "zwlr_foreign_toplevel_handle_v1",
    [
        *("set_maximized", "unset_maximized", "set_minimized", "unset_minimized", "activate o", "close"),
        *("set_rectangle oiiii", "destroy!", "2 set_fullscreen o?", "2 unset_fullscreen"),
    ],
    [
        *("title s", "app_id s", "output_enter o", "output_leave o", "state a", "done", "closed", "3 parent o?"),
    ],
)

STATES = {"maximized": 0, "minimized": 1, "activated": 2, "fullscreen": 3}


class ToplevelManager(Resource):
    interface = MANAGER

    def bound(self):
        for window in self.client.server.windows:
            self.introduce(window)

    def introduce(self, window):
        handle = self.client.announce(ToplevelHandle, self.version, window)
        self.send("toplevel", handle)
        handle.update()

    def request_stop(self):
        self.send("finished")
        self.destroy()


class ToplevelHandle(Resource):
    interface = HANDLE

    def __init__(self, client, identifier, version, window):
        super().__init__(client, identifier, version)
        self.window = window
        self.sent = {}
        self.entered = set()

    def update(self):
        """Sends what has changed, and done if anything has."""
        window = self.window
        states = [STATES[name] for name in window.states if name != "fullscreen" or self.version >= 2]
        properties = {"title": window.title, "app_id": window.app_id, "state": struct.pack(f"={len(states)}I", *states)}
        changes = [(name, value) for name, value in properties.items() if self.sent.get(name) != value]
        self.sent = properties
        for output in self.client.alive(OutputResource):
            shows = output.head.name in window.outputs
            if shows != (output in self.entered):
                changes.append(("output_enter" if shows else "output_leave", output))
                self.entered ^= {output}
        for name, value in changes:
            self.send(name, value)
        if changes:
            self.send("done")


class Window:
    """A window; `states` has the names of STATES, `outputs` the names of the heads that show it."""

    def __init__(self, server, app_id, title="", states=(), outputs=()):
        self.server = server
        self.app_id = app_id
        self.title = title
        self.states = tuple(states)
        self.outputs = tuple(outputs)

    def handles(self):
        return [handle for handle in self.server.resources(ToplevelHandle) if handle.window is self]

    def update(self, **properties):
        """Changes attributes and announces that."""
        with self.server.lock:
            for name, value in properties.items():
                setattr(self, name, tuple(value) if name in ("states", "outputs") else value)
            for handle in self.handles():
                handle.update()

    def close(self):
        """Closes the window."""
        with self.server.lock:
            self.server.windows.remove(self)
            for handle in self.handles():
                handle.send("closed")
                handle.window = None


class WlrServer(OutputServer):
    """A compositor with heads, windows, and workspaces by the name of their head; the first of each is active."""

    def __init__(self, path, *heads, toplevel_version=3, workspaces=None, **options):
        super().__init__(path, *heads, **options)
        self.windows = []
        if toplevel_version:
            self.add_global(ToplevelManager, toplevel_version)
        self.workspaces = workspaces or {}
        self.active = {head: names[0] for head, names in self.workspaces.items()}
        if workspaces:
            self.add_global(WorkspaceManager, 1)

    def show_workspace(self, head, name):
        """Shows another workspace on a head; a name that is new adds it, and removes the one that was shown."""
        with self.lock:
            if name not in self.workspaces[head]:
                self.workspaces[head] = [*(other for other in self.workspaces[head] if other != self.active[head]), name]
            self.active[head] = name
            for manager in self.resources(WorkspaceManager):
                manager.update()

    def open(self, app_id, *states, **properties):
        """Opens a window."""
        with self.lock:
            window = Window(self, app_id, states=states, **properties)
            self.windows.append(window)
            for manager in self.resources(ToplevelManager):
                manager.introduce(window)
            return window

    def focus(self, window, *states):
        """Activates a window, with further states, and no other window."""
        with self.lock:
            for other in self.windows:
                if other is not window and "activated" in other.states:
                    other.update(states=[name for name in other.states if name != "activated"])
            if window:
                window.update(states=("activated", *states))

    def output_bound(self, output):
        for handle in output.client.alive(ToplevelHandle):
            if handle.window:
                handle.update()
