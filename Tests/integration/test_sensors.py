# SPDX-License-Identifier: Apache-2.0
"""Ambient light, proximity and compass, as net.hadess.SensorProxy tells them."""

import os
import threading
import time

from evdev import EventNode, event_node
from feed import Feed, ReadCounter
from rig import LANDSCAPE_LEFT, accelerometer, wait_until
from sensor_proxy import COMPASS, COMPASS_PATH, NAME, PATH, SensorProxyTestCase

LIGHT = "/sys/devices/platform/light/iio:device1"
SECOND_LIGHT = "/sys/devices/platform/light/iio:device2"
PROXIMITY = "/sys/devices/platform/proximity/iio:device3"
HEADING = "/sys/devices/platform/compass/iio:device4"
FRONT_PROXIMITY = 1 << 11


def device(path, attributes, properties=None):
    """Returns an IIO device in umockdev's format, with a node where it has a buffer."""
    lines = [f"P: {path.removeprefix('/sys')}"]
    name = path.rpartition("/")[2]
    if "buffer/enable" in attributes:
        lines += [f"N: {name}", f"E: DEVNAME=/dev/{name}"]
    lines += ["E: SUBSYSTEM=iio", "E: DEVTYPE=iio_device"]
    lines += [f"E: {key}={value}" for key, value in (properties or {}).items()]
    lines += [f"A: {key}={value}\\n" for key, value in {"name": "test", **attributes}.items()]
    return "\n".join(lines) + "\n\n"


def scanned(channel, **attributes):
    """Returns the attributes of a device that has one channel, and that in scans only."""
    return {
        "buffer/enable": "0",
        f"scan_elements/{channel}_en": "0",
        f"scan_elements/{channel}_index": "0",
        f"scan_elements/{channel}_type": "le:s32/32>>0",
    } | {f"{channel}_{name}": value for name, value in attributes.items()}


class Recovering(threading.Thread):
    """A sensor that recovers, to a value, once nobody has read it for five seconds."""

    def __init__(self, rig, attribute, path, value):
        super().__init__(daemon=True)
        self.counter = ReadCounter(rig, attribute, path)
        self.recover = lambda: rig.write(attribute, value, path)
        self.ended = threading.Event()
        rig.on_close(self.stop)
        self.start()

    def run(self):
        reads, last = 0, time.monotonic()
        while not self.ended.wait(0.05):
            if self.counter.reads() > reads:
                reads, last = self.counter.reads(), time.monotonic()
            elif reads and time.monotonic() - last > 5:
                return self.recover()

    def stop(self):
        self.ended.set()
        self.join()


