# SPDX-License-Identifier: Apache-2.0
"""A python-dbusmock template of orientd, for tests of programs that use org.orientd1 or net.hadess.SensorProxy.

It needs neither a sensor nor orientd. "Tests without a sensor" in orientd's clients.md has an example, describes the
parameters and the methods that control the mock, and says how it differs from orientd.
"""

import collections
import functools

import dbus
import dbus.service
from dbusmock import MOCK_IFACE, mockobject
from dbusmock.mockobject import objects

BUS_NAME = "org.orientd1"
MAIN_OBJ = "/org/orientd1"
MAIN_IFACE = MANAGER = "org.orientd1.Manager"
SYSTEM_BUS = True
IS_OBJECT_MANAGER = True

SENSOR = "org.orientd1.Sensor"
REQUEST = "org.orientd1.Request"
PROXY = "net.hadess.SensorProxy"
PROXY_PATH = "/net/hadess/SensorProxy"
COMPASS = PROXY + ".Compass"

DBUS_ERROR = "org.freedesktop.DBus.Error."
ERROR = "org.orientd1.Error."

# Interface orientations by their bits in a mask. The lowest one is the last resort.
EDGES = {"portrait": 2, "portrait-upside-down": 4, "landscape-right": 8, "landscape-left": 16}
SETS = {**EDGES, "landscape": 24, "all-but-upside-down": 26, "all": 30}
LOCKS = ("off", "current", *EDGES)
HELD = (*EDGES, "face-up", "face-down")
# Interface orientations, each 90 degrees further counter-clockwise.
TURNS = ("portrait", "landscape-left", "portrait-upside-down", "landscape-right")
# The edge of the display that is up, for each output transform.
UP = {"normal": "normal", "90": "left-up", "180": "bottom-up", "270": "right-up"}
# The direction of gravity, for the edge that is up, or for the face.
GRAVITY = {
    "normal": (0.0, -1.0, 0.0),
    "left-up": (1.0, 0.0, 0.0),
    "bottom-up": (0.0, 1.0, 0.0),
    "right-up": (-1.0, 0.0, 0.0),
    "face-up": (0.0, 0.0, -1.0),
    "face-down": (0.0, 0.0, 1.0),
}

PROPERTIES = {
    MANAGER: {
        "Version": "mock",
        "HasAccelerometer": True,
        "SensorState": "idle",
        "DeviceOrientation": "portrait",
        "FaceOrientation": "none",
        "InterfaceOrientation": "portrait",
        "InterfaceReason": "startup",
        "InterfaceRule": "unknown",
        "AskedRequest": dbus.ObjectPath("/"),
        "SupportedOrientations": dbus.UInt32(30),
        "SupportedOrientationNames": dbus.Array(EDGES, signature="s"),
        "OutputTransform": "normal",
        "NaturalOrientation": "portrait",
        "RotationLock": "off",
        "Autorotate": "always",
        "AutorotateSource": "default",
        "TabletMode": "unknown",
        "TabletModeSource": "none",
        "HingeAngle": -1.0,
        "TabletSwitchContradicted": False,
        "Gravity": dbus.Struct((0.0, 0.0, 0.0), signature="ddd"),
        "Claims": dbus.UInt32(0),
        "SensorProxyClients": dbus.Array([], signature="s"),
    },
    SENSOR: {
        "Name": "mock",
        "SysfsPath": "",
        "Location": "display",
        "Mode": "replay",
        "SampleRate": 0.0,
        "SensingLevel": "stream",
        "MountMatrix": dbus.Array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], signature="d"),
        "FaceUp": "+z",
        "FaceUpReason": "",
        "State": "idle",
        "LastError": "",
    },
    REQUEST: {
        "AppId": dbus.String(""),
        "Supported": dbus.UInt32(0),
        "Preferred": dbus.String(""),
        "ShouldAutorotate": dbus.Boolean(True),
        "Presentation": dbus.String("modal"),
        "Parent": dbus.ObjectPath("/"),
        "ForwardsTo": dbus.ObjectPath("/"),
        "Active": dbus.Boolean(True),
        "Reason": dbus.String(""),
        "SupportedNames": dbus.Array([], signature="s"),
    },
    PROXY: {
        "HasAccelerometer": True,
        "AccelerometerOrientation": "undefined",
        "AccelerometerTilt": "undefined",
        "HasAmbientLight": False,
        "LightLevelUnit": "lux",
        "LightLevel": 0.0,
        "HasProximity": False,
        "ProximityNear": False,
    },
    COMPASS: {"HasCompass": False, "CompassHeading": 0.0},
}

