# SPDX-License-Identifier: Apache-2.0
"""The manager's methods for the interface: what they do, who may call them, and how changes are announced."""

import os
import subprocess
from xml.etree import ElementTree

from gi.repository import GLib

from rig import (
    ACCESS_DENIED,
    ACTIONS,
    BUS_NAME,
    INVALID_ARGS,
    MANAGER,
    ORIENTATION_NOT_SUPPORTED,
    ROOT_PATH,
    SOURCE_ROOT,
    wait_until,
)
from rotation import ALL, CHANGED, CONFIRMED, DID, LANDSCAPE, ORIENTATIONS, RotationTestCase, WILL, mask

# The output transform for each interface orientation, by the display's natural orientation; the edges turn with that.
TRANSFORMS = {
    "portrait": {
        "portrait": "normal",
        "landscape-right": "270",
        "portrait-upside-down": "180",
        "landscape-left": "90",
    },
    "landscape-left": {
        "landscape-right": "normal",
        "portrait-upside-down": "270",
        "landscape-left": "180",
        "portrait": "90",
    },
}

# Each method that polkit authorizes, with arguments that change something, and the polkit action.
AUTHORIZED = [
    ("Claim", "", (), "claim"),
    ("SetRotationLock", "s", ("landscape-left",), "lock"),
    ("Rotate", "s", ("portrait-upside-down",), "rotate"),
    ("AlignToDevice", "", (), "rotate"),
    ("SetApplicationMask", "su", ("org.example.Before", LANDSCAPE), "request"),
    ("Request", "sua{sv}", ("org.example.App", LANDSCAPE, {}), "request"),
    ("SetTabletMode", "s", ("laptop",), "tablet-mode"),
    ("SetAutorotate", "s", ("never",), "configure"),
]
# More of them: one is another form of the method above, one changes nothing that is announced.
ALSO_AUTHORIZED = [
    ("SetApplicationOrientations", "sas", ("org.example.Before", ["landscape-left"]), "request"),
    ("ClaimTabletMode", "", (), "claim"),
]


class Lock(RotationTestCase):
    def test_lock_can_be_off_current_and_each_orientation(self):
        self.start()
        self.assertEqual(self.client.get("RotationLock"), "off")
        for lock in ("current", *ORIENTATIONS, "off", "current", "off"):
            self.client.ask("SetRotationLock", "s", lock)
            self.assertEqual(self.client.get("RotationLock"), lock)

    def test_current_holds_the_shown_orientation_and_turns_nothing(self):
        self.start(held="landscape-left")
        events = self.record_events()
        self.client.ask("SetRotationLock", "s", "current")
        self.flush()
        self.assertEqual(
            [event.arguments for event in events if event.signal == CHANGED],
            [{"RotationLock": "current", "InterfaceRule": "lock"}],
        )
        self.turn("portrait")
        self.assert_shown("landscape-right", lock="current", rule="lock")

    def test_an_orientation_turns_to_it(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="lock", rule="lock")

    def test_unlocking_acts_as_if_the_device_had_just_turned(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "current")
        self.turn("landscape-left")
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_shown("landscape-right", reason="lock", rule="device")

    def test_an_orientation_outside_the_device_configuration_is_refused(self):
        self.start("SupportedOrientations=all-but-upside-down")
        before = self.state()
        self.assertEqual(
            self.client.refusal("SetRotationLock", "s", "portrait-upside-down"),
            (ORIENTATION_NOT_SUPPORTED, "portrait-upside-down: this device supports all-but-upside-down only"),
        )
        self.assertEqual(self.state(), before)

    def test_an_orientation_outside_the_asked_views_mask_is_remembered(self):
        self.start()
        view = self.view(LANDSCAPE)
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_shown("landscape-right", lock="portrait", rule="mask")
        view.release()
        self.assert_shown("portrait", lock="portrait", rule="lock")


