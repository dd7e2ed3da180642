# SPDX-License-Identifier: Apache-2.0
"""wlr-output-management as its protocol file documents it, on heads without a display.

The server is stricter than compositors are: whatever the protocol calls an error ends the connection.
"""

import collections
import dataclasses

from fakes.wayland import OUTPUT, Resource, WaylandServer, interface

# The values of wl_output.transform, by the names that orientd uses.
TRANSFORMS = ("normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270")

MANAGER = interface("zwlr_output_manager_v1", ["create_configuration nu", "stop"], ["head n", "done u", "finished"])
HEAD = interface(
    "zwlr_output_head_v1",
    ["3 release!"],
    [
        *("name s", "description s", "physical_size ii", "mode n", "enabled i", "current_mode o", "position ii"),
        *("transform i", "scale f", "finished", "2 make s", "2 model s", "2 serial_number s", "4 adaptive_sync u"),
    ],
)
MODE = interface("zwlr_output_mode_v1", ["3 release!"], ["size ii", "refresh i", "preferred", "finished"])
CONFIGURATION = interface(
    "zwlr_output_configuration_v1",
    ["enable_head no", "disable_head o", "apply", "test", "destroy!"],
    ["succeeded", "failed", "cancelled"],
)
CONFIGURATION_HEAD = interface(
    "zwlr_output_configuration_head_v1",
    [
        *("set_mode o", "set_custom_mode iii", "set_position ii", "set_transform i", "set_scale f"),
        "4 set_adaptive_sync u",
    ],
)

ALREADY_CONFIGURED_HEAD, UNCONFIGURED_HEAD, ALREADY_USED = 1, 2, 3
ALREADY_SET, INVALID_MODE, INVALID_CUSTOM_MODE, INVALID_TRANSFORM, INVALID_SCALE, INVALID_ADAPTIVE_SYNC = range(1, 7)

Mode = collections.namedtuple("Mode", "width height refresh")
Rectangle = collections.namedtuple("Rectangle", "x y width height")


@dataclasses.dataclass(eq=False)
class Head:
    """A monitor: the first mode is the preferred one, and `mode` the current one."""

    name: str
    modes: tuple = (Mode(1200, 1920, 60000),)
    mode: Mode = None
    position: tuple = (0, 0)
    transform: str = "normal"
    scale: float = 1
    enabled: bool = True
    adaptive_sync: bool = False
    make: str = "Example"
    model: str = "Panel"
    serial_number: str = "1"

    def __post_init__(self):
        self.mode = self.mode or self.modes[0]

    @property
    def rectangle(self):
        """The place in the layout: the mode's size, transformed, divided by the scale."""
        width, height, _ = self.mode
        if TRANSFORMS.index(self.transform) % 2:
            width, height = height, width
        return Rectangle(*self.position, int(width / self.scale), int(height / self.scale))

    def properties(self):
        """Returns the events that describe what can change, as {event: arguments}."""
        if not self.enabled:
            return {"enabled": (0,)}
        return {
            "enabled": (1,),
            "current_mode": (self.mode,),
            "position": self.position,
            "transform": (TRANSFORMS.index(self.transform),),
            "scale": (self.scale,),
            "adaptive_sync": (int(self.adaptive_sync),),
        }


@dataclasses.dataclass
class Configuration:
    """What a client asked for: `heads` has {property: value} of each enabled head, and None for a disabled one.

    A property that the client did not set is not in it. `action` is "apply" or "test"; `answer` is the event.
    """

    serial: int
    heads: dict = dataclasses.field(default_factory=dict)
    action: str = None
    answer: str = None


class OutputResource(Resource):
    """A wl_output."""

    interface = OUTPUT

    def __init__(self, client, identifier, version, head):
        super().__init__(client, identifier, version)
        self.head = head

    def bound(self):
        self.describe()
        self.client.server.output_bound(self)

    def describe(self):
        """Sends the present state."""
        head = self.head
        transform = TRANSFORMS.index(head.transform)
        self.send("geometry", *head.position, 0, 0, 0, head.make, head.model, transform)
        self.send("mode", 1, *head.mode)
        self.send("scale", int(head.scale))
        self.send("name", head.name)
        self.send("description", head.name)
        self.send("done")


class ManagerResource(Resource):
    interface = MANAGER

    def __init__(self, client, identifier, version):
        super().__init__(client, identifier, version)
        self.heads = {}

    def bound(self):
        for head in self.client.server.heads:
            self.introduce(head)
        self.send("done", self.client.server.serial)

    def introduce(self, head):
        """Announces a head with all its properties."""
        resource = self.client.announce(HeadResource, self.version, head)
        self.heads[head.name] = resource
        self.send("head", resource)
        resource.describe()

    def remove(self, head):
        """Announces that a head has disappeared."""
        resource = self.heads.pop(head.name)
        resource.head = None
        for mode in resource.modes.values():
            mode.send("finished")
        resource.send("finished")

    def request_create_configuration(self, identifier, serial):
        self.client.create(ConfigurationResource, identifier, self.version, self, serial)

    def request_stop(self):
        self.send("finished")
        self.destroy()