# The options of Request and Update, with their properties.
OPTIONS = ("supported", "preferred", "should-autorotate", "presentation", "parent", "forwards-to", "active", "reason")
OPTIONS = {name: "".join(word.capitalize() for word in name.split("-")) for name in OPTIONS}


def error(name, text):
    return dbus.DBusException(text, name=name)


def invalid(text):
    return error(DBUS_ERROR + "InvalidArgs", text)


def check(value, values, argument):
    """Refuses a value that is not one of `values`."""
    if value not in values:
        raise invalid(f"{argument}: '{value}' is none of {', '.join(values)}")
    return str(value)


def following(edge):
    """Returns the interface orientation that follows an edge of the device, or the edge that it follows."""
    return {"landscape-left": "landscape-right", "landscape-right": "landscape-left"}.get(edge, edge)


def names_of(mask):
    return dbus.Array([name for name, bit in EDGES.items() if mask & bit], signature="s")


def mask_of(value, argument):
    """Returns the mask that is given as a number, or as an array of names."""
    if isinstance(value, dbus.Array):
        if len(value) > len(EDGES):
            raise invalid(f"{argument}: takes at most four names")
        mask = 0
        for name in value:
            mask |= SETS[check(name, SETS, argument)]
        return mask_of(mask, argument)
    if value & ~SETS["all"] or not value:
        raise invalid(f"{argument}: {value} has bits that are no orientation" if value else f"{argument}: is empty")
    return dbus.UInt32(value)


# The reasons of explicit commands, by the methods that give them.
COMMANDS = {"Rotate": "manual", "AlignToDevice": "manual", "SetRotationLock": "lock"}


def method(interface, in_signature="", out_signature=""):
    """A method that GetCalls lists, and whose changes are announced before its reply."""

    def decorate(function):
        dbus.service.method(interface, in_signature, out_signature, sender_keyword="sender")(function)

        @functools.wraps(function)
        def call(self, *arguments, sender):
            result = mockobject.loggedmethod(self, function)(self, *arguments, sender=sender)
            self.manager.publish(COMMANDS.get(function.__name__))
            return result

        return call

    return decorate


