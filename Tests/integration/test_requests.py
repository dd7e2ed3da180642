# SPDX-License-Identifier: Apache-2.0
"""Request objects: owners, valid options, limits, and how their creation and end are announced."""

import pathlib
import signal

from gi.repository import GLib

from feed import ReadCounter
from rig import (
    BUS_NAME,
    INVALID_ARGS,
    INVALID_INTERFACE_ORIENTATION,
    LIMIT_EXCEEDED,
    NOT_YOUR_REQUEST,
    OBJECT_MANAGER,
    REQUEST,
    REQUEST_PREFIX,
    ROOT_PATH,
    UNKNOWN_OBJECT,
    accelerometer,
    wait_until,
)
from rotation import ALL, CHANGED, DID, LANDSCAPE, ORIENTATIONS, RotationTestCase, View, WILL, mask, options_of

PORTRAIT = mask("portrait")
PER_CONNECTION = 64
IN_ALL = 256


def variant(signature, value):
    return GLib.Variant(signature, value)


class Members(RotationTestCase):
    def test_properties_have_the_requested_values(self):
        self.rig.start_orientd()
        root = self.view(LANDSCAPE)
        child = self.view(
            ALL,
            "org.example.Player",
            parent=root,
            forwards_to=root,
            preferred="landscape-left",
            should_autorotate=False,
            presentation="modal",
            active=False,
            reason="full-screen video",
        )
        self.assertTrue(child.path.startswith(REQUEST_PREFIX))
        self.assertEqual(
            child.get_all(),
            {
                "AppId": "org.example.Player",
                "Supported": ALL,
                "Preferred": "landscape-left",
                "ShouldAutorotate": False,
                "Presentation": "modal",
                "Parent": root.path,
                "ForwardsTo": root.path,
                "Active": False,
                "Reason": "full-screen video",
                "SupportedNames": list(ORIENTATIONS),
            },
        )

    def test_defaults_make_a_root_modal_and_a_child_pushed(self):
        self.rig.start_orientd()
        root = self.view(ALL)
        child = self.view(LANDSCAPE, parent=root)
        defaults = {
            "AppId": "org.example.App",
            "Supported": ALL,
            "Preferred": "",
            "ShouldAutorotate": True,
            "Presentation": "modal",
            "Parent": "/",
            "ForwardsTo": "/",
            "Active": True,
            "Reason": "",
            "SupportedNames": list(ORIENTATIONS),
        }
        self.assertEqual(root.get_all(), defaults)
        pushed = {
            "Presentation": "push",
            "Parent": root.path,
            "Supported": LANDSCAPE,
            "SupportedNames": ["landscape-right", "landscape-left"],
        }
        self.assertEqual(child.get_all(), {**defaults, **pushed})

    def test_options_may_be_empty_and_the_last_one_wins(self):
        self.rig.start_orientd()
        view = self.view(LANDSCAPE, preferred="", parent="/", forwards_to="/")
        self.assertEqual([view.get(name) for name in ("Preferred", "Parent", "ForwardsTo")], ["", "/", "/"])
        twice = GLib.VariantBuilder(GLib.VariantType("a{sv}"))
        for reason in ("first", "second"):
            entry = GLib.Variant.new_dict_entry(variant("s", "reason"), variant("v", variant("s", reason)))
            twice.add_value(entry)
        arguments = GLib.Variant.new_tuple(twice.end())
        self.client.call("Update", REQUEST, view.path, arguments)
        self.assertEqual(view.get("Reason"), "second")

    def test_update_changes_and_announces_only_the_given_options(self):
        self.rig.start_orientd()
        view = self.view(ALL)
        before = view.get_all()
        changes = self.client.record_changes()
        for option, name, value in (
            ("supported", "Supported", LANDSCAPE),
            ("preferred", "Preferred", "landscape-left"),
            ("should_autorotate", "ShouldAutorotate", False),
            ("presentation", "Presentation", "push"),
            ("active", "Active", False),
            ("reason", "Reason", "a change"),
            ("forwards_to", "ForwardsTo", view.path),
            ("parent", "Parent", view.path),
        ):
            with self.subTest(option):
                if value == view.path:
                    value = self.view(ALL, active=False).path
                    self.flush()
                changes.clear()
                view.update(**{option: value})
                expected = {name: value}
                if name == "Supported":
                    expected["SupportedNames"] = ["landscape-right", "landscape-left"]
                before.update(expected)
                self.assertEqual(view.get_all(), before)
                self.flush()
                announced = [change for change in changes if change.path == view.path]
                self.assertEqual([change[2:] for change in announced], [(REQUEST, expected, [])])
                changes.clear()
                view.update(**{option: value})  # without a change
                self.flush()
                self.assertEqual([change for change in changes if change.path == view.path], [])

    def test_list_requests_lists_all_requests_oldest_first(self):
        self.rig.start_orientd()
        self.assertEqual(self.client.ask("ListRequests"), ([],))
        root = self.view(ALL, "org.example.Page", reason="a page")
        child = self.view(LANDSCAPE, "org.example.Page", parent=root, presentation="modal")
        other = View(self.rig.connect(), PORTRAIT, "org.example.Other", presentation="push")
        self.assertEqual(
            self.client.ask("ListRequests")[0],
            [
                (root.path, "org.example.Page", "/", "modal", ALL, "a page"),
                (child.path, "org.example.Page", root.path, "modal", LANDSCAPE, ""),
                (other.path, "org.example.Other", "/", "push", PORTRAIT, ""),
            ],
        )

    def test_paths_are_never_used_twice(self):
        self.rig.start_orientd()
        first = self.view(ALL)
        first.release()
        self.assertNotEqual(self.view(ALL).path, first.path)