class HeadResource(Resource):
    """A head as one client knows it; `head` is None after it has disappeared."""

    interface = HEAD

    def __init__(self, client, identifier, version, head):
        super().__init__(client, identifier, version)
        self.head = head
        self.modes = {}
        self.sent = {}

    def describe(self):
        head = self.head
        self.send("name", head.name)
        self.send("description", f"{head.make} {head.model} ({head.name})")
        self.send("physical_size", 100, 160)
        for name in ("make", "model", "serial_number"):
            self.send(name, getattr(head, name))
        for mode in head.modes:
            self.introduce(mode)
        self.update()

    def introduce(self, mode):
        """Announces a mode."""
        resource = self.client.announce(ModeResource, min(self.version, 3), mode)
        self.modes[mode] = resource
        self.send("mode", resource)
        resource.send("size", mode.width, mode.height)
        resource.send("refresh", mode.refresh)
        if mode == self.head.modes[0]:
            resource.send("preferred")

    def update(self):
        """Sends the properties that have changed."""
        properties = self.head.properties()
        for name, values in properties.items():
            if self.sent.get(name) != values:
                if name == "current_mode":
                    mode = values[0]
                    if mode not in self.modes:
                        self.introduce(mode)
                    values = (self.modes[mode],)
                self.send(name, *values)
        self.sent = properties


class ModeResource(Resource):
    interface = MODE

    def __init__(self, client, identifier, version, mode):
        super().__init__(client, identifier, version)
        self.mode = mode


class ConfigurationResource(Resource):
    interface = CONFIGURATION

    def __init__(self, client, identifier, version, manager, serial):
        super().__init__(client, identifier, version)
        self.manager = manager
        self.configuration = Configuration(serial)
        self.parts = []

    def destroyed(self):
        for part in self.parts:
            part.destroy()

    def check_unused(self):
        if self.configuration.action:
            self.fail(ALREADY_USED, "the configuration has been applied or tested")

    def add(self, head, properties):
        """Records a head; one that has disappeared meanwhile is ignored."""
        self.check_unused()
        if not isinstance(head, HeadResource):
            self.fail(0, f"{head} is no head")
        if head.head:
            if head.head.name in self.configuration.heads:
                self.fail(ALREADY_CONFIGURED_HEAD, f"{head.head.name} is configured twice")
            self.configuration.heads[head.head.name] = properties

    def request_enable_head(self, identifier, head):
        properties = {}
        self.add(head, properties)
        self.parts.append(self.client.create(ConfigurationHead, identifier, self.version, self, head, properties))

    def request_disable_head(self, head):
        self.add(head, None)

    def request_apply(self):
        self.submit("apply")

    def request_test(self):
        self.submit("test")

    def submit(self, action):
        """Checks the configuration and hands it to the compositor.

        Heads may have come since the client made a configuration with an old serial, which is cancelled: only one with
        the present serial must name all of them.
        """
        self.check_unused()
        server = self.client.server
        self.configuration.action = action
        omitted = [name for name in self.manager.heads if name not in self.configuration.heads]
        if omitted and self.configuration.serial == server.serial:
            self.fail(UNCONFIGURED_HEAD, f"{', '.join(omitted)} is not configured")
        server.submitted(self)


class ConfigurationHead(Resource):
    """The part of a configuration for one head; goes away with the configuration."""

    interface = CONFIGURATION_HEAD

    def __init__(self, client, identifier, version, owner, head, properties):
        super().__init__(client, identifier, version)
        self.owner = owner
        self.head = head
        self.properties = properties

    def set(self, name, value):
        self.owner.check_unused()
        if name in self.properties:
            self.fail(ALREADY_SET, f"{name} is set twice")
        self.properties[name] = value

    def request_set_mode(self, mode):
        if self.head.modes.get(getattr(mode, "mode", None)) is not mode:
            self.fail(INVALID_MODE, "the mode is not one of the head")
        self.set("mode", mode.mode)

    def request_set_custom_mode(self, width, height, refresh):
        if width <= 0 or height <= 0 or refresh < 0:
            self.fail(INVALID_CUSTOM_MODE, f"invalid mode {width}x{height}@{refresh}")
        self.set("mode", Mode(width, height, refresh))

    def request_set_position(self, x, y):
        self.set("position", (x, y))

    def request_set_transform(self, transform):
        if not 0 <= transform < len(TRANSFORMS):
            self.fail(INVALID_TRANSFORM, f"invalid transform {transform}")
        self.set("transform", TRANSFORMS[transform])

    def request_set_scale(self, scale):
        if scale <= 0:
            self.fail(INVALID_SCALE, f"invalid scale {scale}")
        self.set("scale", scale)

    def request_set_adaptive_sync(self, state):
        if state not in (0, 1):
            self.fail(INVALID_ADAPTIVE_SYNC, f"invalid state {state}")
        self.set("adaptive_sync", bool(state))