class Manual(RotationTestCase):
    def test_rotate_turns_although_the_device_is_held_differently(self):
        self.start()
        for orientation in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            self.client.ask("Rotate", "s", orientation)
            self.assert_shown(orientation, reason="manual", rule="manual", lock="off")

    def test_rotate_outside_the_effective_mask_is_refused(self):
        self.start("SupportedOrientations=all-but-upside-down")
        for view, text in (
            (None, "portrait-upside-down: this device supports all-but-upside-down only"),
            (LANDSCAPE, "portrait-upside-down: org.example.App allows landscape only"),
        ):
            if view:
                self.view(view)
            before = self.state()
            self.assertEqual(
                self.client.refusal("Rotate", "s", "portrait-upside-down"), (ORIENTATION_NOT_SUPPORTED, text)
            )
            self.assertEqual(self.state(), before)

    def test_rotate_works_within_the_mask_of_a_view_that_does_not_autorotate(self):
        self.start()
        self.view(LANDSCAPE, should_autorotate=False)
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual")

    def test_a_release_ends_a_manual_rotation(self):
        self.start()
        view = self.view(ALL)
        self.client.ask("Rotate", "s", "landscape-left")
        view.release()
        self.assert_shown("portrait", reason="request", rule="device")

    def test_align_turns_once_to_the_device(self):
        self.start()
        self.client.ask("Rotate", "s", "landscape-left")
        self.client.ask("AlignToDevice")
        self.assert_shown("portrait", reason="manual", rule="device")

    def test_align_under_a_lock_changes_the_held_orientation(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "current")
        self.turn("landscape-left")
        self.client.ask("AlignToDevice")
        self.assert_shown("landscape-right", reason="manual", rule="lock", lock="current")
        self.turn("portrait")
        self.assert_shown("landscape-right", rule="lock")

    def test_align_respects_the_mask(self):
        self.start()
        self.view(mask("portrait"))
        self.turn("landscape-left")
        self.client.ask("AlignToDevice")
        self.assert_shown("portrait", rule="mask")

    def test_align_does_nothing_before_the_first_reading(self):
        self.start(claim=False)
        self.client.ask("Rotate", "s", "landscape-left")
        self.client.ask("AlignToDevice")
        self.assert_shown("landscape-left", reason="manual")


class Autorotate(RotationTestCase):
    def test_never_stops_only_turns_by_the_device(self):
        self.start()
        self.client.ask("SetAutorotate", "s", "never")
        self.turn("landscape-left")
        self.assert_shown("portrait", rule="never")
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual")
        self.client.ask("SetRotationLock", "s", "portrait-upside-down")
        self.assert_shown("portrait-upside-down", reason="lock")
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_shown("portrait-upside-down")
        view = self.view(LANDSCAPE, preferred="landscape-left")
        self.assert_shown("landscape-left", reason="request")
        view.release()
        self.assert_shown("portrait-upside-down", reason="request")

    def test_switching_back_to_always_follows_the_device_at_once(self):
        self.start()
        self.client.ask("SetAutorotate", "s", "never")
        self.turn("landscape-left")
        self.client.ask("SetAutorotate", "s", "always")
        self.assert_shown("landscape-right", reason="configuration", rule="device")

    def test_what_has_set_the_mode(self):
        self.start()
        self.assertEqual(self.client.get("AutorotateSource"), "default")
        # Also the default itself, once it is set.
        for mode, source in (("always", "override"), ("auto", "default"), ("never", "override")):
            self.client.ask("SetAutorotate", "s", mode)
            self.client.wait_for("AutorotateSource", source)

    def test_without_a_switch_or_an_angle_the_machine_counts_as_a_tablet(self):
        self.start("Autorotate=tablet-mode")
        self.assertEqual(self.client.get("TabletMode"), "unknown")
        self.turn("landscape-left")
        self.assert_shown("landscape-right", reason="sensor")


