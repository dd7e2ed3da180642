# SPDX-License-Identifier: Apache-2.0
"""What the manager can be asked about the interface, who may ask, and how each change is told."""

import os
import subprocess

from gi.repository import GLib

from rig import (
    ACCESS_DENIED,
    ACTIONS,
    BUS_NAME,
    INVALID_ARGS,
    MANAGER,
    ORIENTATION_NOT_SUPPORTED,
    ROOT_PATH,
    wait_until,
)
from rotation import ALL, CHANGED, DID, LANDSCAPE, ORIENTATIONS, RotationTestCase, WILL, mask

# What an output does to show the interface so, by the display's natural orientation; the edges turn with that.
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

# Each method that polkit is asked about, with arguments that change something, and the action.
JUDGED = [
    ("Claim", "", (), "claim"),
    ("SetRotationLock", "s", ("landscape-left",), "lock"),
    ("Rotate", "s", ("portrait-upside-down",), "rotate"),
    ("AlignToDevice", "", (), "rotate"),
    ("SetApplicationMask", "su", ("org.example.Before", LANDSCAPE), "request"),
    ("Request", "sua{sv}", ("org.example.App", LANDSCAPE, {}), "request"),
    ("SetAutorotate", "s", ("never",), "configure"),
]


class Lock(RotationTestCase):
    def test_reads_and_takes_off_current_and_each_orientation(self):
        self.start()
        self.assertEqual(self.client.get("RotationLock"), "off")
        for lock in ("current", *ORIENTATIONS, "off", "current", "off"):
            self.client.ask("SetRotationLock", "s", lock)
            self.assertEqual(self.client.get("RotationLock"), lock)

    def test_current_holds_what_is_shown_and_turns_nothing(self):
        self.start(held="landscape-left")
        events = self.record_events()
        self.client.ask("SetRotationLock", "s", "current")
        self.flush()
        self.assertEqual(
            [event.arguments for event in events], [{"RotationLock": "current", "InterfaceRule": "lock"}]
        )
        self.turn("portrait")
        self.assert_shown("landscape-right", lock="current", rule="lock")

    def test_an_orientation_turns_to_it(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="lock", rule="lock")

    def test_unlocking_resolves_as_if_the_device_had_just_turned(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "current")
        self.turn("landscape-left")
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_shown("landscape-right", reason="lock", rule="device")

    def test_outside_the_devices_configuration_is_refused(self):
        self.start("SupportedOrientations=all-but-upside-down")
        before = self.state()
        self.assertEqual(
            self.client.refusal("SetRotationLock", "s", "portrait-upside-down"),
            (ORIENTATION_NOT_SUPPORTED, "portrait-upside-down: this device supports all-but-upside-down only"),
        )
        self.assertEqual(self.state(), before)

    def test_outside_the_asked_views_mask_is_remembered(self):
        self.start()
        view = self.view(LANDSCAPE)
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_shown("landscape-right", lock="portrait", rule="mask")
        view.release()
        self.assert_shown("portrait", lock="portrait", rule="lock")


class Manual(RotationTestCase):
    def test_rotate_turns_although_the_device_points_elsewhere(self):
        self.start()
        for orientation in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            self.client.ask("Rotate", "s", orientation)
            self.assert_shown(orientation, reason="manual", rule="manual", lock="off")

    def test_rotate_outside_the_effective_mask_is_refused(self):
        self.start("SupportedOrientations=all-but-upside-down")
        for view, text in (
            (None, "portrait-upside-down: this device allows all-but-upside-down only"),
            (LANDSCAPE, "portrait-upside-down: org.example.App allows landscape only"),
        ):
            if view:
                self.view(view)
            before = self.state()
            self.assertEqual(
                self.client.refusal("Rotate", "s", "portrait-upside-down"), (ORIENTATION_NOT_SUPPORTED, text)
            )
            self.assertEqual(self.state(), before)

    def test_rotate_works_within_what_a_fixed_view_supports(self):
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

    def test_align_under_a_lock_sets_what_is_held(self):
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

    def test_align_of_a_device_that_was_never_read_does_nothing(self):
        self.start(claim=False)
        self.client.ask("Rotate", "s", "landscape-left")
        self.client.ask("AlignToDevice")
        self.assert_shown("landscape-left", reason="manual")


class Autorotate(RotationTestCase):
    def test_never_stops_only_the_sensor(self):
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

    def test_always_again_follows_the_device_at_once(self):
        self.start()
        self.client.ask("SetAutorotate", "s", "never")
        self.turn("landscape-left")
        self.client.ask("SetAutorotate", "s", "always")
        self.assert_shown("landscape-right", reason="configuration", rule="device")

    def test_without_a_switch_or_an_angle_it_counts_as_a_tablet(self):
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

    def test_lowest_allowed_is_shown_where_the_natural_one_is_not(self):
        self.start("SupportedOrientations=landscape", claim=False)
        self.assert_shown("landscape-right", reason="startup", mask=LANDSCAPE)
        self.assertEqual(self.client.get("OutputTransform"), "270")

    def test_without_a_sensor_all_but_the_device_works(self):
        self.rig.start_orientd()
        self.client.ask("Rotate", "s", "landscape-left")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_shown("portrait", reason="lock")
        view = self.view(LANDSCAPE)
        self.assert_shown("landscape-right", asked=view, reason="request")


