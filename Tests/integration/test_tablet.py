# SPDX-License-Identifier: Apache-2.0
"""What a convertible is used as, by its switches or the angle of its hinge, and its lid."""

import os
import time

from evdev import EventNode, event_node
from feed import ReadCounter
from rig import BASE, DEVICE, LANDSCAPE_LEFT, MINUS_Z, PLUS_Z, PORTRAIT, accelerometer, wait_until
from rotation import HELD, RotationTestCase
from test_machine import Hostnamed, chassis
from test_sleep import Logind

# The bits of switches.
LID = 1
TABLET = 2

TABLET_MODE = ("Autorotate=tablet-mode", "LaptopOrientation=landscape-left")
INPUT = "/sys/devices/platform/test/input/input"


def keyboard(number=4, bus="0003"):
    """Returns a keyboard, on USB unless `bus` is another."""
    attributes = {"id/bustype": bus, "capabilities/key": "ffff0000"}
    return event_node("Type Cover", number, attributes, {"ID_INPUT_KEYBOARD": "1"})


class SwitchTestCase(RotationTestCase):
    def plug(self, offered, switches=0, number=3, attributes=None, properties=None):
        """Plugs a node in that has some switches, of which some are on.

        It has none for a daemon that looks before all is there that answers for it.
        """
        attributes = {"capabilities/sw": "0", **(attributes or {})}
        self.rig.add_device(event_node(number=number, attributes=attributes, properties=properties))
        node = EventNode(self.rig, switches=switches, number=number)
        self.rig.write("capabilities/sw", f"{offered:x}", f"{INPUT}{number}")
        self.rig.testbed.uevent(f"{INPUT}{number}/event{number}", "add")
        return node

    def unplug(self, number=3):
        self.rig.path("/sys/class/input", f"event{number}").unlink()
        self.rig.testbed.uevent(f"{INPUT}{number}/event{number}", "remove")

    def assert_mode(self, mode):
        self.client.wait_for("TabletMode", mode)


