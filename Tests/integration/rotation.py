# SPDX-License-Identifier: Apache-2.0
"""What applications and people do with the interface: views, turns of the device, and recorded announcements."""

import collections

from gi.repository import GLib

from rig import (
    BUS_NAME,
    LANDSCAPE_LEFT,
    LANDSCAPE_RIGHT,
    MANAGER,
    PORTRAIT,
    PROPERTIES,
    REQUEST,
    ROOT_PATH,
    RigTestCase,
    UPSIDE_DOWN,
    accelerometer,
    handle_events,
    wait_until,
)

# In the order of their raw values, which start at 1.
ORIENTATIONS = ("portrait", "portrait-upside-down", "landscape-right", "landscape-left")
LANDSCAPE = 24
ALL_BUT_UPSIDE_DOWN = 26
ALL = 30

# For each device orientation, the sensor's raw values and the interface orientation that follows it.
HELD = {
    "portrait": (PORTRAIT, "portrait"),
    "landscape-left": (LANDSCAPE_LEFT, "landscape-right"),
    "portrait-upside-down": (UPSIDE_DOWN, "portrait-upside-down"),
    "landscape-right": (LANDSCAPE_RIGHT, "landscape-left"),
}

OPTION_TYPES = {
    "supported": "u",
    "preferred": "s",
    "should-autorotate": "b",
    "presentation": "s",
    "parent": "o",
    "forwards-to": "o",
    "active": "b",
    "reason": "s",
}

WILL, CHANGED, DID = "WillTransition", "PropertiesChanged", "DidTransition"
CONFIRMED = "Confirmed"

Event = collections.namedtuple("Event", "signal arguments")


def mask(*orientations):
    """Returns the mask of the given orientations."""
    return sum(2 << ORIENTATIONS.index(orientation) for orientation in orientations)


def options_of(values):
    """Returns {option: variant}; a view is replaced by its path, and a variant is kept."""
    options = {}
    for name, value in values.items():
        # Views have a parameter of the option's name.
        name = "supported" if name == "mask" else name.replace("_", "-")
        if isinstance(value, View):
            value = value.path
        if not isinstance(value, GLib.Variant):
            value = GLib.Variant(OPTION_TYPES[name], value)
        options[name] = value
    return options


class View:
    """A request on the bus, which represents a view of an application."""

    def __init__(self, client, supported, app_id="org.example.App", **options):
        self.client = client
        (self.path,) = client.ask("Request", "sua{sv}", app_id, supported, options_of(options))

    def ask(self, method, signature="", *values, client=None):
        """Calls a method of the request, as its owner unless another client is given."""
        return (client or self.client).ask(method, signature, *values, interface=REQUEST, path=self.path)

    def refusal(self, method, signature="", *values, client=None):
        """Makes a call that should fail and returns the error's name and text."""
        return (client or self.client).refusal(method, signature, *values, interface=REQUEST, path=self.path)

    def update(self, **changes):
        self.ask("Update", "a{sv}", options_of(changes))

    def refused_update(self, **changes):
        """Makes an update that should fail and returns the error's name and text."""
        return self.refusal("Update", "a{sv}", options_of(changes))

    def set_needs_update(self):
        self.ask("SetNeedsUpdate")

    def release(self):
        self.ask("Release")

    def get(self, name):
        return self.client.get(name, REQUEST, self.path)

    def get_all(self):
        return self.client.get_all(REQUEST, self.path)


class RotationTestCase(RigTestCase):
    """Tests how the interface is shown, on a device whose orientation is decided by each single sample."""

    def start(self, *lines, held="portrait", claim=True, **options):
        """Starts orientd with additional configuration lines and waits until the device orientation is `held`."""
        self.rig.add_device(accelerometer(raw=HELD[held][0]))
        configuration = "\n".join(["[Orientation]", "Classifier=base", *lines, ""])
        daemon = self.rig.start_orientd("--rate", "100", configuration=configuration, **options)
        if claim:
            self.client.claim()
            self.assertEqual(self.client.get("DeviceOrientation"), held)
        return daemon

    def turn(self, held):
        """Turns the device and returns when the interface has reacted."""
        self.rig.turn(HELD[held][0])
        self.assert_orientation(held)

    def view(self, supported, app_id="org.example.App", **options):
        """Presents a view of the test's own client."""
        return View(self.client, supported, app_id, **options)

    def refused_view(self, supported, app_id="org.example.App", **options):
        """Presents a view that should be refused and returns the error's name and text."""
        return self.client.refusal("Request", "sua{sv}", app_id, supported, options_of(options))

    def assert_shown(self, orientation, **others):
        """Checks how the interface is shown and further properties of the manager: `rule`, `reason`, `mask`, ..."""
        names = {
            "reason": "InterfaceReason",
            "rule": "InterfaceRule",
            "mask": "SupportedOrientations",
            "lock": "RotationLock",
            "asked": "AskedRequest",
        }
        expected = {"InterfaceOrientation": orientation}
        for key, value in others.items():
            expected[names[key]] = value.path if isinstance(value, View) else value
        found = self.client.get_all()
        self.assertEqual({name: found[name] for name in expected}, expected)

    def record_events(self):
        """Returns a list to which every later signal of the manager and change of its properties is appended."""
        events = []

        def append(_connection, _sender, _path, interface, signal, arguments):
            arguments = arguments.unpack()
            if interface == MANAGER:
                events.append(Event(signal, arguments))
            elif interface == PROPERTIES and arguments[0] == MANAGER:
                events.append(Event(signal, arguments[1]))

        self.client.connection.signal_subscribe(BUS_NAME, None, None, ROOT_PATH, None, 0, append)
        self.client.round_trip()
        return events

    def transitions(self, events):
        """Returns (from, to, reason) of each transition among events; checks that each has both signals."""
        self.flush()
        announced = [event.arguments for event in events if event.signal == WILL]
        self.assertEqual([event.arguments for event in events if event.signal == DID], announced)
        return announced

    def flush(self):
        """Returns when all signals that orientd has sent so far are recorded."""
        self.client.get("Version")
        handle_events()

    def state(self):
        """Returns everything that a refused call must not change."""
        properties = self.client.get_all()
        del properties["Gravity"]
        return properties, self.client.objects(), self.client.ask("ListRequests")

    def wait_for_requests(self, count):
        """Waits until there are `count` requests."""
        wait_until(lambda: len(self.client.ask("ListRequests")[0]) == count, f"{count} requests")
