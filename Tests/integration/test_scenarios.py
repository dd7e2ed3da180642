# SPDX-License-Identifier: Apache-2.0
"""Views and turns of the device, with the behaviour of iOS, on a real bus."""

from rig import INVALID_INTERFACE_ORIENTATION, OBJECT_MANAGER, ORIENTATION_NOT_SUPPORTED, PYTHON
from rotation import ALL, ALL_BUT_UPSIDE_DOWN, HELD, LANDSCAPE, RotationTestCase, View, mask

PORTRAIT = mask("portrait")

SHOW_AND_WAIT = """
import sys, time
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
arguments = GLib.Variant("(sua{sv})", ("org.example.Player", 24, {}))
bus.call_sync("org.orientd1", "/org/orientd1", "org.orientd1.Manager", "Request", arguments, None, 0, -1, None)
time.sleep(60)
"""


class Autorotation(RotationTestCase):
    def test_root_view_turns_with_the_device(self):
        self.start()
        root = self.view(ALL)
        events = self.record_events()
        expected = []
        shown = "portrait"
        for held in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            upright = HELD[held][1]
            self.turn(held)
            self.assert_shown(upright, reason="sensor", rule="device", asked=root)
            expected.append((shown, upright, "sensor"))
            shown = upright
        self.assertEqual(self.transitions(events), expected)

    def test_root_view_that_is_never_upside_down(self):
        self.start()
        self.view(ALL_BUT_UPSIDE_DOWN)
        self.turn("landscape-left")
        self.assert_shown("landscape-right", mask=ALL_BUT_UPSIDE_DOWN)
        self.turn("portrait-upside-down")
        self.assert_shown("landscape-right", rule="mask")
        self.turn("portrait")
        self.assert_shown("portrait", rule="device")

    def test_no_view_at_all_acts_like_a_root_that_supports_all(self):
        self.start()
        self.assert_shown("portrait", mask=ALL, asked="/")
        for held in ("landscape-left", "portrait-upside-down"):
            self.turn(held)
            self.assert_shown(HELD[held][1], reason="sensor")

    def test_view_that_does_not_autorotate(self):
        self.start()
        self.view(ALL, should_autorotate=False)
        self.turn("landscape-left")
        self.assert_shown("portrait", rule="fixed")
        self.client.ask("AlignToDevice")
        self.assert_shown("portrait", rule="fixed")
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual")

    def test_lying_flat_keeps_the_shown_orientation(self):
        self.start()
        self.view(ALL)
        self.turn("landscape-left")
        self.rig.turn((0, 0, 1000))
        self.client.wait_for("FaceOrientation", "face-up")
        self.assert_shown("landscape-right", rule="device")


class Pushing(RotationTestCase):
    def push(self, supported, **options):
        """Returns a navigation stack and a view that is pushed onto it."""
        stack = self.view(ALL)
        pushed = self.view(supported, parent=stack, **options)
        stack.update(forwards_to=pushed)
        return stack, pushed

    def test_pushed_view_turns_only_at_the_next_device_rotation(self):
        self.start()
        events = self.record_events()
        _, pushed = self.push(LANDSCAPE)
        self.assert_shown("portrait", mask=LANDSCAPE, rule="waiting", asked=pushed)
        self.assertEqual(self.transitions(events), [])
        self.turn("landscape-right")
        self.assert_shown("landscape-left", reason="sensor", rule="device")

    def test_pushed_view_turns_even_if_it_does_not_support_the_device_orientation(self):
        self.start()
        self.push(LANDSCAPE)
        self.turn("portrait-upside-down")
        self.assert_shown("landscape-right", reason="sensor", rule="mask")

    def test_pushed_view_turns_at_rotate(self):
        self.start()
        self.push(LANDSCAPE)
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual")

    def test_pushed_view_turns_at_set_needs_update(self):
        self.start()
        _, pushed = self.push(LANDSCAPE)
        pushed.set_needs_update()
        self.assert_shown("landscape-right", reason="request")

    def test_pushing_never_turns_even_to_the_preferred_orientation(self):
        self.start()
        self.push(ALL, preferred="landscape-left")
        self.assert_shown("portrait", mask=ALL)

    def test_popping_acts_as_if_the_device_had_just_turned(self):
        self.start()
        _, pushed = self.push(LANDSCAPE)
        self.turn("landscape-left")
        self.turn("portrait")
        self.assert_shown("landscape-right", rule="mask")
        pushed.release()
        self.assert_shown("portrait", reason="request", rule="device")