class Objects(RotationTestCase):
    def test_requests_are_announced_with_their_properties_and_when_they_end(self):
        self.rig.start_orientd()
        added = self.client.record_signals(OBJECT_MANAGER, "InterfacesAdded")
        removed = self.client.record_signals(OBJECT_MANAGER, "InterfacesRemoved")
        view = self.view(LANDSCAPE, reason="a game")
        self.flush()
        (path, interfaces), = added
        self.assertEqual(path, view.path)
        self.assertEqual(interfaces[REQUEST], view.get_all())
        self.assertEqual(self.client.objects()[view.path][REQUEST], view.get_all())
        self.assertEqual(removed, [])
        view.release()
        self.flush()
        (path, interfaces), = removed
        self.assertEqual(path, view.path)
        self.assertIn(REQUEST, interfaces)
        self.assertNotIn(view.path, self.client.objects())
        self.assertEqual(len(added), 1)

    def test_an_object_is_added_or_removed_before_the_transition_that_it_causes(self):
        # AskedRequest named a request that had not been announced yet.
        self.rig.start_orientd()
        signals = []

        def append(_connection, _sender, _path, _interface, signal, _arguments):
            signals.append(signal)

        self.client.connection.signal_subscribe(BUS_NAME, None, None, ROOT_PATH, None, 0, append)
        self.client.round_trip()
        view = self.view(LANDSCAPE)
        self.flush()
        self.assertEqual(signals, ["InterfacesAdded", WILL, CHANGED, DID])
        signals.clear()
        view.release()
        self.flush()
        self.assertEqual(signals, ["InterfacesRemoved", WILL, CHANGED, DID])

    def test_a_refused_request_is_never_announced(self):
        self.rig.start_orientd()
        added = self.client.record_signals(OBJECT_MANAGER, "InterfacesAdded")
        self.refused_view(LANDSCAPE, preferred="portrait")
        self.flush()
        self.assertEqual(added, [])

    def test_releasing_a_parent_releases_its_children(self):
        self.rig.start_orientd()
        removed = self.client.record_signals(OBJECT_MANAGER, "InterfacesRemoved")
        root = self.view(ALL)
        child = self.view(ALL, parent=root)
        grandchild = self.view(LANDSCAPE, parent=child, presentation="modal")
        other = self.view(PORTRAIT, active=False)
        root.release()
        self.flush()
        self.assertEqual({path for path, _ in removed}, {root.path, child.path, grandchild.path})
        self.assertEqual([found[0] for found in self.client.ask("ListRequests")[0]], [other.path])
        self.assertEqual(grandchild.refusal("Release")[0], UNKNOWN_OBJECT)

    def test_the_object_of_a_released_request_is_gone(self):
        self.rig.start_orientd()
        view = self.view(ALL)
        view.release()
        self.assertEqual(view.refusal("Release")[0], UNKNOWN_OBJECT)
        self.assertEqual(view.refusal("Update", "a{sv}", {})[0], UNKNOWN_OBJECT)