class Transform(RotationTestCase):
    def test_is_that_of_what_is_shown(self):
        for natural, transforms in TRANSFORMS.items():
            with self.case(natural):
                self.start(f"NaturalOrientation={natural}", claim=False)
                for shown, transform in transforms.items():
                    self.client.ask("Rotate", "s", shown)
                    self.assertEqual(self.client.get("OutputTransform"), transform, shown)

    def test_follows_the_device_where_the_interface_does(self):
        self.start()
        for held, transform in (("landscape-left", "270"), ("portrait-upside-down", "180"), ("landscape-right", "90")):
            self.turn(held)
            self.assertEqual(self.client.get("OutputTransform"), transform)

    def test_stays_under_a_lock(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "current")
        self.turn("landscape-left")
        self.assertEqual(self.client.get("OutputTransform"), "normal")


class Transitions(RotationTestCase):
    def changes(self):
        """Each way to change the interface: (what is done, to which orientation, for which reason)."""
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
        yield lambda: self.client.ask("AlignToDevice"), None, None
        yield lambda: self.client.ask("Rotate", "s", "portrait"), None, None

    def test_will_properties_did_in_this_order_once_a_change(self):
        self.start()
        events = self.record_events()
        shown = "portrait"
        for number, (change, orientation, reason) in enumerate(self.changes()):
            with self.subTest(number):
                change()
                self.flush()
                if orientation is None:
                    self.assertLessEqual({event.signal for event in events}, {CHANGED})
                else:
                    self.assertEqual([event.signal for event in events], [WILL, CHANGED, DID])
                    will, changed, did = (event.arguments for event in events)
                    self.assertEqual(will, (shown, orientation, reason))
                    self.assertEqual(did, will)
                    self.assertEqual(changed["InterfaceOrientation"], orientation)
                    # The transform goes with it.
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

    def test_what_changes_without_a_turn_is_told_too(self):
        self.start()
        changes = self.client.record_changes()
        view = self.view(LANDSCAPE | mask("portrait"))
        self.flush()
        told = {"SupportedOrientations": LANDSCAPE | mask("portrait"), "AskedRequest": view.path}
        self.assertEqual([change.changed for change in changes], [told])

    def test_a_call_that_changes_nothing_tells_nothing(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        events = self.record_events()
        for method, value in (("SetRotationLock", "portrait"), ("SetAutorotate", "always"), ("Rotate", "portrait")):
            self.client.ask(method, "s", value)
        self.flush()
        self.assertEqual(events, [])


class WrongArguments(RotationTestCase):
    def test_unknown_words_name_the_field_and_change_nothing(self):
        self.start()
        before = self.state()
        orientations = ", ".join(ORIENTATIONS)
        for method, field, word, known in (
            ("SetRotationLock", "lock", "on", f"off, current, {orientations}"),
            ("SetRotationLock", "lock", "Portrait", f"off, current, {orientations}"),
            ("SetAutorotate", "mode", "", "always, tablet-mode, never"),
            ("Rotate", "orientation", "landscape", orientations),
            ("Rotate", "orientation", "unknown", orientations),
            ("Rotate", "orientation", "face-up", orientations),
        ):
            with self.subTest(method, word=word):
                self.assertEqual(
                    self.client.refusal(method, "s", word), (INVALID_ARGS, f"{field}: '{word}' is none of {known}")
                )
        self.assertEqual(self.state(), before)

    def test_arguments_of_other_types(self):
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
        """Starts orientd and polkit, which may refuse from now on; something is there to change."""
        self.rig.start_polkit(allowed=ACTIONS)
        self.start()
        self.view(ALL, "org.example.Before")
        self.client.ask("Rotate", "s", "landscape-left")
        self.rig.allow(*allowed)

    def test_refused_without_the_action_and_nothing_changes(self):
        self.start_with_polkit()
        for method, signature, values, action in JUDGED:
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

    def test_allowed_with_that_action_alone(self):
        self.start_with_polkit()
        for method, signature, values, action in JUDGED:
            with self.subTest(method):
                self.rig.allow(f"org.orientd1.{action}")
                before = self.state()
                self.client.ask(method, signature, *values)
                self.assertNotEqual(self.state(), before)

    def test_reading_and_ones_own_request_need_no_permission(self):
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

    def test_nothing_is_judged_before_the_arguments_are_sound(self):
        self.start_with_polkit(allowed=())
        self.assertEqual(self.client.refusal("Rotate", "s", "sideways")[0], INVALID_ARGS)

    def test_hanging_polkit_makes_only_its_call_wait(self):
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
            return  # only root can be another user too
        self.start()
        before = self.state()
        for method, signature, values, _ in JUDGED:
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
