# SPDX-License-Identifier: Apache-2.0
"""ext-workspace: workspaces that exist only in this protocol."""

from fakes.outputs import OutputResource
from fakes.wayland import Resource, interface

WORKSPACE_MANAGER = interface(
    "ext_workspace_manager_v1", ["commit", "stop"], ["workspace_group n", "workspace n", "done", "finished"]
)
WORKSPACE_GROUP = interface(
    "ext_workspace_group_handle_v1",
    ["create_workspace s", "destroy!"],
    ["capabilities u", "output_enter o", "output_leave o", "workspace_enter o", "workspace_leave o", "removed"],
)
WORKSPACE = interface(
    "ext_workspace_handle_v1",
    ["destroy!", "activate", "deactivate", "assign o", "remove"],
    ["id s", "name s", "coordinates a", "state u", "capabilities u", "removed"],
)


class WorkspaceManager(Resource):
    """Workspaces as niri has them: a group for each head."""

    interface = WORKSPACE_MANAGER

    def bound(self):
        self.groups = {}
        self.handles = {}
        self.update()

    def update(self):
        """Sends what has changed, and done."""
        server = self.client.server
        for head in server.workspaces:
            if head not in self.groups:
                group = self.groups[head] = self.client.announce(WorkspaceGroup, 1)
                self.send("workspace_group", group)
                group.send("capabilities", 0)
                for output in self.client.alive(OutputResource):
                    if output.head.name == head:
                        group.send("output_enter", output)
        present = [(head, name) for head, names in server.workspaces.items() for name in names]
        for key in present:
            if key not in self.handles:
                workspace = self.handles[key] = self.client.announce(Workspace, 1)
                self.send("workspace", workspace)
                workspace.send("name", key[1])
                self.groups[key[0]].send("workspace_enter", workspace)
        for (head, name), workspace in list(self.handles.items()):
            if (head, name) in present:
                workspace.send("state", 1 if server.active[head] == name else 0)
            else:
                self.groups[head].send("workspace_leave", workspace)
                workspace.send("removed")
                del self.handles[head, name]
        self.send("done")


class WorkspaceGroup(Resource):
    interface = WORKSPACE_GROUP


class Workspace(Resource):
    interface = WORKSPACE