class Owners(RotationTestCase):
    def test_other_clients_may_read_but_not_change(self):
        self.start()
        view = self.view(LANDSCAPE)
        other = self.rig.connect()
        self.assertEqual(other.get("Supported", REQUEST, view.path), LANDSCAPE)
        before = self.state()
        text = "the request belongs to another connection"
        for method, signature, values in (
            ("Update", "a{sv}", (options_of({"supported": PORTRAIT}),)),
            ("Update", "a{sv}", (options_of({"reason": variant("u", 1)}),)),
            ("SetNeedsUpdate", "", ()),
            ("Release", "", ()),
        ):
            self.assertEqual(view.refusal(method, signature, *values, client=other), (NOT_YOUR_REQUEST, text))
        self.assertEqual(self.state(), before)

    def test_another_connection_of_the_same_user_is_another_client(self):
        self.start()
        view = self.view(LANDSCAPE)
        answer = self.rig.spawn(
            ["busctl", f"--address={self.rig.address}", "call", "org.orientd1", view.path, REQUEST, "Release"]
        ).wait()
        self.assertNotEqual(answer, 0)
        self.assertEqual(view.get("Supported"), LANDSCAPE)

    def test_requests_end_with_their_connection(self):
        self.start()
        ours = self.view(PORTRAIT)
        other = self.rig.connect()
        page = View(other, LANDSCAPE, "org.example.Other")
        View(other, LANDSCAPE, "org.example.Other", parent=page, presentation="modal")
        self.assert_shown("landscape-right")
        other.close()
        self.wait_for_requests(1)
        self.assert_shown("portrait", reason="request", asked=ours)

    def test_application_masks_end_with_their_connection(self):
        self.start()
        other = self.rig.connect()
        other.ask("SetApplicationMask", "su", "org.example.App", LANDSCAPE)
        View(other, ALL, "org.example.App")
        self.assert_shown("landscape-right", mask=LANDSCAPE)
        other.close()
        self.wait_for_requests(0)
        self.assert_shown("portrait", mask=ALL)

    def test_application_masks_apply_only_to_the_connection_that_set_them(self):
        self.start()
        other = self.rig.connect()
        other.ask("SetApplicationMask", "su", "org.example.App", LANDSCAPE)
        self.view(ALL, "org.example.App")
        self.assert_shown("portrait", mask=ALL)
        View(other, ALL, "org.example.App")
        self.assert_shown("landscape-right", mask=LANDSCAPE)

    def test_connection_that_ends_while_polkit_decides_leaves_nothing(self):
        self.rig.start_polkit(allowed=("org.orientd1.request",))
        daemon = self.rig.start_orientd()
        for method, signature, values in (
            ("Request", "(sua{sv})", ("org.example.App", LANDSCAPE, {})),
            ("SetApplicationMask", "(su)", ("org.example.App", LANDSCAPE)),
        ):
            with self.subTest(method):
                self.rig.call_polkit("SimulateHang", variant("(b)", (True,)))
                other = self.rig.connect()
                other.start_call(method, arguments=variant(signature, values))
                wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
                other.close()
                self.rig.call_polkit("SimulateHang", variant("(b)", (False,)))
                self.rig.call_polkit("ReleaseHangingCalls")
                view = self.view(ALL)  # asks polkit later, so polkit has answered the other call when this returns
                self.assertEqual([found[0] for found in self.client.ask("ListRequests")[0]], [view.path])
                view.release()
        self.assertEqual(daemon.log_lines("(?i)error"), [])