class TabletSwitch(SwitchTestCase):
    def test_says_what_the_machine_is_used_as(self):
        for switches, mode in ((0, "laptop"), (TABLET, "tablet"), (TABLET | LID, "tablet")):
            with self.case(mode, switches=switches):
                self.plug(TABLET, switches)
                self.rig.start_orientd()
                self.assertEqual(self.client.get("TabletMode"), mode)  # READY waits for it
        with self.case("none"):
            self.plug(LID)
            self.rig.start_orientd()
            self.assertEqual(self.client.get("TabletMode"), "unknown")

    def test_laptop_shows_the_laptop_orientation_and_a_tablet_follows_the_device(self):
        node = self.plug(TABLET)
        self.start(*TABLET_MODE)
        self.assert_shown("landscape-left", rule="laptop", reason="tablet-mode")
        self.turn("landscape-left")
        self.assert_shown("landscape-left", rule="laptop")
        events = self.record_events()
        node.switch(TABLET)
        self.assertEqual(self.client.get("TabletMode"), "tablet")
        self.assert_shown("landscape-right", rule="device", reason="tablet-mode")
        self.turn("portrait")
        self.assert_shown("portrait", reason="sensor")
        node.switch(0)
        self.assertEqual(self.client.get("TabletMode"), "laptop")
        self.assert_shown("landscape-left", rule="laptop", reason="tablet-mode")
        self.assertEqual(
            self.transitions(events),
            [
                ("landscape-left", "landscape-right", "tablet-mode"),
                ("landscape-right", "portrait", "sensor"),
                ("portrait", "landscape-left", "tablet-mode"),
            ],
        )

    def test_mode_is_published_although_the_interface_does_not_depend_on_it(self):
        node = self.plug(TABLET)
        self.start("Autorotate=always")
        self.turn("landscape-left")
        for switches, mode in ((TABLET, "tablet"), (0, "laptop")):
            node.switch(switches)
            self.assertEqual(self.client.get("TabletMode"), mode)
            self.assert_shown("landscape-right", rule="device")

    def test_any_of_several_makes_it_a_tablet(self):
        first, second = self.plug(TABLET), self.plug(TABLET | LID, number=4)
        self.rig.start_orientd()
        for one, other in ((TABLET, 0), (TABLET, TABLET), (0, TABLET), (0, 0)):
            first.switch(one)
            second.switch(other)
            self.assertEqual(self.client.get("TabletMode"), "tablet" if one or other else "laptop")

    def test_two_that_keep_disagreeing_are_a_warning(self):
        self.plug(TABLET, TABLET, attributes={"name": "Broken"})
        self.plug(TABLET, number=4, attributes={"name": "Right"})
        daemon = self.rig.start_orientd()
        lines = daemon.wait_for_log("warning: tablet switches disagree")
        self.assertEqual(len(lines), 1)
        self.assertIn(
            "tablet switches disagree: Broken (tablet), Right (laptop); any tablet counts; "
            "IgnoreTabletSwitch=NAME ignores one",
            lines[0],
        )

    def test_comes_and_goes(self):
        daemon = self.rig.start_orientd()
        self.assert_mode("unknown")
        node = self.plug(TABLET, TABLET)
        self.assert_mode("tablet")
        self.assertTrue(node.is_open(daemon))
        self.unplug()
        self.assert_mode("unknown")
        wait_until(lambda: not node.is_open(daemon), "the node is closed")
        self.assertEqual(daemon.log_lines("warning"), [])

    def test_computer_without_a_keyboard_is_a_tablet_where_that_is_configured(self):
        configuration = "[Tablet]\nTabletWithoutKeyboard=yes\n"
        with self.case("not configured"):
            self.rig.start_orientd()
            self.assertEqual(self.client.get("TabletMode"), "unknown")
        with self.case("comes and goes"):
            daemon = self.rig.start_orientd(configuration=configuration)
            self.assertEqual(self.client.get("TabletMode"), "tablet")
            self.rig.add_device(keyboard())
            self.assert_mode("laptop")
            self.rig.add_device(keyboard(5))
            self.unplug(4)
            self.assert_mode("laptop")
            self.unplug(5)
            self.assert_mode("tablet")
            self.assertEqual(daemon.log_lines("warning"), [])
        with self.case("there at the start"):
            self.rig.add_device(keyboard())
            self.rig.start_orientd(configuration=configuration)
            self.assertEqual(self.client.get("TabletMode"), "laptop")
        with self.case("by Bluetooth"):
            self.rig.add_device(keyboard(bus="0005"))
            self.rig.start_orientd(configuration=configuration)
            self.assertEqual(self.client.get("TabletMode"), "tablet")
        with self.case("a switch decides"):
            self.rig.add_device(keyboard())
            self.plug(TABLET, TABLET)
            self.rig.start_orientd(configuration=configuration)
            self.assertEqual(self.client.get("TabletMode"), "tablet")

    # A keyboard that went during a search that had seen it stayed attached for ever.
    def test_keyboards_that_are_unplugged_during_a_search(self):
        links = {}
        for number in (4, 5):
            self.rig.add_device(keyboard(number))
            link = self.rig.path("/sys/class/input", f"event{number}")
            links[number] = link, os.readlink(link)
        self.unplug(4)
        self.unplug(5)

        def plug_again(number):
            link, target = links[number]
            link.symlink_to(target)
            self.rig.testbed.uevent(f"{INPUT}{number}/event{number}", "add")

        self.rig.start_orientd(configuration="[Tablet]\nTabletWithoutKeyboard=yes\n")
        for attempt in range(100):
            plug_again(4)
            self.assert_mode("laptop")
            plug_again(5)
            self.unplug(4)
            time.sleep(attempt % 20 / 10_000)  # so that some of them come while the search reads
            self.unplug(5)
            self.assert_mode("tablet")

    def test_keyboards_are_left_alone_and_hot_keys_are_not(self):
        for properties, keys, is_ours in (
            ({}, "c000000000000 0", True),
            ({}, "10000000 f", True),
            ({"ID_INPUT_KEY": "1"}, "1000ffff", True),
            ({}, "fffffffffffffffe", False),
            ({}, "1 10000", False),
            ({"ID_INPUT_KEYBOARD": "1"}, "0", False),
        ):
            with self.case(properties=properties, keys=keys):
                node = self.plug(TABLET | LID, attributes={"capabilities/key": keys}, properties=properties)
                daemon = self.rig.start_orientd()
                self.assertEqual(self.client.get("TabletMode"), "laptop" if is_ours else "unknown")
                self.assertEqual(node.is_open(daemon), is_ours)

    def test_orientds_own_virtual_switch_says_nothing(self):
        # It would say "tablet" for ever once orientd has said so.
        for phys, name, is_ours in (
            ("orientd/tablet-switch", "orientd tablet switch", True),
            ("orientd/tablet-switch", "renamed", True),
            ("", "orientd tablet switch", False),
            ("isa0060/serio0/input0", "orientd tablet switch", False),
        ):
            with self.case(phys=phys, name=name):
                node = self.plug(TABLET, TABLET, attributes={"phys": phys, "name": name})
                daemon = self.rig.start_orientd()
                self.assertEqual(self.client.get("TabletMode"), "unknown" if is_ours else "tablet")
                self.assertEqual(node.is_open(daemon), not is_ours)

    def test_one_that_cannot_be_opened_is_a_warning_and_counts_when_it_can(self):
        self.rig.add_device(event_node(attributes={"capabilities/sw": "2"}))
        path = self.rig.path("/dev/input/event3")
        path.rename(path.with_name("hidden"))
        daemon = self.rig.start_orientd()
        self.assertEqual(self.client.get("TabletMode"), "unknown")
        (line,) = daemon.wait_for_log("warning: cannot open .*event3: .*; looking for switches again$")
        path.with_name("hidden").rename(path)
        EventNode(self.rig, switches=TABLET)
        self.rig.testbed.uevent(f"{INPUT}3/event3", "change")
        self.assert_mode("tablet")
        self.assertEqual(daemon.log_lines("warning"), [line])

    def test_has_nothing_to_do_with_a_simulation(self):
        self.plug(TABLET | LID, LID)
        self.rig.start_orientd("--source", "simulate")
        self.assertEqual(self.client.get("TabletMode"), "unknown")

    def test_status_shows_it(self):
        node = self.plug(TABLET)
        self.rig.start_orientd(configuration="[Orientation]\nAutorotate=tablet-mode\n")
        for switches, mode in ((0, "laptop"), (TABLET, "tablet")):
            node.switch(switches)
            self.assertEqual(self.client.get("TabletMode"), mode)
            output = self.rig.orientctl("--bus", self.rig.address, "status").stdout
            self.assertIn(f"Tablet mode: {mode}, by the tablet switch or keyboard\n", output)