class Object(mockobject.DBusMockObject):
    """An object whose properties can only be read, with the errors of orientd."""

    @dbus.service.method(dbus.PROPERTIES_IFACE, "ss", "v")
    def Get(self, interface_name, property_name):
        if property_name not in self.props.get(interface_name, {}):
            raise error(DBUS_ERROR + "UnknownProperty", f"there is no property {interface_name}.{property_name}")
        return self.props[interface_name][property_name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, "s", "a{sv}")
    def GetAll(self, interface_name):
        if interface_name not in self.props:
            raise error(DBUS_ERROR + "UnknownInterface", f"there is no interface {interface_name}")
        return self.props[interface_name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, "ssv")
    def Set(self, interface_name, property_name, value):
        self.Get(interface_name, property_name)
        raise error(DBUS_ERROR + "PropertyReadOnly", f"{property_name} cannot be set")

    @dbus.service.method(
        dbus.INTROSPECTABLE_IFACE, "", "s", path_keyword="object_path", connection_keyword="connection"
    )
    def Introspect(self, object_path, connection):
        text = mockobject.DBusMockObject.Introspect(self, object_path, connection)
        return text.replace('access="readwrite"', 'access="read"')

    def announce(self, interface, changed, client=None):
        """Sends PropertiesChanged, to one client or to all."""
        arguments = [interface, dbus.Dictionary(changed, signature="sv"), dbus.Array([], signature="s")]
        details = {"destination": client} if client else {}
        self.EmitSignalDetailed(dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as", arguments, details)

    def change(self, interface, values):
        """Sets properties, and announces those that differ."""
        changed = {name: value for name, value in values.items() if self.props[interface][name] != value}
        self.props[interface].update(changed)
        if changed:
            self.announce(interface, changed)


class Manager(Object):
    """The object /org/orientd1. It decides for all objects; `self.state` has what publish() announces next."""

    def start(self, parameters):
        for watch in getattr(self, "watches", {}).values():
            watch.cancel()
        self.manager = self
        self.values = self.props[MANAGER] = dict(PROPERTIES[MANAGER])
        for name, value in (parameters or {}).items():
            kind = type(self.values[check(name, self.values, "parameters")])
            try:
                self.values[name] = kind(value)
            except (TypeError, ValueError):
                raise invalid(f"{name}: '{value}' is no {kind.__name__}") from None
        self.state = collections.ChainMap({}, self.values)
        if "Autorotate" in (parameters or {}) and "AutorotateSource" not in parameters:
            self.values["AutorotateSource"] = "configuration"

        self.device = check(self.values["DeviceOrientation"], HELD, "DeviceOrientation")
        self.values["DeviceOrientation"] = "unknown"
        self.natural = following(check(self.values["NaturalOrientation"], EDGES, "NaturalOrientation"))
        self.supported = self.values["SupportedOrientations"]
        lock = check(self.values["RotationLock"], LOCKS, "RotationLock")
        order = [edge for edge in (lock, self.natural, *EDGES) if EDGES.get(edge, 0) & self.supported]
        if not order:
            raise invalid(f"SupportedOrientations: {self.supported} has no orientation")
        self.values["InterfaceOrientation"] = self.fallback = order[0]
        self.held = lock if lock in EDGES else order[0]
        self.is_manual = False

        self.claims, self.refused = [], []
        self.proxy_claims = {"Accelerometer": [], "Light": [], "Proximity": [], "Compass": []}
        # In the order in which they were presented.
        self.requests, self.request_count = [], 0
        self.masks, self.watches = {}, {}
        self.sensor = None
        self.proxy = self.add(SensorProxy, PROXY_PATH, PROXY)
        self.add(Compass, PROXY_PATH + "/Compass", COMPASS)
        self.proxy_name = dbus.service.BusName(PROXY, self.connection, allow_replacement=True)
        self.publish()

    def add(self, kind, path, interface, values=None):
        """Makes an object."""
        made = kind(self.bus_name, path, interface, dict(values or PROPERTIES[interface]))
        made.manager = made.object_manager = self
        # The values of a sensor of net.hadess.SensorProxy that changed while nobody claimed it, and those that changed
        # since a client has released it, by client and kind.
        made.unsent, made.missed = {}, {}
        made.logfile, made.is_logfile_owner = self.logfile, False
        objects[path] = made
        return made

    # What decides

    def asked(self):
        """Returns the request that decides: the last active modal one, or root; None if there is none."""
        active = [request for request in self.requests if request.is_active()]
        modal = [request for request in active if request.values["Presentation"] == "modal"]
        return (modal or [request for request in active if request.values["Parent"] == "/"] or [None])[-1]

    def granted(self, values, client):
        """Returns what the device and the application allow a request."""
        return self.supported & self.masks.get((client, values["AppId"]), SETS["all"])

    def mask(self):
        """Returns what is allowed now; never empty."""
        asked = self.asked()
        granted = self.granted(asked.values, asked.client) if asked else self.supported
        return granted & (asked.values["Supported"] if asked else granted) or granted or self.supported

    def is_laptop(self):
        return self.state["Autorotate"] == "tablet-mode" and self.state["TabletMode"] == "laptop"

    def is_locked(self):
        return self.state["RotationLock"] != "off" and not self.is_laptop()

    def follows_device(self):
        return not self.asked() or bool(self.asked().values["ShouldAutorotate"])

    def upright(self):
        """Returns the rule that applies without masks, and the orientation that it demands, or None."""
        if self.is_laptop():
            return "laptop", self.natural
        if self.is_locked():
            return "lock", self.held
        if not self.follows_device() or self.state["Autorotate"] == "never":
            return "never" if self.follows_device() else "fixed", None
        if self.state["DeviceOrientation"] == "unknown":
            return "unknown", None
        return "device", following(self.state["DeviceOrientation"])

    def rule(self):
        shown, (rule, demanded) = self.state["InterfaceOrientation"], self.upright()
        if not EDGES[shown] & self.mask():
            return "waiting"
        if demanded is None and rule != "fixed":
            demanded = self.fallback
        if self.is_manual or demanded in (None, shown):
            return "manual" if self.is_manual else rule
        return "kept" if EDGES[demanded] & self.mask() else "mask"

    def transform(self, orientation):
        """Returns the output transform for an interface orientation."""
        return list(UP)[(TURNS.index(orientation) - TURNS.index(self.natural)) % 4]

    def resolve(self, reason, *first):
        """Shows the first allowed orientation: of `first`, what the rules demand, the current one, or another."""
        asked, shown = self.asked(), self.state["InterfaceOrientation"]
        preferred = asked.values["Preferred"] if asked and asked.values["Presentation"] == "modal" else ""
        upright, edge = self.upright()[1] or self.fallback, self.state["DeviceOrientation"]
        order = [*first, upright]
        if first and self.is_laptop():
            order.append(following(edge) if edge in EDGES and self.follows_device() else self.fallback)
        order += [shown, preferred, *EDGES]
        chosen = next(edge for edge in order if EDGES.get(edge, 0) & self.mask())
        if not first:
            self.is_manual = False
        if chosen == upright and reason != "request" or not asked:
            self.fallback = chosen
        self.turn(chosen, reason)

    def show(self, orientation, reason):
        if reason != "request":
            self.fallback = orientation
        self.turn(orientation, reason)

    def turn(self, orientation, reason):
        if orientation != self.state["InterfaceOrientation"]:
            self.is_manual = self.is_manual and reason != "request"
            self.state.update(InterfaceOrientation=orientation, InterfaceReason=reason)

    def sense(self):
        """Applies how the device is held; called while the sensor runs."""
        is_flat = self.device not in EDGES
        self.state["FaceOrientation"] = self.device if is_flat else "none"
        gravity = GRAVITY[self.device if is_flat else UP[self.transform(following(self.device))]]
        # It changes without a signal.
        self.values["Gravity"] = dbus.Struct(gravity, signature="ddd")
        if is_flat or self.device == self.state["DeviceOrientation"]:
            return
        self.state["DeviceOrientation"] = self.device
        if self.is_laptop():
            if self.is_manual:
                self.resolve("tablet-mode")
            return
        self.is_manual = False
        if self.upright()[0] == "device":
            self.resolve("sensor")

    def publish(self, command=None):
        """Computes the properties, and announces what has changed since the last time, or a command without a change."""
        state, asked = self.state, self.asked()
        if state["HasAccelerometer"]:
            autorotates = any(each.is_active() and each.values["ShouldAutorotate"] for each in self.requests)
            runs = self.claims or self.proxy_claims["Accelerometer"] or autorotates
            state["SensorState"] = "sampling" if runs else "idle"
            if runs:
                self.sense()
        elif state["SensorState"] not in ("none", "lost"):
            state["SensorState"] = "lost" if self.sensor else "none"
        if self.sensor or state["HasAccelerometer"]:
            if not self.sensor:
                self.sensor = self.add(Object, MAIN_OBJ + "/sensor/0", SENSOR)
                self.object_manager_emit_added(self.sensor.path)
            self.sensor.change(SENSOR, {"State": state["SensorState"]})
        state.update(
            Claims=dbus.UInt32(len(self.claims)),
            SensorProxyClients=dbus.Array(self.proxy_claims["Accelerometer"], signature="s"),
            AskedRequest=dbus.ObjectPath(asked.path if asked else "/"),
            SupportedOrientations=dbus.UInt32(self.mask()),
            SupportedOrientationNames=names_of(self.mask()),
            InterfaceRule=self.rule(),
            OutputTransform=self.transform(state["InterfaceOrientation"]),
        )
        transition = self.values["InterfaceOrientation"], state["InterfaceOrientation"], state["InterfaceReason"]
        if transition[0] != transition[1]:
            self.WillTransition(*transition)
        self.change(MANAGER, state.maps[0])
        state.maps[0].clear()
        if transition[0] != transition[1]:
            self.DidTransition(*transition)
        elif command:
            self.Confirmed(transition[1], command)
        self.proxy.follow(self.values)

    # Clients

    def allow(self, action, client):
        """Refuses what SetRefused names; otherwise what the client gets ends with its connection."""
        if action in self.refused:
            raise error(DBUS_ERROR + "AccessDenied", f"not authorized: the mock refuses {action}")
        if client not in self.watches:
            self.watches[client] = self.connection.watch_name_owner(
                client, lambda owner: None if owner else self.forget(client)
            )

    def forget(self, client):
        """Ends everything of a client that has left the bus."""
        self.watches.pop(client).cancel()
        for claims in (self.claims, *self.proxy_claims.values()):
            claims[:] = [each for each in claims if each != client]
        self.drop([request for request in self.requests if request.client == client])
        self.masks = {key: mask for key, mask in self.masks.items() if key[0] != client}
        self.publish()

    def drop(self, requests):
        """Ends requests."""
        asked = self.asked()
        for request in requests:
            self.requests.remove(request)
            self.object_manager_emit_removed(request.path)
            self.RemoveObject(request.path)
        if self.asked() is not asked:
            self.resolve("request")

    def read(self, options, values, client, request=None):
        """Returns the properties of a request, with the given options of Request or Update."""
        values = dict(values)
        for name, value in options.items():
            key = OPTIONS[check(name, OPTIONS, "options")]
            if name == "supported" and isinstance(value, dbus.Array):
                value = mask_of(value, name)
            if not isinstance(value, type(values[key])):
                raise invalid(f"{name}: takes a value of another type")
            values[key] = type(values[key])(value)
        if len(values["Reason"].encode()) > 1024:
            raise invalid("reason: takes at most 1024 bytes")
        mask_of(values["Supported"], "supported")
        values["SupportedNames"] = names_of(values["Supported"])
        check(values["Presentation"], ("modal", "push"), "presentation")
        own = [each for each in self.requests if each.client == client]
        others = {"forwards-to": own, "parent": [each for each in own if request not in each.ancestors()]}
        for name in others.keys() & options.keys():
            check(options[name], ["/", *(each.path for each in others[name])], name)
        preferred = values["Preferred"]
        if preferred and not EDGES[check(preferred, EDGES, "preferred")] & values["Supported"]:
            raise error(ERROR + "InvalidInterfaceOrientation", f"preferred: {preferred} is not supported")
        if not self.granted(values, client) & values["Supported"]:
            raise error(ERROR + "InvalidInterfaceOrientation", "supported: device and application allow none of these")
        return values

    # The interface org.orientd1.Manager

    @dbus.service.signal(MANAGER, signature="sss")
    def WillTransition(self, from_, to, reason):
        pass

    @dbus.service.signal(MANAGER, signature="sss")
    def DidTransition(self, from_, to, reason):
        pass

    @dbus.service.signal(MANAGER, signature="ss")
    def Confirmed(self, orientation, reason):
        pass

    @method(MANAGER)
    def Claim(self, sender):
        self.allow("org.orientd1.claim", sender)
        self.claims.append(sender)

    @method(MANAGER)
    def Release(self, sender):
        if sender in self.claims:
            self.claims.remove(sender)

    @method(MANAGER)
    def ClaimTabletMode(self, sender):
        self.allow("org.orientd1.claim", sender)

    @method(MANAGER)
    def ReleaseTabletMode(self, sender):
        pass

    @method(MANAGER, "s")
    def SetRotationLock(self, lock, sender):
        check(lock, LOCKS, "lock")
        self.allow("org.orientd1.lock", sender)
        if lock == "off":
            if self.state["RotationLock"] != "off":
                self.state["RotationLock"] = "off"
                self.resolve("lock")
            return
        orientation = self.state["InterfaceOrientation"] if lock == "current" else str(lock)
        if not EDGES[orientation] & self.supported:
            raise error(ERROR + "OrientationNotSupported", f"{orientation}: this device does not support it")
        self.state["RotationLock"], self.held = str(lock), orientation
        if self.is_locked():
            self.is_manual = False
            if EDGES[orientation] & self.mask():
                self.show(orientation, "lock")

    @method(MANAGER, "s")
    def SetAutorotate(self, mode, sender):
        mode = check(mode, ("always", "tablet-mode", "never", "auto"), "mode")
        self.allow("org.orientd1.configure", sender)
        self.state["AutorotateSource"] = "default" if mode == "auto" else "override"
        has_tablet_mode = self.state["TabletModeSource"] == "override"
        self.set_autorotate(self.usual_mode(has_tablet_mode) if mode == "auto" else mode)

    def usual_mode(self, has_tablet_mode):
        return "tablet-mode" if has_tablet_mode else "always"

    def set_autorotate(self, mode):
        if mode != self.state["Autorotate"]:
            self.state["Autorotate"] = mode
            self.resolve("configuration")

    @method(MANAGER, "s")
    def SetTabletMode(self, mode, sender):
        mode = check(mode, ("auto", "laptop", "tablet"), "mode")
        self.allow("org.orientd1.tablet-mode", sender)
        is_set = mode != "auto"
        if self.state["AutorotateSource"] == "default":
            self.set_autorotate(self.usual_mode(is_set))
        was_laptop = self.is_laptop()
        self.state.update(
            TabletMode=mode if is_set else "unknown", TabletModeSource="override" if is_set else "none"
        )
        if self.is_laptop() != was_laptop:
            self.resolve("tablet-mode")

    @method(MANAGER, "s")
    def Rotate(self, orientation, sender):
        orientation = check(orientation, EDGES, "orientation")
        self.allow("org.orientd1.rotate", sender)
        if not EDGES[orientation] & self.mask():
            raise error(ERROR + "OrientationNotSupported", f"{orientation}: it is not allowed now")
        self.hold(orientation)
        self.show(orientation, "manual")
        self.is_manual = not self.is_locked()

    @method(MANAGER)
    def AlignToDevice(self, sender):
        self.allow("org.orientd1.rotate", sender)
        edge = self.state["DeviceOrientation"]
        if edge == "unknown" or not self.follows_device():
            return
        if EDGES[following(edge)] & self.mask() and not self.is_laptop():
            self.hold(following(edge))
            self.is_manual = False
            self.show(following(edge), "manual")
        elif self.is_laptop() or not self.is_locked() and self.state["Autorotate"] != "never":
            self.resolve("manual")

    def hold(self, orientation):
        """Makes the lock hold another orientation, if it is on."""
        if self.state["RotationLock"] != "off" and EDGES[orientation] & self.supported:
            self.held = orientation
            if self.state["RotationLock"] != "current":
                self.state["RotationLock"] = orientation

    @method(MANAGER, "su")
    def SetApplicationMask(self, app_id, mask, sender):
        if mask:
            mask_of(mask, "mask")
        if not 1 <= len(app_id.encode()) <= 255:
            raise invalid("app_id: takes 1 to 255 bytes")
        self.allow("org.orientd1.request", sender)
        old, self.masks[sender, app_id] = self.masks.get((sender, app_id), SETS["all"]), mask or SETS["all"]
        asked = self.asked()
        if asked and not self.granted(asked.values, asked.client) & asked.values["Supported"]:
            self.masks[sender, app_id] = old
            raise error(ERROR + "InvalidInterfaceOrientation", "mask: nothing would remain for the deciding request")
        self.resolve("request", self.state["InterfaceOrientation"])

    @method(MANAGER, "sas")
    def SetApplicationOrientations(self, app_id, orientations, sender):
        mask = mask_of(orientations, "orientations") if orientations else 0
        self.SetApplicationMask(app_id, mask, sender=sender)

    @method(MANAGER, "sua{sv}", "o")
    def Request(self, app_id, supported, options, sender):
        if not 1 <= len(app_id.encode()) <= 255:
            raise invalid("app_id: takes 1 to 255 bytes")
        if supported and "supported" in options:
            raise invalid("supported: the argument must be 0 beside the option")
        values = {**PROPERTIES[REQUEST], "AppId": app_id, "Supported": supported}
        if options.get("parent", "/") != "/":
            values["Presentation"] = dbus.String("push")
        values = self.read(options, values, sender)
        self.allow("org.orientd1.request", sender)
        self.request_count += 1
        made = self.add(Request, f"{MAIN_OBJ}/request/{self.request_count}", REQUEST, values)
        made.client = sender
        self.requests.append(made)
        self.object_manager_emit_added(made.path)
        if self.asked() is made:
            self.resolve("request", values["Preferred"], self.state["InterfaceOrientation"])
        return dbus.ObjectPath(made.path)

    @method(MANAGER, "", "a(ososus)")
    def ListRequests(self, sender):
        names = ("AppId", "Parent", "Presentation", "Supported", "Reason")
        requests = [objects[path] for path in objects if path.startswith(MAIN_OBJ + "/request/")]
        return [(request.path, *(request.values[name] for name in names)) for request in requests]

    # What tests call

    @method(MOCK_IFACE, "s")
    def SetDeviceOrientation(self, orientation, sender):
        """Turns the device to one of the edges, or to face-up or face-down. Published while the sensor runs."""
        self.device = check(orientation, HELD, "orientation")

    @method(MOCK_IFACE, "b")
    def SetHasAccelerometer(self, has_accelerometer, sender):
        """Unplugs the accelerometer, or plugs it in."""
        self.state["HasAccelerometer"] = bool(has_accelerometer)

    @method(MOCK_IFACE, "ss")
    def Transition(self, to, reason, sender):
        """Turns the interface for any reason, whatever the rules say."""
        self.show(check(to, EDGES, "to"), str(reason))

    @method(MOCK_IFACE, "as")
    def SetRefused(self, actions, sender):
        """Refuses these polkit actions from now on, and no others."""
        self.refused = list(actions)


class Request(Object):
    """An object /org/orientd1/request/N."""

    @property
    def values(self):
        return self.props[REQUEST]

    def ancestors(self):
        """Returns the request itself and those that it belongs to."""
        parent = objects.get(self.values["Parent"])
        return [self, *(parent.ancestors() if parent else [])]

    def is_active(self):
        return all(each.values["Active"] for each in self.ancestors())

    def check_owner(self, client):
        if client != self.client:
            raise error(ERROR + "NotYourRequest", "the request belongs to another connection")

    @method(REQUEST, "a{sv}")
    def Update(self, changes, sender):
        self.check_owner(sender)
        manager, was_active = self.manager, self.values["Active"]
        values = manager.read(changes, self.values, sender, self)
        asked, shown = manager.asked(), manager.state["InterfaceOrientation"]
        self.change(REQUEST, values)
        if values["Active"] and not was_active:
            manager.requests.remove(self)
            manager.requests.append(self)
        if manager.asked() is not self:
            if manager.asked() is not asked:
                manager.resolve("request")
        elif asked is not self:
            manager.resolve("request", values["Preferred"], shown)
        elif values["Presentation"] == "modal":
            manager.resolve("request", shown)

    @method(REQUEST)
    def SetNeedsUpdate(self, sender):
        self.check_owner(sender)
        if self.manager.asked() is self:
            self.manager.resolve("request", self.manager.state["InterfaceOrientation"])

    @method(REQUEST)
    def Release(self, sender):
        self.check_owner(sender)
        self.manager.drop([request for request in self.manager.requests if self in request.ancestors()])


def claim_methods(interface, kind):
    """Returns the methods that claim and release a kind of sensor."""

    def claim(self, sender):
        self.manager.allow("net.hadess.SensorProxy.claim-sensor", sender)
        if sender not in self.manager.proxy_claims[kind]:
            self.manager.proxy_claims[kind].append(sender)
            unsent = {name: self.unsent.pop(name) for name in list(self.unsent) if kind in name}
            for name, value in self.missed.pop((sender, kind), unsent).items():
                self.announce(interface, {name: value}, sender)

    def release(self, sender):
        if sender in self.manager.proxy_claims[kind]:
            self.manager.proxy_claims[kind].remove(sender)
            self.missed[sender, kind] = {}

    claim.__name__, release.__name__ = "Claim" + kind, "Release" + kind
    return method(interface)(claim), method(interface)(release)


class Proxied(Object):
    """An object of net.hadess.SensorProxy. It sends the values of a sensor only to those who claim it."""

    def set_value(self, name, value):
        ((claimed, clients),) = [(kind, clients) for kind, clients in self.manager.proxy_claims.items() if kind in name]
        if name.startswith("Has"):
            self.change(self.interface, {name: value})
        elif self.props[self.interface][name] != value:
            self.props[self.interface][name] = value
            self.unsent.update({} if clients else {name: value})
            for (_, kind), missed in self.missed.items():
                missed.update({name: value} if kind == claimed else {})
            for client in clients:
                self.announce(self.interface, {name: value}, client)

    @method(MOCK_IFACE, "sa{sv}")
    def UpdateProperties(self, interface, properties, sender):
        for name, value in properties.items():
            self.set_value(name, type(self.Get(interface or self.interface, name))(value))


class SensorProxy(Proxied):
    """The object /net/hadess/SensorProxy."""

    ClaimAccelerometer, ReleaseAccelerometer = claim_methods(PROXY, "Accelerometer")
    ClaimLight, ReleaseLight = claim_methods(PROXY, "Light")
    ClaimProximity, ReleaseProximity = claim_methods(PROXY, "Proximity")

    def follow(self, values):
        """Publishes the accelerometer as the Manager's properties have it."""
        self.set_value("HasAccelerometer", values["HasAccelerometer"])
        is_decided = values["InterfaceRule"] != "unknown" or values["InterfaceReason"] != "startup"
        if is_decided or values["DeviceOrientation"] != "unknown":
            self.set_value("AccelerometerOrientation", UP[values["OutputTransform"]])
        if values["FaceOrientation"] != "none" or values["DeviceOrientation"] != "unknown":
            tilt = "vertical" if values["FaceOrientation"] == "none" else values["FaceOrientation"]
            self.set_value("AccelerometerTilt", tilt)


class Compass(Proxied):
    """The object /net/hadess/SensorProxy/Compass."""

    ClaimCompass, ReleaseCompass = claim_methods(COMPASS, "Compass")


def load(mock, parameters):
    # dbusmock has made the object already.
    mock.__class__ = Manager
    mock.start(parameters)
