# SPDX-License-Identifier: Apache-2.0
"""The agent and the outputs of a compositor that supports wlr-output-management."""

from agent_session import TRANSFORMS, AgentTestCase, monitor, panel, touch, wakeups
from fakes.outputs import Head, Mode
from rig import wait_until


class Panel(AgentTestCase):
    def test_panel_follows_the_device_and_nothing_else_turns(self):
        self.start_session(panel(), monitor())
        for held in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            self.show(held)
            self.assertEqual(self.compositor.head("HDMI-A-1").transform, "normal")
        for configuration in self.compositor.applied():
            self.assertNotIn("transform", configuration.heads["HDMI-A-1"])

    def test_panel_follows_orientctl(self):
        self.start_session()
        self.control("rotate", "landscape-left")
        self.wait_for_transform("90")
        self.control("lock", "portrait-upside-down")
        self.wait_for_transform("180")
        self.control("unlock")
        self.wait_for_transform("normal")
        self.assertEqual(self.transforms(), ["90", "180", "normal"])

    def test_lock_holds_the_panel(self):
        self.start_session()
        self.control("lock")
        self.rig.turn((-1000, 0, 0))
        self.assert_orientation("landscape-left")
        self.control("rotate", "portrait-upside-down")
        self.wait_for_transform("180")
        self.assertEqual(self.transforms(), ["180"])

    def test_present_orientation_is_shown_at_the_start(self):
        self.start_session(held="landscape-left")
        self.wait_for_transform("270")

    def test_built_in_panel_is_found_by_its_connector(self):
        for name in ("eDP-1", "eDP-2", "LVDS-1", "DSI-1"):
            with self.case(name):
                self.start_session(monitor("DP-1", position=(1200, 0)), panel(name), monitor("Virtual-1"))
                self.show("landscape-left", name)
                others = [head.transform for head in self.compositor.heads if head.name != name]
                self.assertEqual(others, ["normal", "normal"])

    # Such as a panel that is seen through a mirror.
    def test_mirrored_panel_stays_mirrored(self):
        agent = self.start_session(panel(transform="flipped"))
        for held, transform in (("landscape-left", "flipped-270"), ("portrait", "flipped")):
            self.hold(held)
            self.wait_for_transform(transform)
        agent.stop()
        self.wait_for_transform("flipped")

    def test_another_output_can_be_named(self):
        for options in ({"arguments": ["--output=DP-3"]}, {"settings": ["Output=DP-3"]}):
            with self.case(**options):
                self.start_session(panel(), monitor("DP-3"), **options)
                self.show("landscape-left", "DP-3")
                self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_every_version_of_the_protocol_works(self):
        for version in (1, 2, 3, 4):
            with self.case(version=version):
                self.start_session(version=version)
                self.show("landscape-left")

    def test_only_transform_and_places_are_set(self):
        heads = (
            panel(mode=panel().modes[1], scale=1.5, adaptive_sync=True),
            monitor(position=(400, 0), scale=2, adaptive_sync=True),
            monitor("DP-1", enabled=False),
        )
        self.start_session(*heads)
        before = [(head.mode, head.scale, head.adaptive_sync, head.enabled) for head in heads]
        self.show("landscape-left")
        self.wait_until_tight()
        for configuration in self.compositor.applied():
            self.assertEqual(set(configuration.heads), {"eDP-1", "HDMI-A-1", "DP-1"})
            self.assertIsNone(configuration.heads["DP-1"])
            for properties in (configuration.heads["eDP-1"], configuration.heads["HDMI-A-1"]):
                self.assertLessEqual(set(properties), {"transform", "position"})
        after = [(head.mode, head.scale, head.adaptive_sync, head.enabled) for head in heads]
        self.assertEqual(after, before)

    def test_option_names_the_built_in_panel_in_spite_of_the_configuration(self):
        self.start_session(panel(), monitor(), settings=["Output=HDMI-A-1"], arguments=["--output=auto"])
        self.show("landscape-left")
        self.assertEqual(self.compositor.head("HDMI-A-1").transform, "normal")

    def test_disabled_panel_stays_disabled_and_is_turned_when_it_is_enabled(self):
        self.start_session(panel(), monitor())
        self.compositor.change("eDP-1", enabled=False)
        self.hold("landscape-left")
        self.wait_until_idle(self.agents[0])
        self.assertFalse(self.compositor.head("eDP-1").enabled)
        self.agents[0].new_warnings()
        self.compositor.change("eDP-1", enabled=True)
        self.wait_for_transform("270")

    def test_scale_that_no_output_can_have_is_ignored(self):
        self.start_session(panel(), monitor())
        for scale in (0.001, -1):  # on the wire, 0 and -1
            self.compositor.change("HDMI-A-1", scale=scale)
            self.show("landscape-left")
            self.show("portrait")

    def test_nothing_is_sent_while_nothing_changes(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_until_tight()
        self.wait_until_idle(agent)
        count = len(self.compositor.requests)
        slept = wakeups(agent.pid)
        for _ in range(100):
            self.client.get("InterfaceOrientation")
        self.assertEqual(wakeups(agent.pid), slept)
        self.compositor.publish_unchanged()
        self.control("lock")
        self.control("unlock")
        self.wait_until_idle(agent)
        self.assertEqual(len(self.compositor.requests), count)


class Neighbours(AgentTestCase):
    # The places of a monitor of 1920x1080 around a panel of 1200x1920.
    SIDES = {
        "right": (1200, 0),
        "right, at the end": (1200, 840),
        "left": (-1920, 300),
        "above": (0, -1080),
        "below": (-360, 1920),
    }

    def test_neighbours_move_with_the_edge_where_places_are_fixed(self):
        for side, position in self.SIDES.items():
            with self.case(side):
                self.start_session(panel(), monitor(position=position))
                for held in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
                    self.show(held)
                    self.wait_until_tight()
                self.assertEqual(self.compositor.head("HDMI-A-1").position, position)

    def test_scales_count(self):
        self.start_session(panel(scale=1.5), monitor(position=(800, 0), scale=2))
        self.show("landscape-left")
        self.wait_until_tight()
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (1280, 0))

    def test_row_of_monitors_stays_a_row(self):
        self.start_session(panel(), monitor(), monitor("DP-1", position=(3120, 0)), monitor("DP-2", position=(-1920, 0)))
        self.show("landscape-left")
        self.wait_until_tight()
        places = [self.compositor.head(name).position for name in ("HDMI-A-1", "DP-1", "DP-2")]
        self.assertEqual(places, [(1920, 0), (3840, 0), (-1920, 0)])

    def test_places_are_left_alone_where_they_are_automatic(self):
        self.start_session(panel(), monitor(), monitor("DP-1"), is_automatic=True)
        for held in ("landscape-left", "portrait-upside-down", "landscape-right"):
            self.show(held)
        self.assertTrue(self.is_tight())
        self.agents[0].stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")
        for configuration in self.compositor.applied():
            for properties in configuration.heads.values():
                self.assertNotIn("position", properties)

    def test_places_are_restored_at_the_end(self):
        agent = self.start_session(panel(), monitor(position=(1200, 840)))
        self.show("landscape-left")
        self.wait_until_tight()
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (1200, 840))

    def test_refused_places_do_not_prevent_the_rotation(self):
        agent = self.start_session(panel(), monitor())
        self.compositor.refuses = lambda configuration: any(
            "position" in (properties or {}) for properties in configuration.heads.values()
        )
        self.show("landscape-left")
        agent.wait_for_warning("eDP-1")