class Start(RotationTestCase):
    def test_natural_orientation_is_shown(self):
        for natural, shown in (("portrait", "portrait"), ("landscape-left", "landscape-right")):
            with self.case(natural):
                self.start(f"NaturalOrientation={natural}", claim=False)
                self.assert_shown(shown, reason="startup", rule="unknown", mask=ALL, lock="off", asked="/")
                self.assertEqual(self.client.get("OutputTransform"), "normal")

    def test_lowest_allowed_orientation_is_shown_if_the_natural_one_is_forbidden(self):
        self.start("SupportedOrientations=landscape", claim=False)
        self.assert_shown("landscape-right", reason="startup", mask=LANDSCAPE)
        self.assertEqual(self.client.get("OutputTransform"), "270")

    def test_without_a_sensor_everything_but_autorotation_works(self):
        self.rig.start_orientd()
        self.client.ask("Rotate", "s", "landscape-left")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_shown("portrait", reason="lock")
        view = self.view(LANDSCAPE)
        self.assert_shown("landscape-right", asked=view, reason="request")


class Transform(RotationTestCase):
    def test_transform_is_that_of_the_shown_orientation(self):
        for natural, transforms in TRANSFORMS.items():
            with self.case(natural):
                self.start(f"NaturalOrientation={natural}", claim=False)
                for shown, transform in transforms.items():
                    self.client.ask("Rotate", "s", shown)
                    self.assertEqual(self.client.get("OutputTransform"), transform, shown)

    def test_transform_follows_the_device_if_the_interface_does(self):
        self.start()
        for held, transform in (("landscape-left", "270"), ("portrait-upside-down", "180"), ("landscape-right", "90")):
            self.turn(held)
            self.assertEqual(self.client.get("OutputTransform"), transform)

    def test_transform_stays_under_a_lock(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "current")
        self.turn("landscape-left")
        self.assertEqual(self.client.get("OutputTransform"), "normal")