class LaptopDefault(SwitchTestCase):
    def assert_autorotate(self, mode):
        self.client.wait_for("Autorotate", mode)

    def test_follows_tablet_mode_where_something_tells_it(self):
        self.plug(TABLET)
        self.start("Idiom=laptop")
        self.assertEqual(self.client.get("Autorotate"), "tablet-mode")
        with self.case("an angle"):
            self.rig.add_device(accelerometer("base", MINUS_Z, index=1, attributes={"label": "accel-base"}))
            self.start("Idiom=laptop")
            self.assertEqual(self.client.get("Autorotate"), "tablet-mode")
        with self.case("a lid"):
            self.plug(LID)
            self.start("Idiom=laptop")
            self.assertEqual(self.client.get("Autorotate"), "never")
        with self.case("hostnamed says so"):
            Hostnamed(self.rig, chassis("laptop"))
            self.plug(TABLET)
            self.rig.start_orientd()
            self.assertEqual(self.client.get("Autorotate"), "tablet-mode")

    def test_switch_that_goes_with_its_keyboard_has_told_that_it_is_no_laptop(self):
        self.start("Idiom=laptop")
        self.assert_autorotate("never")
        self.plug(TABLET)
        self.assert_autorotate("tablet-mode")
        self.unplug()
        self.client.wait_for("TabletMode", "unknown")
        self.assert_autorotate("tablet-mode")

    # A detachable was rotated on the desk although its switch said laptop.
    def test_switch_counts_more_than_the_chassis(self):
        for kind in ("tablet", "detachable", "handset"):
            with self.case(kind):
                Hostnamed(self.rig, chassis(kind))
                self.plug(TABLET)
                self.rig.start_orientd()
                self.client.wait_for("TabletMode", "laptop")
                self.assert_autorotate("tablet-mode")

    def test_what_is_set_or_configured_stays(self):
        self.start("Idiom=laptop", "Autorotate=always")
        self.plug(TABLET)
        self.assert_mode("laptop")
        self.assertEqual(self.client.get("Autorotate"), "always")
        with self.case("set at run time"):
            self.start("Idiom=laptop")
            self.client.ask("SetAutorotate", "s", "always")
            self.plug(TABLET)
            self.assert_mode("laptop")
            self.assertEqual(self.client.get("Autorotate"), "always")