class Presenting(RotationTestCase):
    def test_modal_view_starts_in_its_preferred_orientation_and_returns_afterwards(self):
        self.start()
        page = self.view(ALL)
        events = self.record_events()
        modal = self.view(LANDSCAPE, preferred="landscape-left", parent=page, presentation="modal")
        self.assert_shown("landscape-left", reason="request", mask=LANDSCAPE, asked=modal)
        modal.release()
        self.assert_shown("portrait", reason="request", mask=ALL, asked=page, rule="device")
        self.assertEqual(
            self.transitions(events),
            [("portrait", "landscape-left", "request"), ("landscape-left", "portrait", "request")],
        )

    def test_modal_view_turns_with_the_device_after_its_start(self):
        self.start()
        self.view(LANDSCAPE, preferred="landscape-left")
        self.turn("landscape-left")
        self.assert_shown("landscape-right", reason="sensor")
        self.turn("portrait")
        self.assert_shown("landscape-right", rule="mask")

    def test_modal_view_without_a_preference_starts_in_the_shown_orientation(self):
        self.start(held="landscape-left")
        page = self.view(ALL)
        self.view(LANDSCAPE, parent=page, presentation="modal")
        self.assert_shown("landscape-right", reason="sensor")

    def test_modal_view_above_a_modal_view(self):
        self.start()
        page = self.view(PORTRAIT)
        first = self.view(LANDSCAPE, parent=page, presentation="modal")
        second = self.view(mask("portrait-upside-down"), parent=first, presentation="modal")
        self.assert_shown("portrait-upside-down", asked=second)
        second.release()
        self.assert_shown("landscape-right", asked=first)
        first.release()
        self.assert_shown("portrait", asked=page)

    def test_window_presented_last_is_asked(self):
        self.start()
        self.view(PORTRAIT)
        other = View(self.rig.connect(), LANDSCAPE, "org.example.Other")
        self.assert_shown("landscape-right", asked=other)

    def test_window_activated_last_is_asked(self):
        self.start()
        ours = self.view(PORTRAIT)
        other = View(self.rig.connect(), LANDSCAPE, "org.example.Other")
        ours.update(active=False)
        ours.update(active=True)
        self.assert_shown("portrait", asked=ours)
        ours.update(active=False)
        self.assert_shown("landscape-right", asked=other)