class OutputServer(WaylandServer):
    """A compositor with heads.

    With `is_automatic`, it puts the enabled heads in a row and ignores positions that clients set, else it leaves every
    head where it is. `refuses` decides which configurations fail. `configurations` has all that were submitted.
    """

    def __init__(self, path, *heads, version=4, is_automatic=False):
        super().__init__(path)
        self.heads = list(heads)
        self.is_automatic = is_automatic
        self.serial = 1
        self.configurations = []
        self.answers = collections.deque()
        self.refuses = lambda configuration: False
        self.is_holding = False
        self.held = []
        self.outputs = {}
        self.add_global(ManagerResource, version)
        self.arrange()

    # MARK: - for tests

    def head(self, name):
        # A configuration is answered before it is applied.
        with self.lock:
            return next(head for head in self.heads if head.name == name)

    def has_client(self):
        """Returns whether a client has bound the output manager."""
        with self.lock:
            return bool(self.resources(ManagerResource))

    def applied(self):
        """Returns the submitted configurations that were to be applied."""
        with self.lock:
            return [configuration for configuration in self.configurations if configuration.action == "apply"]

    def refuse(self, times=1):
        """Lets the next configurations fail."""
        with self.lock:
            self.answers += ["failed"] * times

    def cancel(self, times=1):
        """Cancels the next configurations, each because of a change whose `done` follows."""
        with self.lock:
            self.answers += ["cancelled"] * times

    def race(self, times=1):
        """Cancels the next configurations, each because of a change whose `done` is on its way at that time."""
        with self.lock:
            self.answers += ["raced"] * times

    def hold(self):
        """Stops answering configurations."""
        with self.lock:
            self.is_holding = True

    def release(self):
        """Answers the held configurations, and later ones at once."""
        with self.lock:
            self.is_holding = False
            for resource in self.held:
                if resource.is_alive:
                    self.submitted(resource)
            self.held = []

    def change(self, name, **properties):
        """Changes a head, as another client or the user's configuration does."""
        with self.lock:
            for key, value in properties.items():
                setattr(self.head(name), key, value)
            self.publish()

    def publish_unchanged(self):
        """Sends a new serial although nothing has changed."""
        with self.lock:
            self.publish()

    def plug(self, head):
        """Adds a head."""
        with self.lock:
            self.heads.append(head)
            for manager in self.resources(ManagerResource):
                manager.introduce(head)
            self.publish()

    def unplug(self, name):
        """Removes a head."""
        with self.lock:
            head = self.head(name)
            self.heads.remove(head)
            for manager in self.resources(ManagerResource):
                manager.remove(head)
            self.publish()

    def finish(self):
        """Ends the managers of all clients, as a compositor does that ends the protocol."""
        with self.lock:
            for manager in self.resources(ManagerResource):
                manager.request_stop()

    # MARK: - the compositor

    def output_bound(self, output):
        """Called after a client has bound a wl_output."""

    def arrange(self):
        """Places the heads, if that is automatic, and offers a wl_output for each enabled one."""
        x = 0
        for head in self.heads:
            if self.is_automatic and head.enabled:
                head.position = (x, 0)
                x += head.rectangle.width
        for head in list(self.outputs):
            if head not in self.heads or not head.enabled:
                self.remove_global(self.outputs.pop(head))
        for head in self.heads:
            if head.enabled and head not in self.outputs:
                self.outputs[head] = self.add_global(OutputResource, 4, head)

    def publish(self):
        """Announces all changes with a new serial."""
        self.arrange()
        self.serial += 1
        for manager in self.resources(ManagerResource):
            for resource in manager.heads.values():
                resource.update()
            manager.send("done", self.serial)
        for output in self.resources(OutputResource):
            output.describe()

    def submitted(self, resource):
        """Answers a configuration, and applies it if that is asked for."""
        configuration = resource.configuration
        if self.is_holding:
            self.held.append(resource)
            return
        self.configurations.append(configuration)
        answer = self.answers.popleft() if self.answers else None
        if answer == "raced":
            self.publish()
        if answer in ("raced", "cancelled") or configuration.serial != self.serial:
            configuration.answer = "cancelled"
        elif answer == "failed" or self.refuses(configuration):
            configuration.answer = "failed"
        else:
            configuration.answer = "succeeded"
        resource.send(configuration.answer)
        if answer == "cancelled":
            self.publish()
        if configuration.answer == "succeeded" and configuration.action == "apply":
            self.apply(configuration)

    def apply(self, configuration):
        for name, properties in configuration.heads.items():
            head = self.head(name)
            head.enabled = properties is not None
            for key, value in (properties or {}).items():
                setattr(head, key, value)
        self.publish()