class Lid(SwitchTestCase):
    def test_nothing_turns_the_interface_while_it_is_closed(self):
        self.node = self.plug(LID)
        self.start()
        self.node.switch(LID)
        self.turn("landscape-left")
        self.assert_shown("portrait", rule="paused")
        self.client.ask("Rotate", "s", "portrait-upside-down")
        self.assert_shown("portrait-upside-down", reason="manual")

    def test_one_that_is_wrong_can_be_ignored(self):
        self.plug(LID | TABLET, LID | TABLET, attributes={"name": "Stuck"})
        self.node = self.plug(LID, number=4, attributes={"name": "Lid Switch"})
        self.start("Autorotate=always", "[Tablet]", "IgnoreLidSwitch=Stuck")
        self.turn("landscape-left")
        self.assert_shown("landscape-right", rule="device")
        self.assertEqual(self.client.get("TabletMode"), "tablet")
        self.node.switch(LID)
        self.client.wait_for("InterfaceRule", "paused")

    def test_device_counts_when_it_is_opened(self):
        self.node = self.plug(LID)
        self.start()
        self.node.switch(LID)
        self.turn("landscape-left")
        self.node.switch(0)
        self.client.wait_for("InterfaceOrientation", "landscape-right")
        self.assert_shown("landscape-right", reason="sensor", rule="device")

    def test_first_reading_counts_as_a_turn_when_it_is_opened(self):
        self.node = self.plug(LID)
        self.start()
        self.client.ask("Rotate", "s", "landscape-left")
        self.node.switch(LID)
        self.node.switch(0)
        self.client.wait_for("InterfaceOrientation", "portrait")
        self.assert_shown("portrait", reason="sensor")

    def test_is_closed_at_the_start(self):
        self.node = self.plug(LID, LID)
        self.start(held="landscape-left")
        self.assert_shown("portrait", reason="startup")
        self.node.switch(0)
        self.client.wait_for("InterfaceOrientation", "landscape-right")

    def test_lid_that_vanishes_is_open(self):
        self.node = self.plug(LID, LID)
        self.start(held="landscape-left")
        self.unplug()
        self.client.wait_for("InterfaceOrientation", "landscape-right")

    def test_sleep_behind_a_closed_lid(self):
        self.node = self.plug(LID)
        logind = Logind(self.rig)
        self.start()
        self.node.switch(LID)
        logind.prepare_for_sleep(True)
        self.client.wait_for("SensorState", "suspended")
        self.rig.turn(LANDSCAPE_LEFT)
        logind.prepare_for_sleep(False)
        self.assert_orientation("landscape-left")
        self.assert_shown("portrait")  # it has woken up, but the lid is closed
        self.node.switch(0)
        self.client.wait_for("InterfaceOrientation", "landscape-right")

    def test_lid_that_opens_before_the_machine_is_awake(self):
        self.node = self.plug(LID)
        logind = Logind(self.rig)
        self.start()
        self.node.switch(LID)
        logind.prepare_for_sleep(True)
        self.client.wait_for("SensorState", "suspended")
        self.rig.turn(LANDSCAPE_LEFT)
        self.node.switch(0)
        self.assert_shown("portrait")
        logind.prepare_for_sleep(False)
        self.client.wait_for("InterfaceOrientation", "landscape-right")


