# SPDX-License-Identifier: Apache-2.0
"""What the machine is, by its configuration and by hostnamed, and what follows for its interface."""

from gi.repository import Gio, GLib

from rig import ORIENTATION_NOT_SUPPORTED
from rotation import ALL, ALL_BUT_UPSIDE_DOWN, LANDSCAPE, ORIENTATIONS, RotationTestCase, mask

BUS = "org.freedesktop.DBus"
HOSTNAMED = "org.freedesktop.hostname1"
CHASSIS = '<node><interface name="{}"><property name="Chassis" type="{}" access="read"/></interface></node>'


class Hostnamed:
    """A systemd-hostnamed; `answer` is given each call to be answered."""

    def __init__(self, rig, answer, kind="s"):
        self.calls = []
        self.answer = answer
        connection = rig.connect().connection
        (interface,) = Gio.DBusNodeInfo.new_for_xml(CHASSIS.format(HOSTNAMED, kind)).interfaces
        # Without a closure for properties, getting one is a call like any other.
        connection.register_object("/org/freedesktop/hostname1", interface, self.handle, None, None)
        name = GLib.Variant("(su)", (HOSTNAMED, 0))
        connection.call_sync(BUS, "/", BUS, "RequestName", name, None, Gio.DBusCallFlags.NONE, 5000, None)

    def handle(self, _connection, _sender, _path, _interface, method, arguments, invocation):
        self.calls.append((method, arguments.unpack()))
        self.answer(invocation)


def chassis(name):
    """Returns an answer that the machine's chassis is called so."""
    reply = GLib.Variant("(v)", (GLib.Variant("s", name),))
    return lambda invocation: invocation.return_value(reply)


class Idiom(RotationTestCase):
    # What is supported and when it turns, by what the machine is.
    DEFAULTS = {
        "handset": (ALL_BUT_UPSIDE_DOWN, "always"),
        "tablet": (ALL, "always"),
        "convertible": (ALL, "tablet-mode"),
        "laptop": (ALL, "never"),
    }

    def assert_defaults(self, supported, autorotate):
        found = tuple(self.client.get(name) for name in ("SupportedOrientations", "Autorotate"))
        self.assertEqual(found, (supported, autorotate))

    def test_configuration_says_what_it_is(self):
        hostnamed = Hostnamed(self.rig, chassis("handset"))
        for idiom, defaults in self.DEFAULTS.items():
            with self.subTest(idiom):
                daemon = self.rig.start_orientd(configuration=f"[Orientation]\nIdiom={idiom}\n")
                self.assert_defaults(*defaults)
                daemon.stop()
        self.assertEqual(hostnamed.calls, [])

    def test_hostnamed_says_what_it_is(self):
        hostnamed = Hostnamed(self.rig, None)
        cases = {**self.DEFAULTS, **dict.fromkeys(("desktop", "server", "vm", "", "toaster"), self.DEFAULTS["tablet"])}
        for name, defaults in cases.items():
            with self.subTest(name):
                hostnamed.answer = chassis(name)
                hostnamed.calls.clear()
                daemon = self.rig.start_orientd()
                self.assert_defaults(*defaults)  # READY waits for it
                self.assertEqual(hostnamed.calls, [("Get", (HOSTNAMED, "Chassis"))])
                self.assertEqual(daemon.log_lines("warning"), [])
                daemon.stop()

    def test_without_hostnamed_it_is_a_tablet(self):
        daemon = self.rig.start_orientd()
        self.assert_defaults(*self.DEFAULTS["tablet"])
        self.assertEqual(daemon.log_lines("warning"), [])

    def test_hostnamed_that_fails_is_a_warning_and_it_is_a_tablet(self):
        number = GLib.Variant("(v)", (GLib.Variant("u", 1),))
        for kind, answer in (
            ("s", lambda invocation: invocation.return_dbus_error(BUS + ".Error.AccessDenied", "not for you")),
            ("u", lambda invocation: invocation.return_value(number)),
        ):
            with self.case(kind):
                Hostnamed(self.rig, answer, kind)
                daemon = self.rig.start_orientd()
                self.assert_defaults(*self.DEFAULTS["tablet"])
                self.assertEqual(len(daemon.log_lines("warning: hostnamed")), 1, daemon.log())

    def test_hostnamed_that_is_slow_holds_nothing_up_and_counts_when_it_answers(self):
        withheld = []
        Hostnamed(self.rig, withheld.append)
        self.rig.start_orientd()  # ready within a second all the same
        self.assert_defaults(*self.DEFAULTS["tablet"])
        self.client.ask("Rotate", "s", "portrait-upside-down")
        events = self.record_events()
        chassis("handset")(withheld[0])
        self.client.wait_for("SupportedOrientations", ALL_BUT_UPSIDE_DOWN)
        self.assertEqual(self.transitions(events), [("portrait-upside-down", "portrait", "configuration")])

    def test_mode_that_was_set_before_the_answer_stays(self):
        withheld = []
        Hostnamed(self.rig, withheld.append)
        self.rig.start_orientd()
        self.client.ask("SetAutorotate", "s", "never")
        chassis("handset")(withheld[0])
        self.client.wait_for("SupportedOrientations", ALL_BUT_UPSIDE_DOWN)
        self.assertEqual(self.client.get("Autorotate"), "never")

    def test_settings_win_over_what_follows_from_it(self):
        Hostnamed(self.rig, chassis("handset"))
        self.rig.start_orientd(configuration="[Orientation]\nSupportedOrientations=all\nAutorotate=never\n")
        self.assert_defaults(ALL, "never")

    def test_laptop_does_not_turn_and_a_handset_is_never_upside_down(self):
        for idiom, held, shown in (
            ("laptop", "landscape-left", "portrait"),
            ("handset", "portrait-upside-down", "portrait"),
            ("tablet", "portrait-upside-down", "portrait-upside-down"),
        ):
            with self.case(idiom):
                self.start(f"Idiom={idiom}")
                self.turn(held)
                self.assert_shown(shown)