class Light(SensorProxyTestCase):
    def test_level_is_offset_and_scaled(self):
        self.rig.add_device(
            device(LIGHT, {"in_illuminance_raw": 100, "in_illuminance_offset": 10, "in_illuminance_scale": 0.5})
        )
        self.start()
        self.assertTrue(self.get("HasAmbientLight"))
        self.assertFalse(self.get("HasAccelerometer"))
        changes = self.record(self.client)
        self.call("ClaimLight")
        self.assertEqual((self.get("LightLevel"), self.get("LightLevelUnit")), (55, "lux"))
        self.rig.write("in_illuminance_raw", 30, LIGHT)
        wait_until(lambda: len(changes) == 2, "the claimant is told of the change")
        self.assertEqual(changes, [{"LightLevelUnit": "lux", "LightLevel": level} for level in (55, 20)])

    def test_processed_value_is_in_lux_already(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_input": 12.5, "in_illuminance_scale": 100}))
        self.start()
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 12.5)

    def test_integration_time_that_makes_no_sense_does_not_end_the_reading(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1, "in_illuminance_integration_time": 1000}))
        self.start()
        self.call("ClaimLight")
        self.rig.write("in_illuminance_raw", 2, LIGHT)
        self.wait_for_value("LightLevel", 2)

    # On some machines, the level that the firmware tells never changes.
    def test_firmwares_sensor_is_used_only_without_another(self):
        self.rig.add_device(device(LIGHT, {"name": "acpi-als", "in_illuminance_input": 400}))
        self.start()
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 400)
        self.rig.add_device(device(SECOND_LIGHT, {"name": "als", "in_illuminance_input": 120}))
        self.wait_for_value("LightLevel", 120)

    # acpi-als reads -1 for more light than it can tell, which made the screen dark in the sun.
    def test_level_that_is_infinite_or_negative_is_not_told(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": "1e308", "in_illuminance_scale": "100"}))
        self.start()
        changes = self.record(self.client)
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 0)
        self.rig.write("in_illuminance_raw", 2, LIGHT)
        self.wait_for_value("LightLevel", 200)
        counter = ReadCounter(self.rig, "in_illuminance_raw", LIGHT)
        self.rig.write("in_illuminance_raw", -1, LIGHT)
        wait_until(lambda: counter.reads() >= 2, "it is read")
        self.rig.write("in_illuminance_raw", 3, LIGHT)
        self.wait_for_value("LightLevel", 300)
        self.assertNotIn(-100, [change["LightLevel"] for change in changes])

    def claim_silent_buffer(self, raw):
        """Claims a light whose buffer gives 100 lx and no more, and whose file reads `raw`; returns daemon and feed."""
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": raw, **scanned("in_illuminance", scale=1)}))
        feed = Feed(self.rig, LIGHT, (0, 0, 0), node="/dev/iio:device1")
        feed.values = {"in_illuminance": 100}
        daemon = self.start()
        self.call("ClaimLight")
        self.wait_for_value("LightLevel", 100)
        feed.muted = True
        return daemon, feed

    # The brightness was frozen, as on Framework's laptops after sleep.
    def test_buffer_that_gives_its_first_state_only_is_left_for_the_values(self):
        daemon, _ = self.claim_silent_buffer(raw=100)
        self.rig.write("in_illuminance_raw", 300, LIGHT)
        wait_until(lambda: self.get("LightLevel") == 300, "the light is followed", 20)
        daemon.wait_for_log("no scan comes although the sensor reads otherwise; polling instead")
        self.rig.write("in_illuminance_raw", 50, LIGHT)
        self.wait_for_value("LightLevel", 50)

    # hid-sensor-hub puts the answer to a read into the buffer as well.
    def test_buffer_that_gives_what_is_read_beside_it_is_left_too(self):
        daemon, feed = self.claim_silent_buffer(raw=100)
        counter = ReadCounter(self.rig, "in_illuminance_raw", LIGHT)

        def follow(level):
            """Waits until the level is shown; each read gives a scan."""
            reads = counter.reads()
            self.rig.write("in_illuminance_raw", level, LIGHT)

            def is_shown():
                nonlocal reads
                if counter.reads() > reads and not daemon.log_lines("polling instead"):
                    reads = counter.reads()
                    feed.values = {"in_illuminance": level}
                    os.write(feed.descriptor, feed.scan())
                return self.get("LightLevel") == level

            wait_until(is_shown, f"{level} is shown", 20)

        for level in (300, 50, 400):
            follow(level)
        daemon.wait_for_log("no scan comes although the sensor reads otherwise; polling instead")

    # A hub that does not answer in time reads 0.
    def test_buffer_is_not_left_for_zeros(self):
        _, feed = self.claim_silent_buffer(raw=0)
        counter = ReadCounter(self.rig, "in_illuminance_raw", LIGHT)
        wait_until(lambda: counter.reads() >= 2, "the file is read twice", 20)
        feed.values = {"in_illuminance": 500}
        feed.muted = False
        self.wait_for_value("LightLevel", 500)

    # It read 0 for as long as it was read, and the screen stayed dark.
    def test_sensor_that_reads_zero_until_it_is_left_alone(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 200}))
        self.start()
        changes = self.record(self.client)
        self.call("ClaimLight")
        self.wait_for_value("LightLevel", 200)
        self.call("ReleaseLight")
        self.rig.write("in_illuminance_raw", 0, LIGHT)
        Recovering(self.rig, "in_illuminance_raw", LIGHT, 250)
        self.call("ClaimLight")
        wait_until(lambda: self.get("LightLevel") == 250, "it recovers", 20)
        self.assertEqual([change["LightLevel"] for change in changes], [200, 250])

    def test_darkness_is_told(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 200}))
        self.start()
        self.call("ClaimLight")
        self.wait_for_value("LightLevel", 200)
        self.rig.write("in_illuminance_raw", 0, LIGHT)
        self.wait_for_value("LightLevel", 0)
        self.rig.write("in_illuminance_raw", 200, LIGHT)
        self.wait_for_value("LightLevel", 200)
        self.call("ReleaseLight")
        self.rig.write("in_illuminance_raw", 0, LIGHT)
        self.call("ClaimLight")
        wait_until(lambda: self.get("LightLevel") == 0, "it is dark indeed", 20)

    def test_it_is_read_only_while_it_is_claimed(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1, "in_illuminance_integration_time": 0.05}))
        counter = ReadCounter(self.rig, "in_illuminance_raw", LIGHT)
        self.start()
        self.call("ClaimAccelerometer")
        self.call("ClaimProximity")
        self.assertEqual(counter.reads(), 0)
        self.call("ClaimLight")
        self.assertGreater(counter.reads(), 0)
        self.call("ReleaseLight")
        before = counter.reads()
        with self.assertRaises(AssertionError, msg="it is still read"):
            wait_until(lambda: counter.reads() > before + 1, "a read", timeout=2)

    def test_one_that_hangs_holds_up_no_other_sensor(self):
        # One thread read them all. Some light sensors take 0.8 s for each value, and no turn was seen meanwhile.
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.rig.add_device(device(PROXIMITY, {"in_proximity_raw": 1, "in_proximity_nearlevel": 100}))
        self.rig.add_device(accelerometer())
        self.start()
        self.rig.block("in_illuminance_raw", LIGHT)
        # It opens and then hangs: umockdev lets nobody open anything else while opening hangs.
        writer = os.open(self.rig.path(LIGHT, "in_illuminance_raw"), os.O_RDWR)
        self.client.start_call("ClaimLight", NAME, PATH)
        self.call("ClaimProximity")
        self.call("ClaimAccelerometer")
        self.rig.turn(LANDSCAPE_LEFT)
        self.rig.write("in_proximity_raw", 200, PROXIMITY)
        self.wait_for_value("AccelerometerOrientation", "right-up")
        self.wait_for_value("ProximityNear", True)
        self.rig.unblock("in_illuminance_raw", 2, LIGHT)
        os.close(writer)
        self.wait_for_value("LightLevel", 2)

    def test_it_is_no_sensor_of_orientd1(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.start()
        self.assertEqual(self.client.sensors(), {})
        self.assertEqual(self.client.get("SensorState"), "none")
        self.call("ClaimLight")
        self.assertEqual(self.client.get("SensorState"), "none")

    def test_change_sensitivity_stays_as_it_is(self):
        # At 0, a hub reports each flicker.
        self.rig.add_device(device(LIGHT, scanned("in_illuminance", scale=1, hysteresis=10)))
        feed = Feed(self.rig, LIGHT, (0, 0, 0), node="/dev/iio:device1")
        feed.values = {"in_illuminance": 250}
        self.start()
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 250)
        self.assertTrue(feed.is_enabled())
        self.assertEqual(self.rig.read("in_illuminance_hysteresis", LIGHT), "10")

    def test_scans_of_an_intensity(self):
        self.rig.add_device(device(LIGHT, scanned("in_intensity_both", scale=0.1)))
        feed = Feed(self.rig, LIGHT, (0, 0, 0), node="/dev/iio:device1")
        feed.values = {"in_intensity_both": 250}
        self.start()
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 25)
        feed.values = {"in_intensity_both": 260}
        self.wait_for_value("LightLevel", 26)
        self.call("ReleaseLight")
        wait_until(lambda: not feed.is_enabled(), "the buffer is disabled")

    def test_release_that_does_not_wait_for_the_claims_answer_ends_it(self):
        # The release was carried out first, and the sensor was read until the client left.
        self.rig.add_device(device(LIGHT, scanned("in_illuminance", scale=1)))
        feed = Feed(self.rig, LIGHT, (0, 0, 0), node="/dev/iio:device1")
        self.start()
        self.wait_for_value("HasAmbientLight", True)
        calls = [self.client.start_call(member, NAME, PATH) for member in ("ClaimLight", "ReleaseLight")]
        wait_until(lambda: all(call.done for call in calls), "both are answered")
        self.assertEqual([call.error for call in calls], [None, None])
        wait_until(lambda: not feed.is_enabled(), "the buffer is disabled")
        with self.assertRaises(AssertionError, msg="it is still read"):
            wait_until(feed.is_enabled, "the buffer is enabled", timeout=1)

    def test_another_takes_the_place_of_one_that_is_unplugged(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.rig.add_device(device(SECOND_LIGHT, {"in_illuminance_raw": 2}))
        self.start()
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 1)
        self.rig.remove_device(LIGHT)
        self.wait_for_value("LightLevel", 2)
        self.assertTrue(self.get("HasAmbientLight"))

    def test_one_that_is_plugged_in_again_needs_no_new_claim(self):
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.start()
        self.call("ClaimLight")
        self.rig.remove_device(LIGHT)
        self.wait_for_value("HasAmbientLight", False)
        self.assertEqual(self.get("LightLevel"), 1)
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 3}))
        self.wait_for_value("LightLevel", 3)
        self.assertTrue(self.get("HasAmbientLight"))

    def test_a_claim_before_there_is_one_is_told_of_it(self):
        self.start()
        changes = self.record(self.client)
        self.call("ClaimLight")
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 4}))
        wait_until(lambda: {"LightLevelUnit": "lux", "LightLevel": 4.0} in changes, "the claimant is told")
        self.assertIn({"HasAmbientLight": True}, changes)