class Answers(AgentTestCase):
    def test_cancelled_is_tried_again_with_the_new_serial(self):
        for times in (1, 2, 3):
            with self.case(times=times):
                self.start_session()
                self.compositor.cancel(times)
                self.show("landscape-left")
                applied = self.compositor.applied()
                self.assertEqual([one.answer for one in applied], ["cancelled"] * times + ["succeeded"], applied)
                self.assertEqual(len({one.serial for one in applied}), times + 1)

    def test_new_serial_may_arrive_before_cancelled(self):
        # A client that waits for a `done` after `cancelled` would wait for ever: it has already arrived.
        for times in (1, 3):
            with self.case(times=times):
                self.start_session()
                self.compositor.race(times)
                self.show("landscape-left")

    def test_only_three_times_at_once(self):
        agent = self.start_session()
        self.compositor.cancel(20)
        self.hold("landscape-left")
        agent.wait_for_warning("eDP-1")
        self.assertLessEqual(len(self.compositor.applied()), 5)
        self.compositor.answers.clear()
        self.wait_for_transform("270")

    # A compositor whose session is not active refuses everything; the agent never tried again.
    def test_failed_is_reported_once_and_tried_again(self):
        agent = self.start_session(panel(), monitor())
        self.compositor.refuse(3)
        self.hold("landscape-left")
        agent.wait_for_warning("eDP-1", "270")
        self.wait_for_transform("270")
        self.wait_until_tight()
        self.wait_until_idle(agent)
        self.compositor.refuse(1000)
        self.hold("portrait")
        agent.wait_for_warning("eDP-1", "normal")
        self.compositor.answers.clear()
        self.compositor.publish_unchanged()
        self.wait_for_transform("normal")

    def test_failed_is_tried_again_after_a_hotplug(self):
        agent = self.start_session()
        self.compositor.refuse()
        self.hold("landscape-left")
        agent.wait_for_warning("eDP-1")
        self.compositor.plug(monitor())
        self.wait_for_transform("270")

    def test_turns_while_a_change_is_pending_lead_to_the_last(self):
        agent = self.start_session()
        self.compositor.hold()
        self.hold("landscape-left")
        wait_until(lambda: self.compositor.held, "the first configuration arrives")
        for held in ("portrait-upside-down", "landscape-right"):
            self.hold(held)
        self.wait_until_idle(agent)
        self.assertEqual(len(self.compositor.held), 1)
        self.compositor.release()
        self.wait_for_transform("90")
        self.assertEqual(self.transforms(), ["270", "90"])