class SupportedOrientations(RotationTestCase):
    def test_every_form_of_it(self):
        for text, supported in (
            ("all", ALL),
            ("all-but-upside-down", ALL_BUT_UPSIDE_DOWN),
            ("landscape", LANDSCAPE),
            *((orientation, mask(orientation)) for orientation in ORIENTATIONS),
            ("portrait,landscape-left", mask("portrait", "landscape-left")),
            ("landscape-left, portrait-upside-down", mask("portrait-upside-down", "landscape-left")),
        ):
            with self.subTest(text):
                daemon = self.rig.start_orientd(configuration=f"[Orientation]\nSupportedOrientations={text}\n")
                self.assertEqual(self.client.get("SupportedOrientations"), supported)
                self.assertEqual(daemon.log_lines("warning"), [])
                daemon.stop()

    def test_bounds_everything(self):
        self.start("SupportedOrientations=portrait,landscape-left")
        self.turn("landscape-left")
        self.assert_shown("portrait", rule="mask")
        for method in ("Rotate", "SetRotationLock"):
            self.assertEqual(self.client.refusal(method, "s", "landscape-right")[0], ORIENTATION_NOT_SUPPORTED)
        self.view(LANDSCAPE, preferred="landscape-right")
        self.assert_shown("landscape-left", mask=mask("landscape-left"))


class Autorotate(RotationTestCase):
    def test_each_mode(self):
        for mode, shown in (("always", "landscape-right"), ("tablet-mode", "landscape-right"), ("never", "portrait")):
            with self.case(mode):
                self.start(f"Autorotate={mode}")
                self.assertEqual(self.client.get("Autorotate"), mode)
                self.turn("landscape-left")
                self.assert_shown(shown)

    def test_laptop_orientation_counts_in_laptop_mode_alone(self):
        self.start("Autorotate=tablet-mode", "LaptopOrientation=landscape-right")
        self.assert_shown("portrait", rule="device")  # TabletMode is unknown, which counts as a tablet


class Application(RotationTestCase):
    SECTION = ("[Application org.example.Player]", "SupportedOrientations=landscape")

    def test_mask_holds_for_requests_of_that_id_alone(self):
        self.start(*self.SECTION)
        other = self.view(ALL, "org.example.PlayerTwo")
        self.assert_shown("portrait", mask=ALL)
        other.release()
        player = self.view(ALL, "org.example.Player")
        self.assert_shown("landscape-right", mask=LANDSCAPE)
        player.release()
        self.assert_shown("portrait", mask=ALL)

    def test_mask_set_at_run_time_replaces_it_until_0(self):
        self.start(*self.SECTION)
        self.view(ALL, "org.example.Player")
        for bits, effective in ((mask("portrait"), mask("portrait")), (ALL, ALL), (0, LANDSCAPE)):
            self.client.ask("SetApplicationMask", "su", "org.example.Player", bits)
            self.assert_shown(self.client.get("InterfaceOrientation"), mask=effective)

    def test_mask_set_at_run_time_goes_with_its_connection(self):
        self.start(*self.SECTION)
        other = self.rig.connect()
        other.ask("SetApplicationMask", "su", "org.example.Player", ALL)
        other.close()
        self.view(ALL, "org.example.Player")
        self.assert_shown("landscape-right", mask=LANDSCAPE)

    def test_masks_of_several_applications(self):
        self.start(*self.SECTION, "[Application org.example.Reader]", "SupportedOrientations=portrait")
        for app_id, effective in (("org.example.Player", LANDSCAPE), ("org.example.Reader", mask("portrait"))):
            view = self.view(ALL, app_id)
            self.assertEqual(self.client.get("AskedRequest"), view.path)
            self.assertEqual(self.client.get("SupportedOrientations"), effective)