class Containers(RotationTestCase):
    def test_navigation_stack_that_forwards_uses_the_answers_of_its_top(self):
        self.start()
        stack = self.view(ALL)
        top = self.view(LANDSCAPE, parent=stack, should_autorotate=False)
        stack.update(forwards_to=top)
        self.assert_shown("portrait", mask=LANDSCAPE, asked=top)
        self.turn("landscape-left")
        self.assert_shown("portrait")  # should-autorotate is forwarded too

    def test_navigation_stack_that_does_not_forward_answers_itself(self):
        self.start()
        stack = self.view(ALL)
        self.view(PORTRAIT, parent=stack, should_autorotate=False)
        self.assert_shown("portrait", mask=ALL, asked=stack)
        self.turn("landscape-left")
        self.assert_shown("landscape-right", rule="device")

    def test_tab_bar_forwards_to_the_selected_tab(self):
        self.start()
        bar = self.view(ALL)
        upright, wide = (self.view(supported, parent=bar) for supported in (PORTRAIT, LANDSCAPE))
        bar.update(forwards_to=upright)
        self.turn("landscape-left")
        self.assert_shown("portrait", asked=upright, rule="mask")
        bar.update(forwards_to=wide)
        self.assert_shown("portrait", asked=wide, rule="waiting")
        self.turn("landscape-right")
        self.assert_shown("landscape-left", asked=wide)
        bar.update(forwards_to=upright)
        self.assert_shown("landscape-left", asked=upright, rule="waiting")
        self.turn("portrait")
        self.assert_shown("portrait", asked=upright)

    def test_tab_bar_that_does_not_forward_answers_for_every_tab(self):
        self.start()
        bar = self.view(ALL)
        for supported in (PORTRAIT, LANDSCAPE):
            self.view(supported, parent=bar)
        for held in ("landscape-left", "portrait-upside-down"):
            self.turn(held)
            self.assert_shown(HELD[held][1], asked=bar, mask=ALL)

    def test_forwarding_may_nest(self):
        self.start()
        bar = self.view(ALL)
        stack = self.view(ALL, parent=bar)
        top = self.view(ALL_BUT_UPSIDE_DOWN, parent=stack)
        stack.update(forwards_to=top)
        bar.update(forwards_to=stack)
        self.assert_shown("portrait", mask=ALL_BUT_UPSIDE_DOWN, asked=top)

    def test_modal_container_starts_in_the_preferred_orientation_of_its_top(self):
        self.start()
        stack = self.view(ALL, active=False)
        top = self.view(LANDSCAPE, parent=stack, preferred="landscape-left")
        stack.update(forwards_to=top)
        stack.update(active=True)
        self.assert_shown("landscape-left", asked=top, reason="request")

    def test_forwarding_ends_when_the_child_becomes_inactive(self):
        self.start()
        stack = self.view(PORTRAIT)
        top = self.view(LANDSCAPE, parent=stack)
        stack.update(forwards_to=top)
        top.update(active=False)
        self.assert_shown("portrait", asked=stack)

    def test_forwarding_ends_when_the_child_is_released(self):
        self.start()
        stack = self.view(PORTRAIT)
        top = self.view(LANDSCAPE, parent=stack)
        stack.update(forwards_to=top)
        self.turn("landscape-left")
        top.release()
        self.assert_shown("portrait", asked=stack, reason="request")

    def test_navigation_stack_can_forward_again_after_its_top_was_released(self):
        self.start()
        stack = self.view(ALL)
        tops = [self.view(supported, parent=stack) for supported in (PORTRAIT, LANDSCAPE)]
        stack.update(forwards_to=tops[0])
        tops[0].release()
        stack.update(reason="what it forwarded to is gone")
        stack.update(forwards_to=tops[1])
        self.assert_shown("portrait", asked=tops[1], rule="waiting")