class Proximity(SensorProxyTestCase):
    def test_near_is_above_the_level_and_far_well_below_it(self):
        self.rig.add_device(device(PROXIMITY, {"in_proximity_raw": 100, "in_proximity_nearlevel": 100}))
        self.start()
        self.assertTrue(self.get("HasProximity"))
        changes = self.record(self.client)
        self.call("ClaimProximity")
        self.assertEqual(changes, [])
        for raw, near in ((101, True), (89, False), (101, True)):
            self.rig.write("in_proximity_raw", raw, PROXIMITY)
            self.wait_for_value("ProximityNear", near)
        self.assertEqual([change["ProximityNear"] for change in changes], [True, False, True])

    def test_what_was_near_before_the_claim_does_not_count(self):
        # In the band below the level, a claim found near what an earlier one had left near.
        self.rig.add_device(device(PROXIMITY, {"in_proximity_raw": 101, "in_proximity_nearlevel": 100}))
        self.start()
        self.call("ClaimProximity")
        self.assertTrue(self.get("ProximityNear"))
        self.call("ReleaseProximity")
        self.rig.write("in_proximity_raw", 95, PROXIMITY)
        self.call("ClaimProximity")
        self.assertFalse(self.get("ProximityNear"))

    def test_udevs_level_comes_before_the_firmwares(self):
        properties = {"PROXIMITY_NEAR_LEVEL": 10}
        self.rig.add_device(device(PROXIMITY, {"in_proximity_raw": 50, "in_proximity_nearlevel": 100}, properties))
        self.start()
        self.call("ClaimProximity")
        self.assertTrue(self.get("ProximityNear"))

    def test_without_a_level_there_is_no_sensor(self):
        self.rig.add_device(device(PROXIMITY, {"in_proximity_raw": 50}))
        daemon = self.start()
        self.assertFalse(self.get("HasProximity"))
        self.assertEqual(len(daemon.log_lines("neither PROXIMITY_NEAR_LEVEL nor in_proximity_nearlevel")), 1)

    def test_looking_again_warns_of_no_level_once(self):
        # Of several warnings all but the last were logged at each look, whatever was plugged in.
        for number in (5, 6):
            self.rig.add_device(device(f"/sys/devices/platform/radio/iio:device{number}", {"in_proximity_raw": 50}))
        daemon = self.start()
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.wait_for_value("HasAmbientLight", True)
        self.assertEqual(len(daemon.log_lines("neither PROXIMITY_NEAR_LEVEL")), 2)

    def test_a_switch_tells_at_once(self):
        self.rig.add_device(event_node(attributes={"capabilities/sw": "800"}))
        node = EventNode(self.rig, switches=FRONT_PROXIMITY)
        self.start()
        self.assertTrue(self.get("HasProximity"))
        self.call("ClaimProximity")
        self.assertTrue(self.get("ProximityNear"))
        node.switch(0)
        self.wait_for_value("ProximityNear", False)


