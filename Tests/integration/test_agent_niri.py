# SPDX-License-Identifier: Apache-2.0
"""The agent and niri's IPC, which replaces wlr-output-management there."""

from agent_session import AgentTestCase, monitor, panel
from fakes.niri import NiriServer
from fakes.outputs import TRANSFORMS as OUTPUT_TRANSFORMS
from rig import wait_until
from sensor_proxy import NAME as PROXY
from sensor_proxy import PATH as PROXY_PATH


class NiriTestCase(AgentTestCase):
    def start_compositor(self, *heads, **options):
        """Starts niri's IPC beside a Wayland display that offers the outputs as well."""
        self.display = super().start_compositor(*heads, **options)
        self.compositor = self.serve(NiriServer(self.runtime / "niri.sock", *heads, display=self.display))
        return self.compositor

    def environment(self):
        return super().environment() | {"NIRI_SOCKET": str(self.runtime / "niri.sock"), "XDG_CURRENT_DESKTOP": "niri"}

    def is_connected(self):
        return self.compositor.has_reader()


class Niri(NiriTestCase):
    def test_panel_follows_over_the_ipc_only(self):
        self.start_session(panel(), monitor())
        for held, transform in (("landscape-left", "270"), ("portrait-upside-down", "180"), ("portrait", "Normal")):
            self.show(held)
            self.assertEqual(self.compositor.transforms()[-1], ("eDP-1", transform))
        self.assertEqual(self.display.configurations, [])

    # niri adds the kernel's panel orientation to what it is given, and reports the sum: the wrong edge was up.
    def test_panel_with_an_orientation_of_the_kernel_is_upright(self):
        for quirk in (1, 2, 3):
            with self.case(quirk=quirk):
                before = OUTPUT_TRANSFORMS[quirk]
                self.start(held="portrait", claim=False, environment={"STATE_DIRECTORY": str(self.state)})
                self.start_compositor(panel(transform=before), monitor(position=(1920 if quirk % 2 else 1200, 0)))
                self.compositor.quirks = {"eDP-1": quirk}
                agent = self.start_agent()
                for held in ("portrait", "landscape-left", "portrait-upside-down", "landscape-right", "landscape-left"):
                    self.show(held)
                    self.wait_until_tight()
                agent.stop()
                self.assertEqual(self.compositor.head("eDP-1").transform, before)

    def test_refusal_is_reported_once_and_tried_again(self):
        agent = self.start_session()
        self.compositor.error = "error applying output config"
        self.hold("landscape-left")
        agent.wait_for_warning("eDP-1")
        self.compositor.error = None
        self.wait_for_transform("270")

    def test_hotplugged_panel_gets_the_present_orientation(self):
        agent = self.start_session(panel(), monitor())
        self.compositor.unplug("eDP-1")
        self.wait_until_idle(agent)
        self.hold("landscape-left")
        self.compositor.plug(panel())
        self.wait_for_transform("270")
        agent.new_warnings()

    def test_transform_of_the_user_stays_until_the_device_turns(self):
        changes = {
            "another client": lambda: self.compositor.change("eDP-1", transform="normal"),
            "the configuration": self.reload,
        }
        for name, change in changes.items():
            with self.case(name):
                agent = self.start_session()
                self.show("landscape-left")
                self.wait_until_idle(agent)
                change()
                self.wait_until_idle(agent)
                self.assertEqual(self.compositor.head("eDP-1").transform, "normal")
                self.show("landscape-right")
                agent.stop()
                self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def reload(self):
        self.compositor.reload()

    def test_neighbour_that_niri_does_not_move_is_moved(self):
        self.start_session(panel(), monitor(), is_automatic=False)
        self.show("landscape-left")
        self.wait_until_tight()
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (1920, 0))
        self.show("portrait")
        self.wait_until_tight()
        self.assertEqual(self.compositor.head("HDMI-A-1").position, (1200, 0))

    def test_unknown_output_is_reported_once(self):
        agent = self.start_session(panel(), arguments=["--output=DSI-7"])
        agent.wait_for_warning("DSI-7", "eDP-1")
        self.hold("landscape-left")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.transforms(), [])

    def test_sigterm_and_restore_put_the_transform_back(self):
        agent = self.start_session(panel(transform="90"))
        self.show("portrait-upside-down")
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "90")
        agent = self.start_agent()
        self.wait_for_transform("180")
        self.wait_until_idle(agent)
        agent.kill()
        self.restore()
        self.assertEqual(self.compositor.head("eDP-1").transform, "90")

    def test_bad_replies_are_one_warning_and_a_new_connection(self):
        replacements = {
            "garbage": lambda reply: b"\x00\xff\xfe{]\n",
            "truncated": lambda reply: reply[: len(reply) // 2] + b"\n",
            "another type": lambda reply: b"[1,2,3]\n",
            "a line without an end": lambda reply: b" " * (1 << 20) + b" ",
            "line ends": lambda reply: b"\n" * (1 << 20),
            "nothing": lambda reply: b"",
        }
        for name, replacement in replacements.items():
            with self.case(name):
                agent = self.start_session()
                self.compositor.replace_replies(replacement)
                self.hold("landscape-left")
                agent.wait_for_warning("niri")
                self.show("landscape-right")

    def test_outputs_of_another_form_are_one_warning_until_they_are_right(self):
        self.start(claim=False)
        self.start_compositor(panel())

        def replacement(reply):
            return b'{"Ok":{"Outputs":{"eDP-1":{"name":17}}}}\n' if b"Outputs" in reply else reply

        self.compositor.replace_replies(replacement, times=1000)
        agent = self.spawn_agent()
        agent.wait_for_warning("niri")
        with self.compositor.lock:
            self.compositor.replacements.clear()
        self.show("landscape-left")

    def test_reply_that_nobody_asked_for_is_one_warning(self):
        agent = self.start_session()
        accepted = self.compositor.accepted
        self.compositor.send_raw(b'{"WorkspacesChanged": \n')
        wait_until(lambda: self.compositor.accepted > accepted, "the agent connects again")
        agent.wait_for_warning("niri")
        self.show("landscape-left")

    def test_niri_restarts(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.stop()
        agent.wait_for_warning("niri")
        self.compositor.head("eDP-1").transform = "normal"
        self.compositor.start()
        self.wait_for_transform("270")

    def test_niri_that_restarts_has_another_socket(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.stop()
        agent.wait_for_warning("niri")
        self.compositor = self.serve(
            NiriServer(self.runtime / "niri.wayland-7.42.sock", panel(), display=self.display)
        )
        self.wait_for_transform("270")
        self.assertEqual(self.display.configurations, [])


class NiriThatRotates(NiriTestCase):
    """A niri that can rotate outputs claims the sensor whatever its configuration says."""

    def start_claimed(self, *settings):
        """Starts a session in which niri has claimed the sensor; the compositor is a part of this process."""
        self.start("[Bus]", "SensorProxy=yes", claim=False)
        self.start_compositor(panel())
        self.client.call("ClaimAccelerometer", PROXY, PROXY_PATH, None, PROXY)
        return self.spawn_agent(settings=settings)

    def test_agent_stands_aside_for_its_claim(self):
        agent = self.start_claimed()
        agent.wait_for_log("standing aside")
        self.hold("landscape-left")
        self.wait_until_idle(agent)
        self.assertEqual((self.compositor.transforms(), self.client.get("Claims")), ([], 0))

    def test_force_is_for_a_niri_whose_outputs_do_not_rotate(self):
        agent = self.start_claimed("Force=yes")
        self.client.wait_for("Claims", 1)
        self.show("landscape-left")
        self.assertEqual(agent.log(), "")