def dirty_memory(daemon):
    """Returns how much memory a program has written to, in kB."""
    lines = pathlib.Path(f"/proc/{daemon.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:"))


class Limits(RotationTestCase):
    def request_often(self, client, count, arguments=("org.example.App", ALL, {})):
        """Makes `count` requests without waiting in between and returns the errors of the calls."""
        arguments = variant("(sua{sv})", arguments)
        calls = [client.start_call("Request", arguments=arguments) for _ in range(count)]
        wait_until(lambda: all(call.done for call in calls), f"{count} requests are answered", timeout=30)
        return [call.error for call in calls]

    def test_64_requests_per_connection(self):
        self.rig.start_orientd()
        self.assertEqual(set(self.request_often(self.client, PER_CONNECTION)), {None})
        before = self.state()
        self.assertEqual(
            self.refused_view(ALL), (LIMIT_EXCEEDED, "this connection holds 64 requests, the most it may")
        )
        self.assertEqual(self.state(), before)
        View(self.rig.connect(), ALL).release()
        self.client.ask("Release", path=before[2][0][0][0], interface=REQUEST)
        self.view(ALL)
        self.assertEqual(self.refused_view(ALL)[0], LIMIT_EXCEEDED)

    def test_children_that_end_with_their_parent_no_longer_count(self):
        self.rig.start_orientd()
        root = self.view(ALL)
        for _ in range(PER_CONNECTION - 1):
            self.view(ALL, parent=root)
        self.assertEqual(self.refused_view(ALL, parent=root)[0], LIMIT_EXCEEDED)
        root.release()
        self.assertEqual(set(self.request_often(self.client, PER_CONNECTION)), {None})

    def test_refused_requests_do_not_count(self):
        self.rig.start_orientd()
        impossible = ("org.example.App", LANDSCAPE, options_of({"preferred": "portrait"}))
        for _ in range(2):
            refused = self.request_often(self.client, PER_CONNECTION, impossible)
            self.assertEqual(set(refused), {INVALID_INTERFACE_ORIENTATION})
        self.assertEqual(set(self.request_often(self.client, PER_CONNECTION)), {None})

    def test_256_requests_in_all(self):
        self.rig.start_orientd()
        holders = [self.rig.connect() for _ in range(IN_ALL // PER_CONNECTION)]
        for holder in holders:
            self.assertEqual(set(self.request_often(holder, PER_CONNECTION)), {None})
        self.assertEqual(self.refused_view(ALL), (LIMIT_EXCEEDED, "all 256 requests are taken"))
        holders[0].close()
        self.wait_for_requests(IN_ALL - PER_CONNECTION)
        self.view(ALL)

    def test_memory_of_all_requests_is_bounded(self):
        """orientd kept 8 MB after 1024 requests, as the heap above the first one that is left is not given back."""

        daemon = self.rig.start_orientd()
        before = dirty_memory(daemon)
        for _ in range(3):
            holders = [self.rig.connect() for _ in range(IN_ALL // PER_CONNECTION)]
            for holder in holders:
                self.assertEqual(set(self.request_often(holder, PER_CONNECTION)), {None})
            for holder in holders:
                holder.close()
            self.wait_for_requests(0)
        self.assertLess(dirty_memory(daemon) - before, 4000)

    def test_memory_of_clients_that_leave_while_polkit_decides_is_given_back(self):
        """The Embedded runtime of Swift 6.3 does not free an object whose initializer throws: 40 bytes each time here."""
        self.rig.start_polkit(allowed=("org.orientd1.claim",))
        polkit = self.rig.processes[-1]
        daemon = self.rig.start_orientd()

        def leave(times):
            for _ in range(times):
                polkit.send_signal(signal.SIGSTOP)
                client = self.rig.connect()
                for _ in range(50):
                    client.start_call("Claim")
                client.get("Claims")
                client.close()
                polkit.send_signal(signal.SIGCONT)
                # The bus may deliver polkit's answers before it notices that the client has gone.
                self.client.wait_for("Claims", 0)
                self.client.ask("Claim")
                self.client.ask("Release")

        leave(50)
        before = dirty_memory(daemon)
        leave(200)
        self.assertLess(dirty_memory(daemon) - before, 200)

    def test_requests_that_wait_for_polkit_count(self):
        self.rig.start_polkit(allowed=("org.orientd1.request",))
        self.rig.start_orientd()
        self.rig.call_polkit("SimulateHang", variant("(b)", (True,)))
        arguments = variant("(sua{sv})", ("org.example.App", ALL, {}))
        calls = [self.client.start_call("Request", arguments=arguments) for _ in range(PER_CONNECTION + 1)]
        wait_until(lambda: any(call.done for call in calls), "the last one is refused")
        self.assertEqual([call.error for call in calls if call.done], [LIMIT_EXCEEDED])
        self.rig.call_polkit("SimulateHang", variant("(b)", (False,)))

        def all_answered():
            self.rig.call_polkit("ReleaseHangingCalls")
            return all(call.done for call in calls)

        wait_until(all_answered, "the requests are answered")
        self.wait_for_requests(PER_CONNECTION)

    def test_64_application_masks_per_connection(self):
        self.rig.start_orientd()
        for number in range(PER_CONNECTION):
            self.client.ask("SetApplicationMask", "su", f"org.example.App{number}", LANDSCAPE)
        self.assertEqual(
            self.client.refusal("SetApplicationMask", "su", "org.example.More", LANDSCAPE),
            (LIMIT_EXCEEDED, "this connection holds 64 application masks, the most it may"),
        )
        self.client.ask("SetApplicationMask", "su", "org.example.App0", PORTRAIT)  # replaces a mask
        self.client.ask("SetApplicationMask", "su", "org.example.App1", 0)
        self.client.ask("SetApplicationMask", "su", "org.example.More", LANDSCAPE)


class MasksAsNames(RotationTestCase):
    def test_requests_and_updates(self):
        self.start()
        view = self.view(0, mask=variant("as", ["landscape-left", "portrait"]))
        self.assertEqual((view.get("Supported"), view.get("SupportedNames")), (18, ["portrait", "landscape-left"]))
        self.assertEqual(self.client.get("SupportedOrientations"), 18)
        self.assertEqual(self.client.get("SupportedOrientationNames"), ["portrait", "landscape-left"])
        events = self.record_events()
        view.update(supported=variant("as", ["landscape"]))
        self.assertEqual(view.get("Supported"), LANDSCAPE)
        self.flush()
        (changes,) = [event.arguments for event in events if event.signal == "PropertiesChanged"]
        self.assertEqual(changes["SupportedOrientations"], LANDSCAPE)
        self.assertEqual(changes["SupportedOrientationNames"], ["landscape-right", "landscape-left"])

    def test_application_masks(self):
        self.start()
        self.view(ALL)
        self.client.ask("SetApplicationOrientations", "sas", "org.example.App", ["portrait"])
        self.assertEqual(self.client.get("SupportedOrientations"), PORTRAIT)
        self.client.ask("SetApplicationOrientations", "sas", "org.example.App", [])
        self.assertEqual(self.client.get("SupportedOrientations"), ALL)


class Wrong(RotationTestCase):
    """Each refusal names the field and changes nothing."""

    def assert_refused_everywhere(self, field, found, **options):
        """Checks that Request and Update refuse the options, with a text that begins with the field's name."""
        for name, text in (self.refused_view(LANDSCAPE, **options), self.ours.refused_update(**options)):
            self.assertEqual(name, INVALID_ARGS)
            self.assertEqual(text, f"{field}: {found}")

    def start_with_views(self):
        # At rest the sensing level would change.
        self.start("[Sensor]", "Power=responsive")
        self.theirs = View(self.rig.connect(), ALL, "org.example.Theirs")
        self.ours = self.view(LANDSCAPE)
        self.before = self.state()
        self.events = self.record_events()

    def assert_nothing_changed(self):
        self.flush()
        self.assertEqual(self.events, [])
        self.assertEqual(self.state(), self.before)

    def test_masks(self):
        self.start_with_views()
        for bits in (0, 1, 3, 32, 62, 1 << 31, (1 << 32) - 1):
            text = f"{bits} has bits that are no orientation" if bits else "is empty"
            with self.subTest(bits):
                self.assertEqual(self.refused_view(bits), (INVALID_ARGS, f"supported: {text}"))
                self.assertEqual(self.ours.refused_update(supported=bits), (INVALID_ARGS, f"supported: {text}"))
                if bits:  # 0 restores the configuration's mask
                    self.assertEqual(
                        self.client.refusal("SetApplicationMask", "su", "org.example.App", bits),
                        (INVALID_ARGS, f"mask: {text}"),
                    )
        self.assert_nothing_changed()

    def test_application_ids(self):
        self.start_with_views()
        for app_id in ("", "a" * 256, "ä" * 128):
            text = f"app_id: takes 1 to 255 bytes, not {len(app_id.encode())}"
            self.assertEqual(self.refused_view(ALL, app_id), (INVALID_ARGS, text))
            self.assertEqual(self.client.refusal("SetApplicationMask", "su", app_id, ALL), (INVALID_ARGS, text))
        self.assert_nothing_changed()
        self.view(ALL, "a" * 255)

    def test_names(self):
        self.start_with_views()
        orientations = ", ".join(ORIENTATIONS)
        for field, word, known in (
            ("preferred", "sideways", orientations),
            ("preferred", "off", orientations),
            ("presentation", "", "modal, push"),
            ("presentation", "Modal", "modal, push"),
        ):
            with self.subTest(field, word=word):
                self.assert_refused_everywhere(field, f"'{word}' is none of {known}", **{field: word})
        self.assert_nothing_changed()

    def test_types(self):
        self.start_with_views()
        for wrong in (variant("i", 24), variant("s", "landscape"), variant("au", [24])):
            found = f"supported: takes a value of type as or u, not {wrong.get_type_string()}"
            self.assertEqual(self.ours.refused_update(supported=wrong), (INVALID_ARGS, found))
        for field, right, wrong in (
            ("preferred", "s", variant("b", True)),
            ("preferred", "s", variant("o", "/")),
            ("should-autorotate", "b", variant("u", 1)),
            ("presentation", "s", variant("as", ["modal"])),
            ("parent", "o", variant("s", "/")),
            ("forwards-to", "o", variant("v", variant("o", "/"))),
            ("active", "b", variant("s", "true")),
            ("reason", "s", variant("(s)", ("text",))),
        ):
            with self.subTest(field, wrong=str(wrong)):
                found = f"takes a value of type {right}, not {wrong.get_type_string()}"
                self.assert_refused_everywhere(field, found, **{field: wrong})
        self.assert_nothing_changed()

    def test_unknown_options(self):
        self.start_with_views()
        for option in ("colour", "", "Supported", "should_autorotate", "app_id"):
            with self.subTest(option):
                values = {option: variant("s", "x")}
                text = f"options: there is no option '{option}'"
                self.assertEqual(
                    self.client.refusal("Request", "sua{sv}", "org.example.App", ALL, values), (INVALID_ARGS, text)
                )
                self.assertEqual(self.ours.refusal("Update", "a{sv}", values), (INVALID_ARGS, text))
        self.assert_nothing_changed()

    def test_the_mask_is_given_once(self):
        self.start_with_views()
        for given in (LANDSCAPE, variant("as", ["landscape"])):
            self.assertEqual(
                self.refused_view(ALL, mask=given),
                (INVALID_ARGS, "supported: the argument must be 0 beside the option"),
            )
        self.assert_nothing_changed()

    def test_names_of_masks(self):
        self.start_with_views()
        known = "portrait, portrait-upside-down, landscape-right, landscape-left, landscape, all-but-upside-down, all"
        for names, text in (
            (["sideways"], f"'sideways' is none of {known}"),
            (["portrait", ""], f"'' is none of {known}"),
            ([], "is empty"),
        ):
            with self.subTest(names):
                given = variant("as", names)
                self.assertEqual(self.refused_view(0, mask=given), (INVALID_ARGS, f"supported: {text}"))
                self.assertEqual(self.ours.refused_update(supported=given), (INVALID_ARGS, f"supported: {text}"))
                if names:  # an empty array restores the configuration's mask
                    self.assertEqual(
                        self.client.refusal("SetApplicationOrientations", "sas", "org.example.App", names),
                        (INVALID_ARGS, f"orientations: {text}"),
                    )
        self.assert_nothing_changed()

    def test_more_names_than_orientations_are_refused(self):
        # Six calls with 1.5 million names kept others waiting for 2.7 s.
        self.start_with_views()
        names = ["portrait"] * 5
        refusal = self.client.refusal("SetApplicationOrientations", "sas", "org.example.App", names)
        self.assertEqual(refusal, (INVALID_ARGS, "orientations: takes at most four names"))
        self.assert_nothing_changed()

    def test_reason_is_at_most_1024_bytes_long(self):
        self.start_with_views()
        self.assert_refused_everywhere("reason", "takes at most 1024 bytes", reason="a" * 1025)
        self.assert_nothing_changed()
        self.view(ALL, reason="a" * 1024)

    def test_paths_that_are_not_requests(self):
        self.start_with_views()
        for path in ("/org/orientd1", "/org/orientd1/sensor/0", REQUEST_PREFIX + "0001", REQUEST_PREFIX + "x"):
            for field in ("parent", "forwards-to"):
                with self.subTest(field, path=path):
                    self.assert_refused_everywhere(field, f"{path} is not the path of a request", **{field: path})
        self.assert_nothing_changed()

    def test_requests_of_other_clients_and_missing_requests(self):
        self.start_with_views()
        for path in (self.theirs.path, REQUEST_PREFIX + "4000000000"):
            for field in ("parent", "forwards-to"):
                with self.subTest(field, path=path):
                    self.assert_refused_everywhere(field, "not a request of this connection", **{field: path})
        self.assert_nothing_changed()

    def test_a_request_cannot_be_part_of_itself(self):
        self.start_with_views()
        child = self.view(LANDSCAPE, parent=self.ours)
        grandchild = self.view(LANDSCAPE, parent=child)
        self.before = self.state()
        for ancestor, descendant in ((child, child), (child, grandchild), (self.ours, grandchild)):
            self.assertEqual(
                ancestor.refused_update(parent=descendant),
                (INVALID_ARGS, "parent: a request cannot be its own ancestor"),
            )
        self.assert_nothing_changed()

    def test_a_request_cannot_forward_to_itself(self):
        self.start_with_views()
        others = [self.view(LANDSCAPE, parent=self.ours) for _ in range(2)]
        self.ours.update(forwards_to=others[0])
        others[0].update(forwards_to=others[1])
        self.flush()
        self.before = self.state()
        self.events.clear()
        for target in (self.ours, *others):
            self.assertEqual(
                others[1].refused_update(forwards_to=target),
                (INVALID_ARGS, "forwards-to: a request cannot forward to itself"),
            )
        self.assert_nothing_changed()

    def test_one_invalid_option_refuses_the_whole_call(self):
        self.start_with_views()
        self.assertEqual(self.ours.refused_update(active=False, reason="x", presentation="y")[0], INVALID_ARGS)
        self.assert_nothing_changed()

    def test_an_unsupported_preferred_orientation_is_refused_for_every_request(self):
        # Also for a request that is not asked, because it could never be shown in that orientation.
        self.start_with_views()
        name, text = self.refused_view(LANDSCAPE, preferred="portrait", active=False)
        self.assertEqual(name, INVALID_INTERFACE_ORIENTATION)
        self.assertEqual(text, "preferred: portrait is not among the supported landscape")
        self.assert_nothing_changed()

    def test_malformed_dictionaries_do_not_crash_orientd(self):
        self.start_with_views()
        deep = variant("s", "x")
        for _ in range(60):
            deep = variant("v", deep)
        self.assertEqual(self.ours.refused_update(reason=deep)[0], INVALID_ARGS)
        many = {f"option{number}": variant("s", "x") for number in range(10000)}
        self.assertEqual(self.ours.refusal("Update", "a{sv}", many)[0], INVALID_ARGS)
        self.assert_nothing_changed()


class Sensing(RotationTestCase):
    """The sensor runs while an active request autorotates, or a claim is held."""

    def start_unclaimed(self):
        self.start(claim=False)
        self.assertEqual(self.client.get("SensorState"), "idle")

    def test_a_request_that_autorotates_runs_the_sensor_until_it_is_released(self):
        self.start_unclaimed()
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        view = self.view(ALL)
        self.client.wait_for("SensorState", "sampling")
        self.turn("landscape-left")
        self.assert_shown("landscape-right", reason="sensor")
        self.assertEqual(self.client.get("Claims"), 0)
        view.release()
        self.client.wait_for("SensorState", "idle")
        before = counter.reads()
        with self.assertRaises(AssertionError, msg="it is still read"):
            wait_until(lambda: counter.reads() > before + 1, "a read", timeout=0.2)

    def test_a_request_that_does_not_autorotate_leaves_the_sensor_idle(self):
        self.start_unclaimed()
        for options in ({"should_autorotate": False}, {"active": False}):
            self.view(ALL, **options)
        self.flush()
        self.assertEqual(self.client.get("SensorState"), "idle")

    def test_updates_of_should_autorotate_start_and_stop_the_sensor(self):
        self.start_unclaimed()
        view = self.view(ALL, should_autorotate=False, active=False)
        for changes, state in (
            ({"should_autorotate": True}, "idle"),
            ({"active": True}, "sampling"),
            ({"active": False}, "idle"),
            ({"active": True}, "sampling"),
            ({"should_autorotate": False}, "idle"),
        ):
            view.update(**changes)
            self.client.wait_for("SensorState", state)

    def test_the_sensor_stops_when_the_connection_ends(self):
        self.start_unclaimed()
        other = self.rig.connect()
        View(other, ALL)
        self.client.wait_for("SensorState", "sampling")
        other.close()
        self.client.wait_for("SensorState", "idle")

    def test_a_claim_and_a_request_keep_the_sensor_running_independently(self):
        self.start_unclaimed()
        view = self.view(ALL)
        self.client.claim()
        view.release()
        self.assertEqual(self.client.get("SensorState"), "sampling")
        view = self.view(ALL)
        self.client.release()
        self.assertEqual(self.client.get("SensorState"), "sampling")
        view.release()
        self.client.wait_for("SensorState", "idle")

    def test_the_sensor_keeps_running_under_a_lock(self):
        self.start_unclaimed()
        self.client.ask("SetRotationLock", "s", "current")
        self.view(ALL)
        self.turn("landscape-left")
        self.assert_shown("portrait", rule="lock")

    def test_a_request_made_without_a_sensor_starts_one_that_appears(self):
        self.rig.start_orientd()
        self.view(ALL)
        self.rig.add_device(accelerometer(raw=(-1000, 0, 0)))
        self.client.wait_for("InterfaceOrientation", "landscape-right")
        self.assert_shown("landscape-right", reason="sensor")