class Video(RotationTestCase):
    """A portrait page with a video that is shown full screen in landscape and then small again."""

    def open_player(self, page, **options):
        return self.view(LANDSCAPE, "org.example.Page", parent=page, presentation="modal", **options)

    def test_full_screen_and_back(self):
        self.start()
        page = self.view(PORTRAIT, "org.example.Page")
        events = self.record_events()
        player = self.open_player(page, preferred="landscape-left")
        self.assert_shown("landscape-left", asked=player)
        player.release()
        self.assert_shown("portrait", asked=page)
        self.assertEqual(
            self.transitions(events),
            [("portrait", "landscape-left", "request"), ("landscape-left", "portrait", "request")],
        )

    def test_full_screen_follows_the_device_and_the_page_does_not(self):
        self.start()
        page = self.view(PORTRAIT, "org.example.Page")
        self.turn("landscape-right")
        self.assert_shown("portrait", rule="mask")
        player = self.open_player(page)
        self.assert_shown("landscape-left", asked=player)  # that of the device, because the current one is not allowed
        self.turn("landscape-left")
        self.assert_shown("landscape-right", reason="sensor")
        player.release()
        self.assert_shown("portrait", asked=page, rule="mask")

    def test_full_screen_under_the_portrait_lock(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        page = self.view(PORTRAIT, "org.example.Page")
        player = self.open_player(page, preferred="landscape-left")
        self.assert_shown("landscape-left", lock="portrait", reason="request", rule="mask")
        self.turn("landscape-left")
        self.assert_shown("landscape-left", lock="portrait")  # the device still does not turn it
        player.release()
        self.assert_shown("portrait", lock="portrait", reason="request", rule="lock")

    def test_full_screen_under_a_current_lock(self):
        self.start()
        page = self.view(ALL, "org.example.Page")
        self.turn("landscape-left")
        self.client.ask("SetRotationLock", "s", "current")
        self.turn("portrait")
        player = self.open_player(page, preferred="landscape-left")
        self.assert_shown("landscape-left", lock="current")
        player.release()
        self.assert_shown("landscape-right", lock="current", rule="lock")


class Locking(RotationTestCase):
    def test_manual_rotation_under_a_lock(self):
        self.start()
        self.view(ALL)
        self.client.ask("SetRotationLock", "s", "current")
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual", rule="lock", lock="current")
        self.turn("portrait-upside-down")
        self.assert_shown("landscape-left", rule="lock")  # the lock holds it now

    def test_manual_rotation_under_the_portrait_lock_changes_the_locked_edge(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual", rule="lock", lock="landscape-left")

    def test_manual_rotation_without_a_lock_holds_until_the_device_turns(self):
        self.start()
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_shown("landscape-left", reason="manual", rule="manual", lock="off")
        self.turn("portrait-upside-down")
        self.assert_shown("portrait-upside-down", reason="sensor", rule="device")

    def test_portrait_lock_set_in_landscape(self):
        self.start(held="landscape-left")
        self.view(ALL)
        events = self.record_events()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_shown("portrait", reason="lock", rule="lock", lock="portrait")
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_shown("landscape-right", reason="lock", rule="device", lock="off")
        self.assertEqual(
            self.transitions(events),
            [("landscape-right", "portrait", "lock"), ("portrait", "landscape-right", "lock")],
        )

    def test_lock_does_not_affect_a_view_that_is_inactive_meanwhile(self):
        self.start(held="landscape-left")
        self.view(ALL, "org.example.Desktop")
        game = self.view(LANDSCAPE, "org.example.Game", preferred="landscape-right", reason="a game")
        game.update(active=False)
        before = game.get_all()
        events = self.record_events()
        changes = self.client.record_changes()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_shown("portrait", reason="lock")
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_shown("landscape-right", reason="lock")
        game.update(active=True)
        self.assert_shown("landscape-right", asked=game)
        self.assertEqual(len(self.transitions(events)), 2)
        self.assertEqual(game.get_all(), {**before, "Active": True})
        self.assertEqual([change.changed for change in changes if change.path == game.path], [{"Active": True}])

    def test_inactive_view_changes_nothing(self):
        self.start()
        game = self.view(LANDSCAPE, "org.example.Game", active=False)
        child = self.view(LANDSCAPE, "org.example.Game", parent=game, presentation="modal")
        self.assert_shown("portrait", mask=ALL, asked="/")
        events = self.record_events()
        game.update(supported=mask("portrait-upside-down"))
        game.update(should_autorotate=False, preferred="portrait-upside-down")
        for view in (game, child):
            view.set_needs_update()
        child.update(supported=PORTRAIT)
        child.release()
        game.release()
        self.flush()
        self.assertEqual(events, [])

    def test_device_orientation_is_announced_under_a_lock(self):
        self.start()
        self.view(ALL)
        self.client.ask("SetRotationLock", "s", "current")
        events = self.record_events()
        for held in ("landscape-left", "portrait-upside-down"):
            self.turn(held)
            self.assert_shown("portrait", rule="lock")
        self.assertEqual(
            [event.arguments for event in events],
            [{"DeviceOrientation": "landscape-left"}, {"DeviceOrientation": "portrait-upside-down"}],
        )


class MaskAtRunTime(RotationTestCase):
    def test_a_change_keeps_the_shown_orientation_while_it_is_allowed(self):
        self.start()
        view = self.view(ALL)
        view.update(supported=ALL_BUT_UPSIDE_DOWN)
        self.assert_shown("portrait", mask=ALL_BUT_UPSIDE_DOWN)
        view.update(supported=LANDSCAPE)
        self.assert_shown("landscape-right", mask=LANDSCAPE, reason="request")
        view.update(supported=ALL)
        self.assert_shown("landscape-right", mask=ALL)  # until the device turns
        view.set_needs_update()
        self.assert_shown("landscape-right", rule="kept")
        self.turn("portrait-upside-down")
        self.assert_shown("portrait-upside-down")

    def test_a_change_turns_to_the_device_orientation_before_the_preferred_one(self):
        self.start(held="landscape-left")
        view = self.view(PORTRAIT)
        self.assert_shown("portrait")
        view.update(supported=LANDSCAPE, preferred="landscape-left")
        self.assert_shown("landscape-right", reason="request", rule="device")

    def test_a_change_turns_to_the_preferred_orientation_before_the_lowest(self):
        self.start()
        view = self.view(PORTRAIT)
        view.update(supported=LANDSCAPE, preferred="landscape-left")
        self.assert_shown("landscape-left", reason="request")

    def test_application_mask_applies_to_the_asked_view_at_once(self):
        self.start()
        self.view(ALL, "org.example.Player")
        self.client.ask("SetApplicationMask", "su", "org.example.Player", LANDSCAPE)
        self.assert_shown("landscape-right", mask=LANDSCAPE, reason="request")
        self.client.ask("SetApplicationMask", "su", "org.example.Player", 0)
        self.assert_shown("landscape-right", mask=ALL)


class Conflicts(RotationTestCase):
    """The table of conflicts: device and application allow G, the view supports V, and I is their intersection."""

    def start_with_portrait_only(self, **options):
        """Starts orientd with a device configuration of portrait only, and presents a view."""
        self.start("SupportedOrientations=portrait", **options)
        self.view(PORTRAIT, "org.example.Before")

    def assert_refused(self, text, supported, **options):
        before = self.state()
        events = self.record_events()
        name, found = self.refused_view(supported, **options)
        self.assertEqual(name, INVALID_INTERFACE_ORIENTATION)
        self.assertEqual(found, text)
        self.flush()
        self.assertEqual(events, [])
        self.assertEqual(self.state(), before)

    def test_row_1_empty_intersection_with_autorotation_is_refused(self):
        self.start_with_portrait_only()
        text = "supported: landscape cannot be shown; device and application allow portrait only"
        self.assert_refused(text, LANDSCAPE)
        self.assert_refused(text, LANDSCAPE, preferred="landscape-left")

    def test_row_2_empty_intersection_shows_the_preferred_orientation_of_a_fixed_view(self):
        self.start_with_portrait_only()
        view = self.view(LANDSCAPE, preferred="landscape-left", should_autorotate=False)
        self.assert_shown("landscape-left", mask=mask("landscape-left"), asked=view, rule="preferred")
        self.turn("landscape-left")
        self.assert_shown("landscape-left", rule="preferred")
        view.release()
        self.assert_shown("portrait", mask=PORTRAIT)

    def test_row_3_empty_intersection_with_an_unsupported_preference_is_refused(self):
        self.start_with_portrait_only()
        text = "preferred: portrait is not among the supported landscape"
        self.assert_refused(text, LANDSCAPE, preferred="portrait", should_autorotate=False)

    def test_row_4_empty_intersection_without_a_preference_is_refused(self):
        self.start_with_portrait_only()
        text = "supported: landscape cannot be shown; device and application allow portrait only"
        text += ", and no orientation is preferred"
        self.assert_refused(text, LANDSCAPE, should_autorotate=False)

    def test_row_5_an_unsupported_preference_is_refused(self):
        self.start()
        for autorotates in (True, False):
            self.assert_refused(
                "preferred: portrait is not among the supported landscape",
                LANDSCAPE,
                preferred="portrait",
                should_autorotate=autorotates,
            )

    def test_row_6_starts_in_the_preferred_orientation_if_allowed(self):
        self.start()
        view = self.view(LANDSCAPE, preferred="landscape-left")
        self.assert_shown("landscape-left", asked=view, mask=LANDSCAPE)

    def test_row_6_else_in_the_shown_orientation(self):
        self.start("SupportedOrientations=portrait,landscape-right", held="landscape-left")
        view = self.view(ALL, preferred="landscape-left")
        self.assert_shown("landscape-right", asked=view, mask=mask("portrait", "landscape-right"))

    def test_row_6_else_in_the_device_orientation(self):
        self.start("SupportedOrientations=all-but-upside-down", held="landscape-right")
        self.view(PORTRAIT)
        self.assert_shown("portrait")
        self.view(mask("portrait-upside-down", "landscape-right", "landscape-left"), preferred="portrait-upside-down")
        self.assert_shown("landscape-left", mask=LANDSCAPE, rule="device")

    def test_row_6_else_in_the_lowest_allowed_orientation(self):
        self.start("SupportedOrientations=all-but-upside-down")
        self.view(mask("portrait-upside-down", "landscape-right", "landscape-left"), preferred="portrait-upside-down")
        self.assert_shown("landscape-right", mask=LANDSCAPE, rule="mask")

    def test_row_6_should_autorotate_decides_whether_it_turns_with_the_device(self):
        self.start("SupportedOrientations=all-but-upside-down")
        for autorotates, shown in ((True, "landscape-right"), (False, "portrait")):
            view = self.view(ALL, should_autorotate=autorotates)
            self.turn("landscape-left")
            self.assert_shown(shown, mask=ALL_BUT_UPSIDE_DOWN)
            view.release()
            self.turn("portrait")

    def test_the_table_applies_to_a_pushed_view(self):
        self.start_with_portrait_only()
        stack = self.view(PORTRAIT)
        pushed = self.view(LANDSCAPE, parent=stack)  # it is not asked yet
        before = self.state()
        name, text = stack.refused_update(forwards_to=pushed)
        self.assertEqual(name, INVALID_INTERFACE_ORIENTATION)
        self.assertEqual(text, "supported: landscape cannot be shown; device and application allow portrait only")
        self.assertEqual(self.state(), before)
        pushed.update(should_autorotate=False, preferred="landscape-left")
        stack.update(forwards_to=pushed)
        self.assert_shown("portrait", mask=mask("landscape-left"), asked=pushed, rule="waiting")

    def test_the_table_applies_to_an_update(self):
        self.start_with_portrait_only()
        view = self.view(ALL)
        before = self.state()
        name, text = view.refused_update(supported=LANDSCAPE, reason="refused as a whole")
        self.assertEqual(name, INVALID_INTERFACE_ORIENTATION)
        self.assertEqual(text, "supported: landscape cannot be shown; device and application allow portrait only")
        self.assertEqual(self.state(), before)

    def test_application_mask_that_leaves_no_orientation_for_the_shown_view_is_refused(self):
        self.start()
        self.view(PORTRAIT, "org.example.Player")
        before = self.state()
        name, text = self.client.refusal("SetApplicationMask", "su", "org.example.Player", LANDSCAPE)
        self.assertEqual(name, INVALID_INTERFACE_ORIENTATION)
        self.assertEqual(text, "mask: the deciding request supports portrait only, and it autorotates")
        self.assertEqual(self.state(), before)


class WiderThanTheDevice(RotationTestCase):
    def test_application_mask_cannot_widen_the_device_mask(self):
        device = mask("portrait", "landscape-right")
        self.start(
            "SupportedOrientations=portrait,landscape-right",
            "[Application org.example.Configured]",
            "SupportedOrientations=all",
        )
        self.client.ask("SetApplicationMask", "su", "org.example.Asking", ALL)
        for app_id in ("org.example.Configured", "org.example.Asking"):
            view = self.view(ALL, app_id)
            self.assert_shown("portrait", mask=device)
            self.turn("landscape-right")
            self.assert_shown("portrait", rule="mask")
            self.assertEqual(
                self.client.refusal("Rotate", "s", "landscape-left"),
                (ORIENTATION_NOT_SUPPORTED, f"landscape-left: {app_id} is allowed portrait,landscape-right only"),
            )
            view.release()
            self.turn("portrait")


class Killed(RotationTestCase):
    def test_requests_of_a_killed_client_end(self):
        self.start()
        page = self.view(PORTRAIT)
        events = self.record_events()
        removed = self.client.record_signals(OBJECT_MANAGER, "InterfacesRemoved")
        player = self.rig.spawn([PYTHON, "-c", SHOW_AND_WAIT])
        self.client.wait_for("InterfaceOrientation", "landscape-right")
        asked = self.client.get("AskedRequest")
        player.kill()
        self.client.wait_for("InterfaceOrientation", "portrait")
        self.assert_shown("portrait", asked=page, reason="request")
        self.assertEqual([path for path, _ in removed], [asked])
        self.assertEqual([found[0] for found in self.client.ask("ListRequests")[0]], [page.path])
        self.assertEqual(
            self.transitions(events),
            [("portrait", "landscape-right", "request"), ("landscape-right", "portrait", "request")],
        )

    def test_interface_returns_to_the_held_orientation_when_a_client_is_killed(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "current")
        player = self.rig.spawn([PYTHON, "-c", SHOW_AND_WAIT])
        self.client.wait_for("InterfaceOrientation", "landscape-right")
        self.turn("portrait-upside-down")
        player.kill()
        self.client.wait_for("InterfaceOrientation", "portrait")
        self.assert_shown("portrait", lock="current", rule="lock")
