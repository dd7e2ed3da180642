# SPDX-License-Identifier: Apache-2.0
"""orient-agent rotates Hyprland over its own socket: 0.57 with a configuration in Lua, and 0.54 with one in hyprlang."""

from agent_session import AgentTestCase, monitor, panel
from fakes.hyprland import SIGNATURE, HyprlandCompositor, HyprlandServer
from fakes.outputs import Mode
from rig import wait_until


class Hyprland(AgentTestCase):
    def environment(self):
        return super().environment() | {"HYPRLAND_INSTANCE_SIGNATURE": SIGNATURE, "XDG_CURRENT_DESKTOP": "Hyprland"}

    def start_compositor(self, *heads, **options):
        self.compositor = self.serve(HyprlandCompositor(self.runtime / "wayland-7", *heads, **options))
        self.hyprland = self.serve(HyprlandServer(self.runtime, is_lua=True, compositor=self.compositor))
        return self.compositor

    def wait_for_position(self, name, position):
        wait_until(lambda: self.compositor.head(name).position == position, f"{name} is at {position}")

    def test_neighbour_with_a_fixed_position_stays_beside_the_panel(self):
        agent = self.start_session(panel(), monitor())
        for held, position in (("landscape-left", (1920, 0)), ("portrait-upside-down", (1200, 0))):
            self.show(held)
            self.wait_for_position("HDMI-A-1", position)
        self.show("landscape-right")
        self.wait_for_position("HDMI-A-1", (1920, 0))
        agent.stop()
        self.wait_for_transform("normal")
        self.wait_for_position("HDMI-A-1", (1200, 0))
        self.assertEqual(self.compositor.configurations, [])

    def test_neighbour_that_hyprland_places_is_left_to_it(self):
        self.start_session(panel(), monitor(), is_automatic=True)
        self.show("landscape-left")
        self.wait_for_position("HDMI-A-1", (1920, 0))
        evaluated = [request for request in self.hyprland.requests if "eval" in request]
        self.assertEqual([request for request in evaluated if "HDMI-A-1" in request], [])

    def test_what_a_rule_for_any_output_has_set_stays(self):
        agent = self.start_session(panel(modes=(Mode(2400, 3840, 120000), Mode(1200, 1920, 60000)), scale=1.5))
        head = self.compositor.head("eDP-1")
        self.compositor.change("eDP-1", mode=head.modes[1])
        self.wait_until_idle(agent)
        for transform, held in (("270", "landscape-left"), ("180", "portrait-upside-down")):
            self.show(held)
            self.assertEqual((head.transform, head.mode, head.scale), (transform, head.modes[1], 1.5))
        agent.stop()
        self.wait_for_transform("normal")
        self.assertEqual((head.mode, head.scale), (head.modes[1], 1.5))

    def test_transform_set_by_somebody_else_is_the_new_baseline(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_for_position("HDMI-A-1", (1920, 0))
        # What somebody sets before the agent's change has ended cannot be told from what the compositor makes of that.
        self.wait_until_idle(agent)
        leftover = self.runtime / "orient-agent" / "wayland-7"
        self.assertTrue(leftover.exists())
        self.compositor.change("eDP-1", transform="180")
        wait_until(lambda: not leftover.exists(), "nothing is left to restore")
        self.show("portrait")
        agent.stop()
        self.wait_for_transform("180")

    def test_invalid_list_of_monitors_leaves_the_heads(self):
        for listed in ([{"name": "eDP-1"}], [1], {}, [{"name": 1}], [{"name": "eDP-1", "scale": 0}]):
            with self.case(listed=listed):
                self.start(claim=False)
                self.start_compositor(panel(), monitor())
                self.compositor.monitors = lambda listed=listed: listed
                self.start_agent()
                self.turn("landscape-left")
                self.wait_for_transform("270")

    def test_refused_change_is_one_warning(self):
        agent = self.start_session(panel())
        self.show("landscape-left")
        self.compositor.configure = lambda monitors: "error: hl.monitor: no"
        self.turn("portrait-upside-down")
        agent.wait_for_warning("eDP-1 is not rotated to 180: Hyprland refused it: error: hl.monitor: no")


class Hyprlang(AgentTestCase):
    def environment(self):
        return super().environment() | {"HYPRLAND_INSTANCE_SIGNATURE": SIGNATURE, "XDG_CURRENT_DESKTOP": "Hyprland"}

    def start_compositor(self, *heads, **options):
        self.compositor = HyprlandCompositor(self.runtime / "wayland-7", *heads, has_frames=True, **options)
        self.serve(self.compositor)
        self.hyprland = self.serve(HyprlandServer(self.runtime, compositor=self.compositor))
        return self.compositor

    # hyprwm/Hyprland#8190: after a change over wlr-output-management, `hyprctl keyword monitor` has no effect any more,
    # so that a panel stayed on below a closed lid.
    def test_hyprctl_still_works_after_a_rotation(self):
        agent = self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.wait_until_idle(agent)
        self.assertEqual(self.hyprland.reply("keyword monitor eDP-1,disable"), "ok")
        self.assertFalse(self.compositor.head("eDP-1").enabled)
        self.wait_until_idle(agent)
        self.assertEqual(self.hyprland.reply("keyword monitor eDP-1,1200x1920@60,0x0,1"), "ok")
        self.wait_for_transform("270")

    def test_what_a_rule_has_set_stays(self):
        heads = panel(modes=(Mode(2400, 3840, 120000), Mode(1200, 1920, 60000)), scale=1.5), monitor(position=(800, 0))
        agent = self.start_session(*heads)
        self.compositor.change("eDP-1", mode=heads[0].modes[1])
        self.wait_until_idle(agent)
        for transform, held, x in (("270", "landscape-left", 1280), ("180", "portrait-upside-down", 800)):
            self.show(held)
            wait_until(lambda x=x: heads[1].position == (x, 0), f"the neighbour is at {x}")
            self.assertEqual((heads[0].transform, heads[0].mode, heads[0].scale), (transform, heads[0].modes[1], 1.5))
        agent.stop()
        self.wait_for_transform("normal")
        self.assertEqual((heads[0].mode, heads[0].scale), (heads[0].modes[1], 1.5))
        self.assertEqual(self.compositor.configurations, [])

    def test_mirror_stays_a_mirror(self):
        self.start_session(panel())
        self.compositor.mirrors["eDP-1"] = "1"
        self.compositor.publish_unchanged()
        self.show("landscape-left")
        self.assertEqual(self.compositor.rules, {})

    def test_neighbour_is_moved_in_the_same_request(self):
        self.start_session(panel(), monitor())
        self.show("landscape-left")
        self.show("portrait-upside-down")
        wait_until(lambda: self.compositor.head("HDMI-A-1").position == (1200, 0), "the neighbour has moved")
        last = [request for request in self.hyprland.requests if "/keyword" in request][-1]
        self.assertRegex(last, r"^\[\[BATCH\]\]/keyword monitor [^;]*;/keyword monitor [^;]*$")

    # From 0.50 to 0.54, a block `monitorv2` is applied again whenever the monitors are.
    def test_keyword_without_effect(self):
        agent = self.start_session(panel())
        self.compositor.replace = lambda *rule: "ok"
        self.show("landscape-left")
        agent.wait_for_warning("eDP-1 is not rotated to 270: it has no effect")
        self.wait_until_idle(agent)
        self.show("portrait-upside-down")
        self.wait_until_idle(agent)
        keywords = [request for request in self.hyprland.requests if "/keyword" in request]
        self.assertEqual(len(keywords), 1, "no second one is tried")

    def test_refused_keyword(self):
        agent = self.start_session(panel())
        self.compositor.replace = lambda *rule: "invalid scale"
        for held in ("landscape-left", "portrait"):
            self.show(held)
            self.wait_until_idle(agent)
        self.assertEqual(agent.new_warnings(), [])

    def test_language_of_the_configuration_changes(self):
        agent = self.start_session(panel())
        for is_lua, held in ((True, "landscape-left"), (False, "portrait"), (True, "landscape-right")):
            self.show("portrait-upside-down")
            self.wait_until_idle(agent)
            self.hyprland.is_lua = is_lua
            self.hyprland.reload()
            self.wait_until_idle(agent)
            self.show(held)
            self.wait_until_idle(agent)
        self.assertEqual(self.compositor.configurations, [])

    def test_refused_script_of_unknown_language(self):
        self.start(claim=False)
        self.start_compositor(panel())
        self.hyprland.is_lua = True
        self.compositor.configure = lambda monitors: "error: hl.monitor: no"
        self.start_agent()
        self.turn("landscape-left")
        self.wait_for_transform("270")