class Transitions(RotationTestCase):
    def changes(self):
        """Returns every way to change the interface: (action, resulting orientation, reason); None for no change."""
        views = []
        yield lambda: self.turn("landscape-left"), "landscape-right", "sensor"
        yield lambda: self.client.ask("Rotate", "s", "portrait"), "portrait", "manual"
        yield lambda: self.client.ask("AlignToDevice"), "landscape-right", "manual"
        yield lambda: self.client.ask("SetRotationLock", "s", "portrait"), "portrait", "lock"
        yield lambda: self.client.ask("SetRotationLock", "s", "off"), "landscape-right", "lock"
        yield lambda: views.append(self.view(mask("portrait"))), "portrait", "request"
        yield lambda: views[0].update(supported=mask("landscape-left")), "landscape-left", "request"
        yield lambda: views[0].release(), "landscape-right", "request"
        yield lambda: self.client.ask("SetAutorotate", "s", "never"), None, None
        yield lambda: self.turn("portrait"), None, None
        yield lambda: self.client.ask("SetAutorotate", "s", "always"), "portrait", "configuration"
        yield lambda: self.client.ask("AlignToDevice"), None, "manual"
        yield lambda: self.client.ask("Rotate", "s", "portrait"), None, "manual"
        yield lambda: self.client.ask("SetRotationLock", "s", "current"), None, "lock"
        yield lambda: self.client.ask("SetRotationLock", "s", "off"), None, "lock"

    def test_each_change_sends_will_properties_did_or_confirmed_once_in_this_order(self):
        self.start()
        events = self.record_events()
        shown = "portrait"
        for number, (change, orientation, reason) in enumerate(self.changes()):
            with self.subTest(number):
                change()
                self.flush()
                if orientation is None:
                    # What a person commands is confirmed once, after what it has changed.
                    confirmations = [(CONFIRMED, (shown, reason))] if reason else []
                    self.assertEqual([event for event in events if event.signal != CHANGED], confirmations)
                    self.assertEqual(events[-1:] if reason else [], confirmations)
                else:
                    self.assertEqual([event.signal for event in events], [WILL, CHANGED, DID])
                    will, changed, did = (event.arguments for event in events)
                    self.assertEqual(will, (shown, orientation, reason))
                    self.assertEqual(did, will)
                    self.assertEqual(changed["InterfaceOrientation"], orientation)
                    # The transform is announced in the same signal.
                    self.assertIn("OutputTransform", changed)
                    self.assertEqual(changed.get("InterfaceReason", reason), reason)
                    shown = orientation
                events.clear()

    def test_properties_are_new_when_did_transition_arrives(self):
        self.start()
        found = []

        def read(*_):
            found.append((self.client.get("InterfaceOrientation"), self.client.get("OutputTransform")))

        subscribe = self.client.connection.signal_subscribe
        subscribe(BUS_NAME, MANAGER, DID, ROOT_PATH, None, 0, read)
        self.client.round_trip()
        self.client.ask("Rotate", "s", "landscape-left")
        wait_until(lambda: found, "DidTransition")
        self.assertEqual(found, [("landscape-left", "90")])

    def test_changes_without_a_turn_are_announced_too(self):
        self.start()
        changes = self.client.record_changes()
        view = self.view(LANDSCAPE | mask("portrait"))
        self.flush()
        announced = {
            "SupportedOrientations": LANDSCAPE | mask("portrait"),
            "SupportedOrientationNames": ["portrait", "landscape-right", "landscape-left"],
            "AskedRequest": view.path,
        }
        self.assertEqual([change.changed for change in changes], [announced])

    def test_a_call_that_changes_nothing_announces_no_change(self):
        self.start()
        calls = (("SetRotationLock", "portrait"), ("SetAutorotate", "always"), ("Rotate", "portrait"))
        for method, value in calls:
            self.client.ask(method, "s", value)
        events = self.record_events()
        for method, value in calls:
            self.client.ask(method, "s", value)
        self.flush()
        self.assertEqual(events, [(CONFIRMED, ("portrait", "lock")), (CONFIRMED, ("portrait", "manual"))])


class WrongArguments(RotationTestCase):
    def test_errors_for_unknown_names_mention_the_field_and_change_nothing(self):
        self.start()
        before = self.state()
        orientations = ", ".join(ORIENTATIONS)
        for method, field, word, known in (
            ("SetRotationLock", "lock", "on", f"off, current, {orientations}"),
            ("SetRotationLock", "lock", "Portrait", f"off, current, {orientations}"),
            ("SetTabletMode", "mode", "unknown", "auto, laptop, tablet"),
            ("SetTabletMode", "mode", "toggle", "auto, laptop, tablet"),
            ("Rotate", "orientation", "landscape", orientations),
            ("Rotate", "orientation", "unknown", orientations),
            ("Rotate", "orientation", "face-up", orientations),
        ):
            with self.subTest(method, word=word):
                self.assertEqual(
                    self.client.refusal(method, "s", word), (INVALID_ARGS, f"{field}: '{word}' is none of {known}")
                )
        self.assertEqual(
            self.client.refusal("SetAutorotate", "s", "on"),
            (INVALID_ARGS, "mode: 'on' is none of always, tablet-mode, never, auto"),
        )
        self.assertEqual(self.state(), before)

    def test_arguments_of_wrong_types(self):
        self.start()
        for method, signature, values in (
            ("SetRotationLock", "u", (1,)),
            ("Rotate", "", ()),
            ("AlignToDevice", "s", ("portrait",)),
            ("SetApplicationMask", "ss", ("org.example.App", "all")),
            ("Request", "su", ("org.example.App", ALL)),
        ):
            with self.subTest(method):
                self.assertEqual(self.client.refusal(method, signature, *values)[0], INVALID_ARGS)