class Compass(SensorProxyTestCase):
    WHERE = {"interface": COMPASS, "path": COMPASS_PATH}
    CHANNEL = "in_rot_from_north_magnetic_tilt_comp"

    def plug(self, heading, **attributes):
        self.rig.add_device(device(HEADING, scanned(self.CHANNEL, **attributes)))
        feed = Feed(self.rig, HEADING, (0, 0, 0), node="/dev/iio:device4")
        feed.values = {self.CHANNEL: heading}
        return feed

    def test_heading_is_scaled_to_degrees(self):
        feed = self.plug(905, scale=0.1)
        self.start()
        self.assertTrue(self.get("HasCompass", **self.WHERE))
        changes = self.record(self.client)
        self.call("ClaimCompass", **self.WHERE)
        self.wait_for_value("CompassHeading", 90.5, **self.WHERE)
        feed.values = {self.CHANNEL: 3590}
        self.wait_for_value("CompassHeading", 359.0, **self.WHERE)
        self.assertEqual(changes, [{"CompassHeading": 90.5}, {"CompassHeading": 359.0}])
        self.call("ReleaseCompass", **self.WHERE)
        wait_until(lambda: not feed.is_enabled(), "the buffer is disabled")

    def test_heading_is_from_0_to_less_than_360(self):
        feed = self.plug(0)
        self.start()
        self.call("ClaimCompass", **self.WHERE)
        for raw, heading in ((-10, 350), (360, 0), (725, 5)):
            feed.values = {self.CHANNEL: raw}
            self.wait_for_value("CompassHeading", heading, **self.WHERE)

    def test_what_is_no_number_is_not_told(self):
        # The heading was NaN, which differs from itself: it was told with every reading of any sensor.
        heading = {f"{self.CHANNEL}_raw": "1e308", f"{self.CHANNEL}_scale": "360"}
        self.rig.add_device(device(HEADING, heading))
        counter = ReadCounter(self.rig, f"{self.CHANNEL}_raw", HEADING)
        self.start()
        changes = self.record(self.client)
        self.call("ClaimCompass", **self.WHERE)
        wait_until(lambda: counter.reads() > 3, "it is read")
        self.assertEqual(self.get("CompassHeading", **self.WHERE), 0)
        self.assertEqual(changes, [])
        self.rig.write(f"{self.CHANNEL}_raw", 0.25, HEADING)
        self.wait_for_value("CompassHeading", 90, **self.WHERE)

    def test_others_hear_nothing_of_it(self):
        # iio-sensor-proxy sends the compass's claimants an empty change whenever another sensor's value is new.
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.plug(1)
        self.start()
        other = self.rig.connect()
        changes, others = self.record(self.client), self.record(other)
        self.call("ClaimLight", other)
        self.call("ClaimCompass", **self.WHERE)
        self.rig.write("in_illuminance_raw", 2, LIGHT)
        wait_until(lambda: len(others) == 2, "the light is told")
        self.assertEqual(changes, [{"CompassHeading": 1.0}])
        self.assertEqual([set(change) for change in others], [{"LightLevelUnit", "LightLevel"}] * 2)