class HingeAngle(SwitchTestCase):
    """On a display that stands upright the base lies on its underside, or on its keys."""

    LAPTOP = MINUS_Z
    STAND = PLUS_Z

    def start_convertible(self, *lines, base=LAPTOP, claim=True):
        self.rig.add_device(accelerometer("base", base, index=1, properties={"ACCEL_LOCATION": "base"}))
        return self.start(*(lines or TABLET_MODE), claim=claim)

    def fold(self, base):
        self.rig.turn(base, BASE)

    def base(self):
        """Returns the properties of the base's accelerometer."""
        (properties,) = [sensor for sensor in self.client.sensors().values() if sensor["Location"] == "base"]
        return properties

    def assert_unread(self, counter):
        """Checks that nothing reads the base while the display is read three times."""
        display = ReadCounter(self.rig, "in_accel_x_raw", DEVICE)
        before = counter.reads()
        wait_until(lambda: display.reads() >= 3, "the display is read")
        self.assertEqual(counter.reads(), before)

    def test_says_what_the_machine_is_used_as(self):
        self.start_convertible()
        self.assert_mode("laptop")
        self.assert_shown("landscape-left", rule="laptop")
        self.fold(self.STAND)
        self.assert_mode("tablet")
        self.assert_shown("portrait", rule="device", reason="tablet-mode")
        self.fold(self.LAPTOP)
        self.assert_mode("laptop")
        self.assert_shown("landscape-left", rule="laptop", reason="tablet-mode")

    def test_base_that_hangs_delays_neither_the_display_nor_a_switch(self):
        # One thread read both: nothing of the display came, no switch was opened, and LastError was empty.
        self.start_convertible(base=self.STAND)
        self.assert_mode("tablet")
        self.rig.block("in_accel_x_raw", BASE)
        # It opens and then hangs: umockdev lets nobody open anything else while opening hangs.
        writer = os.open(self.rig.path(BASE, "in_accel_x_raw"), os.O_RDWR)
        wait_until(lambda: self.base()["LastError"].startswith("no answer for "), "the hang is reported")
        self.assertEqual((self.base()["State"], self.client.get("SensorState")), ("lost", "sampling"))
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.plug(TABLET)
        self.assert_mode("laptop")
        self.rig.unblock("in_accel_x_raw", 0, BASE)
        os.close(writer)
        wait_until(lambda: self.base()["LastError"] == "", "the base is no longer lost")

    def test_stays_what_it_was_where_the_angle_cannot_be_told(self):
        self.start_convertible()
        self.assert_mode("laptop")
        for base in (PORTRAIT, (0, 1000, 0), (0, 0, -1300)):
            counter = ReadCounter(self.rig, "in_accel_x_raw", BASE)
            self.fold(base)
            wait_until(lambda: counter.reads() >= 3, "the base is read")
            self.flush()
            self.assertEqual(self.client.get("TabletMode"), "laptop")

    def test_base_is_read_only_while_the_display_is(self):
        self.start_convertible(claim=False)
        self.assertEqual((self.base()["State"], self.client.get("TabletMode")), ("idle", "unknown"))
        self.client.claim()
        self.assert_mode("laptop")
        self.assertEqual(self.base()["State"], "sampling")
        self.client.release()
        wait_until(lambda: self.base()["State"] == "idle", "the base rests")
        self.assertEqual(self.client.get("TabletMode"), "laptop")
        self.fold(self.STAND)
        self.client.claim()
        self.assert_mode("tablet")

    def test_status_waits_for_the_angle(self):
        self.start_convertible(claim=False)
        lines = self.rig.orientctl("status").stdout.splitlines()
        self.assertIn("Tablet mode: laptop, by the angle of the hinge", lines)
        self.assertIn("Interface: landscape-left, in use as a laptop", lines)

    def test_toggling_twice_returns_to_the_angle(self):
        self.start_convertible()
        self.assert_mode("laptop")
        for mode, source in (("tablet", "override"), ("laptop", "accelerometers")):
            self.assertEqual(self.rig.orientctl("tablet-mode", "toggle").stderr, "")
            self.client.wait_for("TabletModeSource", source)
            self.assert_mode(mode)

    def test_base_is_read_only_where_tablet_mode_matters(self):
        self.start_convertible("Autorotate=always")
        self.assert_unread(ReadCounter(self.rig, "in_accel_x_raw", BASE))
        self.client.ask("SetAutorotate", "s", "tablet-mode")
        self.assert_mode("laptop")
        self.client.ask("SetAutorotate", "s", "never")
        self.assert_mode("unknown")
        wait_until(lambda: self.base()["State"] == "idle", "the base rests")

    def test_switch_overrides_it(self):
        node = self.plug(TABLET)
        self.start_convertible(base=self.STAND)
        self.assertEqual(self.client.get("TabletMode"), "laptop")
        # At first the angle is measured, to check the switch.
        wait_until(lambda: self.base()["State"] == "idle", "the base rests", 15)
        self.assert_unread(ReadCounter(self.rig, "in_accel_x_raw", BASE))
        node.switch(TABLET)
        self.assertEqual(self.client.get("TabletMode"), "tablet")
        node.switch(0)
        self.assertEqual(self.client.get("TabletMode"), "laptop")
        self.unplug()
        self.assert_mode("tablet")  # what the angle says

    def test_base_that_is_lost_tells_nothing(self):
        self.start_convertible()
        self.assert_mode("laptop")
        self.rig.remove_device(BASE)
        self.assert_mode("unknown")
        self.assert_shown("portrait", rule="device")

    def test_neither_turns_the_device(self):
        self.start_convertible()
        self.fold(HELD["landscape-left"][0])
        self.turn("portrait-upside-down")
        self.assertEqual(len(self.client.sensors()), 2)

    def test_base_alone_has_no_angle(self):
        self.rig.add_device(accelerometer("base", MINUS_Z, index=1, properties={"ACCEL_LOCATION": "base"}))
        self.rig.start_orientd(configuration="[Orientation]\nAutorotate=tablet-mode\n")
        counter = ReadCounter(self.rig, "in_accel_x_raw", BASE)
        self.client.claim()
        self.assertEqual((self.client.get("TabletMode"), self.client.get("HasAccelerometer")), ("unknown", False))
        self.assertEqual((self.base()["State"], counter.reads()), ("idle", 0))

    def test_input_device_in_the_base_watches_over_a_disk(self):
        properties = {"ID_INPUT_ACCELEROMETER": "1", "ACCEL_LOCATION": "base"}
        self.rig.add_device(event_node(properties=properties))
        node = EventNode(self.rig, (0, 0, 256))
        daemon = self.start(*TABLET_MODE)
        self.assertEqual((self.client.get("TabletMode"), self.base()["State"]), ("unknown", "idle"))
        self.assertFalse(node.is_open(daemon))

    def test_is_measured_for_a_claim_of_the_tablet_mode_alone(self):
        self.start_convertible("Autorotate=always", base=self.STAND, claim=False)
        self.client.call("ClaimTabletMode")
        self.assert_mode("tablet")
        self.assertEqual((self.client.get("HingeAngle"), self.client.get("TabletModeSource")), (270, "accelerometers"))
        self.assertEqual((self.client.get("Claims"), self.client.get("DeviceOrientation")), (0, "unknown"))
        self.client.claim()
        self.assert_orientation("portrait")
        self.client.release()
        self.client.call("ReleaseTabletMode")
        self.client.wait_for("HingeAngle", -1)
        wait_until(lambda: self.base()["State"] == "idle", "the base rests")

    def test_claim_of_a_client_that_leaves_the_bus_ends(self):
        self.start_convertible("Autorotate=always", claim=False)
        other = self.rig.connect()
        other.call("ClaimTabletMode")
        self.assert_mode("laptop")
        other.close()
        self.client.wait_for("HingeAngle", -1)

    def test_closed_lid_stops_measuring(self):
        self.node = self.plug(LID)
        self.start_convertible("Autorotate=always", claim=False)
        self.client.call("ClaimTabletMode")
        self.assert_mode("laptop")
        self.node.switch(LID)
        wait_until(lambda: self.base()["State"] == "idle", "the base rests")
        self.fold(self.STAND)
        self.node.switch(0)
        self.assert_mode("tablet")