class Permission(RotationTestCase):
    def start_with_polkit(self, allowed=ACTIONS):
        """Starts orientd with a request and a manual rotation; from then on, polkit allows only `allowed`."""
        self.rig.start_polkit(allowed=ACTIONS)
        self.start()
        self.view(ALL, "org.example.Before")
        self.client.ask("Rotate", "s", "landscape-left")
        self.rig.allow(*allowed)

    def test_there_is_a_case_for_each_method(self):
        tree = ElementTree.parse(SOURCE_ROOT / "systemd" / "dbus-1" / "interfaces" / "org.orientd1.Manager.xml")
        methods = {method.get("name") for method in tree.iter("method")}
        free = {"Release", "ReleaseTabletMode", "ListRequests"}
        self.assertEqual(methods - free, {name for name, *_ in AUTHORIZED + ALSO_AUTHORIZED})

    def test_calls_without_permission_are_refused_and_change_nothing(self):
        self.start_with_polkit()
        for method, signature, values, action in AUTHORIZED + ALSO_AUTHORIZED:
            with self.subTest(method):
                self.rig.allow(*(name for name in ACTIONS if not name.endswith("." + action)))
                before = self.state()
                events = self.record_events()
                self.assertEqual(
                    self.client.refusal(method, signature, *values),
                    (ACCESS_DENIED, f"not authorized: polkit refuses org.orientd1.{action}"),
                )
                self.flush()
                self.assertEqual(events, [])
                self.assertEqual(self.state(), before)

    def test_each_call_needs_only_its_own_action(self):
        self.start_with_polkit()
        for method, signature, values, action in AUTHORIZED:
            with self.subTest(method):
                self.rig.allow(f"org.orientd1.{action}")
                before = self.state()
                self.client.ask(method, signature, *values)
                self.assertNotEqual(self.state(), before)

    def test_reading_and_changing_an_own_request_need_no_permission(self):
        self.start_with_polkit(allowed=())
        (request,) = self.client.ask("ListRequests")[0]
        path = request[0]
        for method, signature, values in (
            ("Update", "a{sv}", ({"supported": GLib.Variant("u", LANDSCAPE)},)),
            ("SetNeedsUpdate", "", ()),
            ("Release", "", ()),
        ):
            self.client.ask(method, signature, *values, path=path, interface="org.orientd1.Request")
        self.assertEqual(self.client.ask("ListRequests"), ([],))

    def test_arguments_are_checked_before_polkit_is_asked(self):
        self.start_with_polkit(allowed=())
        self.assertEqual(self.client.refusal("Rotate", "s", "sideways")[0], INVALID_ARGS)

    def test_a_hanging_polkit_delays_only_the_call_that_waits_for_it(self):
        self.start_with_polkit()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        call = self.client.start_call("SetRotationLock", arguments=GLib.Variant("(s)", ("portrait",)))
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        self.assert_bus_answers()
        self.turn("landscape-left")
        self.assert_shown("landscape-right", lock="off")
        self.rig.call_polkit("ReleaseHangingCalls")
        wait_until(lambda: call.done, "the call is answered")
        self.assertIsNone(call.error)
        self.assert_shown("portrait", lock="portrait")

    def test_without_polkit_other_users_are_refused(self):
        if os.getuid() != 0:
            return  # only root can start a client as another user
        self.start()
        before = self.state()
        for method, signature, values, _ in AUTHORIZED:
            with self.subTest(method):
                arguments = [str(len(value)) if value == {} else str(value) for value in values]
                answer = subprocess.run(
                    ["busctl", f"--address={self.rig.address}", "call", BUS_NAME, ROOT_PATH, MANAGER, method]
                    + ([signature, *arguments] if signature else []),
                    env=self.rig.plain_environment,
                    user="nobody",
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertNotEqual(answer.returncode, 0)
                self.assertIn("Access denied", answer.stderr)
        self.assertEqual(self.state(), before)