class SensorCore(SensorProxyTestCase):
    """Qualcomm's sensor core, of whose sockets this kernel may have none: then the log says so.

    Tests/vm/ssc.sh has its sensors.
    """

    NODE = "P: /devices/virtual/misc/{0}\nN: {0}\nE: DEVNAME=/dev/{0}\nE: SUBSYSTEM=misc\n"
    SAID = "the sensor core"

    def add_node(self, name, words):
        text = self.NODE.format(name)
        self.rig.add_device(text + (f"E: IIO_SENSOR_PROXY_TYPE={words}\n" if words else "") + "\n")

    def test_it_is_listened_to_where_udev_names_a_sensor(self):
        self.add_node("fastrpc-adsp", "ssc-light ssc-compass")
        self.assertIn(self.SAID, self.start().log())
        self.assertFalse(self.get("HasAmbientLight"))

    def test_it_is_missing_where_the_configuration_asks_for_it(self):
        log = self.rig.start_orientd("--source=ssc").log()
        self.assertIn("Source=ssc: there is no device of a sensor core, such as fastrpc-adsp", log)

    def test_nothing_is_opened_for_other_nodes(self):
        self.add_node("fastrpc-adsp", None)
        self.add_node("fastrpc-cdsp", "ssc-accel")
        self.add_node("other", "ssc-accel")
        self.assertNotIn(self.SAID, self.start().log())