class HingeSensor(SwitchTestCase):
    """Intel's and Chromebooks' sensors of the hinge's angle."""

    PATH = "/sys/devices/platform/test/iio:device2"

    def add(self, name, attributes):
        lines = ["P: /devices/platform/test/iio:device2", "E: SUBSYSTEM=iio", "E: DEVTYPE=iio_device"]
        lines += [f"A: {key}={value}\\n" for key, value in {"name": name, **attributes}.items()]
        self.rig.add_device("\n".join(lines) + "\n\n")

    def add_hinge(self, angle, labels=("keyboard", "hinge", "screen"), scale="0.017453293"):
        attributes = {f"in_angl{number}_label": label for number, label in enumerate(labels)}
        attributes.update({f"in_angl{number}_raw": "7" for number in range(3)}, in_angl1_raw=angle, in_angl_scale=scale)
        self.add("hinge", attributes)

    def measure(self, *lines):
        daemon = self.rig.start_orientd(configuration="\n".join(lines) + "\n")
        self.client.call("ClaimTabletMode")
        return daemon

    def test_intel_hinge_is_found_by_the_label_of_its_channel(self):
        self.add_hinge(100)
        self.measure()
        self.assert_mode("laptop")
        self.assertEqual((self.client.get("HingeAngle"), self.client.get("TabletModeSource")), (100, "hinge"))
        self.rig.write("in_angl1_raw", "300", self.PATH)
        self.assert_mode("tablet")

    # The kernel's scale makes 360.0000099° of it, which was no angle: the mode was forgotten after 5 s.
    def test_intel_hinge_that_is_folded_flat_is_a_tablet(self):
        self.add_hinge(300)
        daemon = self.measure()
        self.assert_mode("tablet")
        counter = ReadCounter(self.rig, "in_angl1_raw", self.PATH)
        self.rig.write("in_angl1_raw", "360", self.PATH)
        self.client.wait_for("HingeAngle", 360)
        wait_until(lambda: counter.reads() >= 7, "the angle is read for more than 5 s", 20)
        self.assertEqual((self.client.get("HingeAngle"), self.client.get("TabletMode")), (360, "tablet"))
        self.assertEqual(daemon.log_lines("no angle"), [])

    # The accelerometers took its place for ever.
    def test_one_that_could_not_be_read_for_a_while_is_used_again(self):
        self.add_hinge(300)
        self.rig.add_device(accelerometer())
        self.rig.add_device(accelerometer("base", MINUS_Z, index=1, properties={"ACCEL_LOCATION": "base"}))
        self.measure()
        self.assert_mode("tablet")
        self.rig.write("in_angl1_raw", "garbage", self.PATH)
        self.assert_mode("laptop")
        self.assertEqual(self.client.get("TabletModeSource"), "accelerometers")
        self.rig.write("in_angl1_raw", "300", self.PATH)
        self.assert_mode("tablet")
        self.assertEqual(self.client.get("TabletModeSource"), "hinge")

    def test_lid_angle_of_a_chromebook_is_in_degrees_and_500_is_none(self):
        self.add("cros-ec-lid-angle", {"in_angl_raw": 220})
        daemon = self.measure()
        self.assert_mode("tablet")
        counter = ReadCounter(self.rig, "in_angl_raw", self.PATH)
        self.rig.write("in_angl_raw", 500, self.PATH)
        wait_until(lambda: counter.reads() >= 2, "the angle is read")
        self.rig.write("in_angl_raw", 1000000000, self.PATH)
        wait_until(lambda: daemon.log_lines("warning: cros"), "the warning")
        self.rig.write("in_angl_raw", 90, self.PATH)
        self.assert_mode("laptop")
        self.assertEqual(
            [line.partition("warning: ")[2] for line in daemon.log_lines("warning: cros")],
            ["cros-ec-lid-angle: 1000000000° is no angle of a hinge, ignored"],
        )

    def test_hinge_without_labels_is_a_warning(self):
        self.add("hinge", {"in_angl0_raw": 90, "in_angl_scale": "0.017453293"})
        daemon = self.measure()
        self.assertEqual((self.client.get("TabletModeSource"), self.client.get("HingeAngle")), ("none", -1))
        self.assertEqual(len(daemon.log_lines("warning: .*none of its angles has the label hinge, not used")), 1)

    def test_other_angles_are_no_hinge(self):
        self.add("as5600", {"in_angl_raw": 90, "in_angl_scale": "0.0015339"})
        daemon = self.measure()
        self.assertEqual(self.client.get("TabletModeSource"), "none")
        self.assertEqual(daemon.log_lines("warning: (?!polkit)"), [])

    def test_switch_that_contradicts_it_is_a_warning_until_it_is_ignored(self):
        self.add_hinge(90)
        self.plug(TABLET, TABLET, attributes={"name": "Broken Switch"})
        daemon = self.rig.start_orientd()
        self.assert_mode("tablet")
        self.client.wait_for("TabletSwitchContradicted", True)
        self.assertEqual(
            [line.partition("warning: ")[2] for line in daemon.log_lines("warning: Broken")],
            ["Broken Switch says tablet, but the hinge is open by 90°; IgnoreTabletSwitch=Broken Switch ignores it"],
        )
        daemon.stop()
        self.measure("[Tablet]", "IgnoreTabletSwitch=Broken Switch")
        self.assert_mode("laptop")
        self.assertEqual(self.client.get("TabletModeSource"), "hinge")