class ModelessHead(Head):
    """A head in a mode that is none of those of wlr-output-management."""

    def properties(self):
        return {name: value for name, value in super().properties().items() if name != "current_mode"}


class Hotplug(AgentTestCase):
    # It counted as off.
    def test_panel_without_a_current_mode_turns(self):
        self.start_session(ModelessHead("eDP-1"))
        self.show("landscape-left")

    def test_display_is_kept_while_a_monitor_is_connected_if_configured(self):
        agent = self.start_session(panel(), monitor(), settings=["WithMonitor=keep"])
        self.hold("landscape-left")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.applied(), [])
        self.control("rotate", "portrait-upside-down")
        self.wait_for_transform("180")
        self.hold("landscape-right")
        self.wait_until_idle(agent)
        self.assertEqual(self.transforms(), ["180"])
        self.compositor.unplug("HDMI-A-1")
        self.wait_for_transform("90")

    def test_monitor_that_was_placed_beside_the_unrotated_panel_leaves_no_gap(self):
        agent = self.start_session(panel())
        self.show("landscape-left")
        # The panel is 1920 wide now; as before, it was 1200.
        self.compositor.plug(monitor(position=(1200, 0)))
        self.wait_until_tight()
        agent.stop()
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (1200, 0))

    def test_two_panels_turn_as_one(self):
        for settings in ([], ["Output=eDP-1, eDP-2"]):
            with self.case(settings):
                upper, lower = panel(modes=(Mode(2880, 1800, 60000),)), panel("eDP-2", modes=(Mode(2880, 1800, 60000),))
                lower.position = (0, 1800)
                agent = self.start_session(upper, lower, monitor(position=(2880, 0)), settings=settings)
                places = {
                    "landscape-left": [(0, 0), (1800, 0), (3600, 0)],
                    "portrait-upside-down": [(0, 1800), (0, 0), (2880, 0)],
                    "landscape-right": [(1800, 0), (0, 0), (3600, 0)],
                }
                for held, expected in places.items():
                    self.show(held)
                    self.wait_for_transform(TRANSFORMS[held], "eDP-2")
                    wait_until(lambda: [head.position for head in self.compositor.heads] == expected, "the places")
                agent.stop()
                heads = self.compositor.heads
                self.assertEqual([head.position for head in heads], [(0, 0), (0, 1800), (2880, 0)])
                self.assertEqual({head.transform for head in heads}, {"normal"})

    def test_size_that_somebody_sets_while_the_panel_is_rotated_leaves_no_gap_afterwards(self):
        # A monitor that the smaller panel no longer touched stayed for ever where the rotation had moved it.
        for smaller, usual in (({"scale": 2.0}, {"scale": 1.0}), ({"mode": 1}, {"mode": 0})):
            for place in ((1200, 0), (0, 1920)):
                with self.case(smaller=smaller, place=place):
                    agent = self.start_session(panel(), monitor(position=place))
                    self.show("landscape-left")
                    self.resize(agent, smaller)
                    self.show("portrait")
                    self.assertEqual(self.compositor.head("HDMI-A-1").position, place)
                    self.resize(agent, usual)
                    self.show("landscape-left")
                    self.wait_until_tight()
                    self.resize(agent, smaller)
                    agent.stop()
                    self.assertEqual(self.compositor.head("HDMI-A-1").position, place)

    def resize(self, agent, properties):
        """Changes the panel's scale, or its mode to that with an index, and waits until the agent knows it."""
        modes = self.compositor.head("eDP-1").modes
        self.compositor.change("eDP-1", **{k: modes[v] if k == "mode" else v for k, v in properties.items()})
        self.wait_until_idle(agent)

    def test_panel_that_comes_gets_the_present_orientation(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.compositor.unplug("eDP-1")
        self.wait_until_idle(agent)
        agent.new_warnings()
        self.compositor.plug(panel())
        self.wait_for_transform("270")
        self.wait_until_tight()

    def test_panel_that_vanishes_during_a_change_is_no_error(self):
        agent = self.start_session(panel(), monitor())
        self.compositor.hold()
        self.hold("landscape-left")
        wait_until(lambda: self.compositor.held, "the configuration arrives")
        self.compositor.unplug("eDP-1")
        self.compositor.release()
        self.wait_until_idle(agent)
        agent.new_warnings()
        self.compositor.plug(panel())
        self.wait_for_transform("270")

    def test_monitor_that_comes_or_goes_turns_nothing(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.plug(monitor(position=(1920, 0)))
        self.compositor.unplug("HDMI-A-1")
        self.compositor.plug(monitor(position=(1920, 0)))
        self.wait_until_idle(agent)
        self.assertEqual(self.transforms(), ["270"])
        self.show("portrait")
        self.wait_until_tight()
        self.assertTrue(touch(*(head.rectangle for head in self.compositor.heads)))

    def test_unknown_output_is_reported_once_until_it_comes(self):
        agent = self.start_session(panel(), monitor(), arguments=["--output=DSI-7"])
        agent.wait_for_warning("DSI-7", "eDP-1", "HDMI-A-1")
        self.hold("landscape-left")
        self.compositor.publish_unchanged()
        self.wait_until_idle(agent)
        self.assertEqual(agent.new_warnings(), [])
        self.assertEqual(self.compositor.applied(), [])
        self.compositor.plug(panel("DSI-7", position=(3120, 0)))
        self.wait_for_transform("270", "DSI-7")

    def test_session_without_a_panel_is_reported_once(self):
        agent = self.start_session(monitor())
        agent.wait_for_warning("HDMI-A-1")
        self.hold("landscape-left")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.applied(), [])


class Others(AgentTestCase):
    def test_transform_of_somebody_else_stays(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_until_tight()
        count = len(self.compositor.applied())
        self.compositor.change("eDP-1", transform="180")
        self.wait_until_idle(agent)
        self.assertEqual(len(self.compositor.applied()), count)
        self.assertEqual(self.compositor.head("eDP-1").transform, "180")
        self.show("landscape-right")

    # These commands returned 0 and changed nothing.
    def test_command_applies_although_somebody_else_has_set_a_transform(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        for command in (["align"], ["rotate", "landscape-right"], ["lock"], ["unlock"], ["lock", "landscape-right"]):
            with self.subTest(command):
                self.wait_until_tight()
                self.wait_until_idle(agent)
                self.compositor.change("eDP-1", transform="180")
                self.wait_until_idle(agent)
                self.assertEqual(self.compositor.head("eDP-1").transform, "180")
                self.control(*command)
                self.wait_for_transform("270")

    def test_transform_of_somebody_else_is_restored_at_the_end(self):
        agent = self.start_session()
        self.compositor.change("eDP-1", transform="180")
        self.wait_until_idle(agent)
        self.show("landscape-left")
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "180")

    def test_places_of_somebody_else_stay(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_until_tight()
        self.compositor.change("HDMI-A-1", position=(0, 1200))
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (0, 1200))
        self.show("portrait")
        self.wait_until_tight()


class End(AgentTestCase):
    def test_sigterm_restores(self):
        agent = self.start_session(panel(transform="90"))
        self.show("portrait-upside-down")
        agent.stop()
        self.assertEqual(agent.process.returncode, 0)
        self.assertEqual(self.compositor.head("eDP-1").transform, "90")

    def test_nothing_is_restored_if_nothing_was_changed(self):
        agent = self.start_session()
        agent.stop()
        self.assertEqual(self.compositor.applied(), [])

    def test_restoring_can_be_disabled(self):
        agent = self.start_session(settings=["Restore=no"])
        self.show("landscape-left")
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "270")
        self.restore(settings=["Restore=no"])  # as the service does
        self.assertEqual(self.compositor.head("eDP-1").transform, "270")

    def test_restore_puts_back_what_a_killed_agent_has_left(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_until_tight()
        self.wait_until_idle(agent)
        agent.kill()
        self.restore()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (1200, 0))
        count = len(self.compositor.applied())
        self.restore()
        self.assertEqual(len(self.compositor.applied()), count)

    def test_restore_needs_no_choice_of_outputs(self):
        # It looked for a built-in panel, and ended as if all were well.
        agent = self.start_session(panel(), monitor(), arguments=["--output=HDMI-A-1"])
        self.show("landscape-left", "HDMI-A-1")
        self.wait_until_idle(agent)
        agent.kill()
        self.restore()
        self.assertEqual(self.compositor.head("HDMI-A-1").transform, "normal")

    def test_restore_takes_every_name_of_an_output(self):
        for name in ("My Monitor", "two  spaces", "a;b#c=d", "line\nbreak", ""):
            with self.case(name):
                agent = self.start_session(panel(), monitor(name))
                self.show("landscape-left")
                self.wait_until_idle(agent)
                agent.kill()
                self.restore()
                self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_agent_after_a_killed_one_restores_the_first_state(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_until_idle(agent)
        agent.kill()
        self.client.wait_for("Claims", 0)
        agent = self.start_agent()
        self.show("landscape-right")
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_panel_that_is_off_at_the_end_is_restored_when_it_is_on(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_until_tight()
        self.compositor.change("eDP-1", enabled=False)  # by the lid, for example
        self.wait_until_idle(agent)
        agent.stop()
        self.assertEqual(agent.process.returncode, 0)
        restoring = self.spawn_agent("--restore")
        self.assertEqual(restoring.wait_for_end(), 0)
        self.assertIn("eDP-1 is off or not connected", restoring.log())
        self.compositor.change("eDP-1", enabled=True)
        self.restore()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_restoring_that_is_refused_is_an_error(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_until_idle(agent)
        agent.kill()
        self.compositor.refuse(100)
        restoring = self.spawn_agent("--restore")
        self.assertEqual(restoring.wait_for_end(), 1)
        restoring.wait_for_warning("eDP-1 is not rotated to normal")

    def test_compositor_that_does_not_answer_does_not_delay_the_end(self):
        agent = self.start_session()
        self.compositor.hold()
        self.hold("landscape-left")
        wait_until(lambda: self.compositor.held, "the configuration arrives")
        self.assertLess(agent.stop(), 9)
        self.assertEqual(agent.process.returncode, 1)
        agent.wait_for_warning("wayland-7 does not answer")


class Losses(AgentTestCase):
    def test_sigterm_does_not_wait_for_a_compositor_that_has_gone(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_until_idle(agent)
        self.compositor.stop()
        agent.wait_for_warning("closed the connection")
        self.assertLess(agent.stop(), 3)
        self.assertEqual(agent.process.returncode, 0)
        self.compositor.start()
        self.restore()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def reconnected(self):
        """Waits until the agent uses the compositor again."""
        wait_until(self.compositor.has_client, "the agent is back")

    def test_garbage_is_one_warning_and_a_new_connection(self):
        for name in ("send_unknown_event", "send_truncated_event", "send_noise"):
            with self.case(name):
                agent = self.start_session()
                accepted = self.compositor.accepted
                getattr(self.compositor, name)()
                wait_until(lambda: self.compositor.accepted > accepted, "the agent connects again")
                self.reconnected()
                agent.wait_for_warning("wayland-7")
                self.show("landscape-left")

    def test_hundreds_of_outputs_are_no_obstacle(self):
        self.start_session(panel(), *(monitor(f"DP-{number}") for number in range(200)))
        self.show("landscape-left")
        self.show("portrait")

    # All memory was theirs.
    def test_compositor_with_too_many_objects_is_one_warning(self):
        agent = self.start_session()
        self.compositor.plug(monitor(modes=tuple(Mode(1920, 1080, 60000 + number) for number in range(10_000))))
        agent.wait_for_warning("the compositor at wayland-7 has more than 10000 objects; trying to connect again")
        agent.kill()

    def test_closed_connection_is_one_warning_and_a_new_connection(self):
        agent = self.start_session()
        self.compositor.disconnect()
        agent.wait_for_warning("wayland-7")
        self.reconnected()
        self.show("landscape-left")

    def test_compositor_that_does_not_answer_is_one_warning_and_a_new_connection(self):
        self.start(claim=False)
        self.start_compositor(panel())
        with self.compositor.lock:  # its thread cannot read
            agent = self.spawn_agent()
            agent.wait_for_warning("wayland-7 does not answer")
        self.show("landscape-left")

    def test_change_that_is_never_answered_is_one_warning_and_a_new_connection(self):
        agent = self.start_session()
        self.compositor.hold()
        self.hold("landscape-left")
        agent.wait_for_warning("wayland-7 does not answer")
        self.compositor.release()
        self.wait_for_transform("270")
        self.show("portrait")

    def test_compositor_that_restarts_gets_the_present_orientation(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.stop()
        agent.wait_for_warning("wayland-7")
        self.compositor.head("eDP-1").transform = "normal"
        self.compositor.start()
        self.wait_for_transform("270")

    def test_device_turns_while_there_is_no_compositor(self):
        agent = self.start_session()
        self.compositor.stop()
        agent.wait_for_warning("wayland-7")
        self.hold("landscape-left")
        self.compositor.start()
        self.wait_for_transform("270")

    def test_compositor_that_ends_the_protocol_is_one_warning(self):
        agent = self.start_session()
        self.compositor.finish()
        agent.wait_for_warning("wayland-7")
        self.assertTrue(agent.is_running())

    def test_orientd_restarts(self):
        self.start_session()
        self.show("landscape-left")
        self.restart_orientd()
        self.show("landscape-right")
        self.assertNotIn("normal", self.transforms())
        self.agents[0].new_warnings()

    def test_display_may_be_restored_while_orientd_does_not_run(self):
        self.start_session(settings=["OnServiceLost=restore"])
        self.show("landscape-left")
        self.rig.daemons[0].stop()
        self.wait_for_transform("normal")
        self.agents[0].new_warnings()
