# SPDX-License-Identifier: Apache-2.0
"""The focused window decides the orientations while it is full screen, without the application's knowledge."""

import os
import signal
import time

from agent_session import AgentTestCase, monitor, panel
from rig import INVALID_INTERFACE_ORIENTATION, REQUEST, wait_until
from rotation import ALL, LANDSCAPE, mask

PLAYER, READER, OTHER = "org.example.Player", "org.example.Reader", "org.example.Other"
MASKS = (
    f"[Application {PLAYER}]",
    "SupportedOrientations=landscape",
    f"[Application {READER}]",
    "SupportedOrientations=portrait",
)
DESKTOP_FILE = "[Desktop Entry]\nType=Application\nName=Example\nExec=example\n"


class WindowsTestCase(AgentTestCase):
    def start_session(self, *heads, settings=(), **options):
        return super().start_session(*heads, settings=(*settings, *MASKS), **options)

    def requests(self):
        """Returns (application, supported orientations) of the active requests."""
        found = [interfaces[REQUEST] for interfaces in self.client.objects().values() if REQUEST in interfaces]
        return [(request["AppId"], request["Supported"]) for request in found if request["Active"]]

    def wait_for_requests(self, *expected):
        found = []

        def are_there():
            found[:] = self.requests()
            return found == list(expected)

        try:
            wait_until(are_there, "")
        except AssertionError:
            raise AssertionError(f"the requests are {found} instead of {expected}") from None

    def focus(self, app_id, *states, **properties):
        """Opens a window with the focus."""
        window = self.compositor.open(app_id, **properties)
        self.compositor.focus(window, *states)
        return window


class Windows(WindowsTestCase):
    def test_full_screen_window_decides_and_the_device_afterwards(self):
        self.start_session()
        player = self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.wait_for_transform("270")
        self.compositor.focus(player)
        self.wait_for_requests()
        self.wait_for_transform("normal")

    def test_request_that_orientd_answers_late_is_released(self):
        self.start_session()
        self.show("landscape-left")  # orientd has answered the claim
        orientd = self.rig.daemons[0]
        os.kill(orientd.pid, signal.SIGSTOP)
        player = self.focus(PLAYER, "fullscreen")
        time.sleep(26)  # sd-bus gives up a call after 25 s
        os.kill(orientd.pid, signal.SIGCONT)
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.compositor.focus(player)
        self.wait_for_requests()

    def test_request_that_a_killed_orientd_has_not_answered_is_no_refusal(self):
        agent = self.start_session()
        self.show("landscape-left")
        orientd = self.rig.daemons[0]
        os.kill(orientd.pid, signal.SIGSTOP)
        self.focus(PLAYER, "fullscreen")
        self.wait_until_idle(agent)
        orientd.kill()
        agent.wait_for_warning("orientd has stopped")
        self.wait_until_idle(agent)
        self.assertEqual(agent.new_warnings(), [])

    def test_window_that_is_there_before_the_agent_counts(self):
        self.start(claim=False)
        self.start_compositor(panel())
        self.focus(PLAYER, "fullscreen")
        self.start_agent(settings=MASKS)
        self.wait_for_transform("270")

    def test_request_moves_with_the_focus(self):
        self.start_session()
        player = self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        reader = self.focus(READER, "fullscreen")
        self.wait_for_transform("normal")
        wait_until(lambda: [app_id for app_id, _ in self.requests()] == [READER], "the request is the reader's")
        self.compositor.focus(player, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.assertIn("fullscreen", player.states)
        reader.close()
        self.focus(OTHER, "fullscreen")
        self.wait_for_requests()
        self.wait_for_transform("normal")

    def test_window_on_a_monitor_has_no_say(self):
        agent = self.start_session(panel(), monitor())
        player = self.focus(PLAYER, "fullscreen", outputs=["HDMI-A-1"])
        self.wait_until_idle(agent)
        self.assertEqual(self.requests(), [])
        player.update(outputs=["eDP-1"])
        self.wait_for_requests((PLAYER, LANDSCAPE))
        player.update(outputs=["HDMI-A-1"])
        self.wait_for_requests()
        player.update(outputs=["HDMI-A-1", "eDP-1"])
        self.wait_for_requests((PLAYER, LANDSCAPE))

    def test_window_whose_monitor_is_unplugged_has_no_say(self):
        agent = self.start_session(panel(), monitor())
        self.focus(PLAYER, "fullscreen", outputs=["HDMI-A-1"])
        self.wait_until_idle(agent)
        self.compositor.unplug("HDMI-A-1")
        self.wait_until_idle(agent)
        self.assertEqual(self.requests(), [])

    def test_window_has_no_say_while_the_panel_is_off(self):
        self.start_session(panel(), monitor())
        self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.compositor.change("eDP-1", enabled=False)
        self.wait_for_requests()
        self.compositor.change("eDP-1", enabled=True)
        self.wait_for_requests((PLAYER, LANDSCAPE))

    # Opening a menu over a film turned the display, and closing it turned it back.
    def test_film_keeps_its_say_until_another_window_has_the_focus(self):
        agent = self.start_session()
        player = self.focus(PLAYER, "fullscreen", outputs=["eDP-1"])
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.wait_for_transform("270")
        player.update(states=["fullscreen"])
        self.wait_until_idle(agent)
        self.assertEqual(self.requests(), [(PLAYER, LANDSCAPE)])
        self.assertEqual(self.transforms(), ["270"])
        # No longer shown, no longer full screen, minimized: each ends that.
        for properties in ({"outputs": []}, {"states": []}, {"states": ["fullscreen", "minimized"]}):
            player.update(**properties)
            self.wait_for_requests()
            player.update(outputs=["eDP-1"])
            self.compositor.focus(player, "fullscreen")
            self.wait_for_requests((PLAYER, LANDSCAPE))
            player.update(states=["fullscreen"])
        self.focus(OTHER)
        self.wait_for_requests()

    def test_film_has_no_say_while_an_empty_workspace_is_shown(self):
        workspaces = {"eDP-1": ["1", "2"], "HDMI-A-1": ["3", "4"]}
        agent = self.start_session(panel(), monitor(), workspaces=workspaces)
        player = self.focus(PLAYER, "fullscreen", outputs=["eDP-1"])
        self.wait_for_requests((PLAYER, LANDSCAPE))
        player.update(states=["fullscreen"])
        self.compositor.show_workspace("HDMI-A-1", "4")
        self.wait_until_idle(agent)
        self.assertEqual(self.requests(), [(PLAYER, LANDSCAPE)])
        # The film loses the focus, and another workspace is shown: either may be told first.
        for name in ("2", "1", "new", "newer"):
            if name in ("2", "new"):
                self.compositor.show_workspace("eDP-1", name)
            self.compositor.focus(None)
            if name in ("1", "newer"):
                self.compositor.show_workspace("eDP-1", name)
            self.wait_for_requests()
            self.compositor.focus(player, "fullscreen")
            self.wait_for_requests((PLAYER, LANDSCAPE))

    def test_closed_window_has_no_say(self):
        self.start_session()
        player = self.focus(PLAYER, "fullscreen")
        self.wait_for_transform("270")
        player.close()
        self.wait_for_requests()
        self.wait_for_transform("normal")

    def test_window_that_is_not_full_screen_has_no_say_by_default(self):
        agent = self.start_session()
        self.focus(PLAYER, "maximized")
        self.wait_until_idle(agent)
        self.assertEqual(self.requests(), [])
        self.focus(READER, "fullscreen")
        wait_until(lambda: [app_id for app_id, _ in self.requests()] == [READER], "the reader decides")

    def test_every_focused_window_may_decide(self):
        self.start_session(settings=["Applications=all"])
        self.focus(PLAYER)
        self.wait_for_requests((PLAYER, LANDSCAPE))

    def test_windows_can_be_ignored(self):
        agent = self.start_session(settings=["Applications=no"])
        self.focus(PLAYER, "fullscreen")
        self.wait_until_idle(agent)
        self.show("portrait-upside-down")
        self.assertEqual(self.client.ask("ListRequests")[0], [])

    def test_desktop_files_name_orientations(self):
        folder = self.home / ".local" / "share" / "applications"
        folder.mkdir(parents=True)
        for kind in ("Ubuntu", "Lomiri"):
            text = f"{DESKTOP_FILE}X-{kind}-Supported-Orientations=landscape\n"
            (folder / f"org.example.{kind}.desktop").write_text(text)
        self.start_session()
        for kind in ("Ubuntu", "Lomiri"):
            self.focus(f"org.example.{kind}", "fullscreen")
            self.wait_for_requests((f"org.example.{kind}", LANDSCAPE))

    def test_application_id_is_no_path(self):
        (self.home / "evil.desktop").write_text(f"{DESKTOP_FILE}X-Ubuntu-Supported-Orientations=landscape\n")
        (self.home / ".local" / "share" / "applications").mkdir(parents=True)
        agent = self.start_session()
        for app_id in ("../../../evil", str(self.home / "evil"), "", "x" * 4000, "a\nb"):
            self.focus(app_id, "fullscreen")
            self.wait_until_idle(agent)
            self.assertEqual(self.requests(), [])
        self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))

    def test_user_decides_against_a_window(self):
        self.start_session()
        self.focus(PLAYER, "fullscreen")
        self.wait_for_transform("270")
        self.control("rotate", "landscape-left")
        self.wait_for_transform("90")

    def test_request_ends_with_the_agent(self):
        agent = self.start_session()
        self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        agent.stop()
        self.wait_for_requests()

    def test_compositor_that_restarts_leaves_no_request(self):
        agent = self.start_session()
        player = self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.compositor.stop()
        agent.wait_for_warning("wayland-7")
        self.wait_for_requests()
        self.compositor.windows.remove(player)
        self.compositor.start()
        self.wait_for_transform("normal")

    def test_orientd_that_restarts_gets_the_request_again(self):
        agent = self.start_session()
        self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.restart_orientd()
        self.wait_for_requests((PLAYER, LANDSCAPE))
        agent.new_warnings()

    def test_old_compositors_have_no_full_screen_state(self):
        agent = self.start_session(toplevel_version=1)
        self.focus(PLAYER, "fullscreen")
        self.wait_until_idle(agent)
        self.assertEqual(self.requests(), [])

    def test_without_the_protocol_the_device_decides(self):
        self.start_session(toplevel_version=0)
        self.show("landscape-left")
        self.assertEqual(self.client.get("SupportedOrientations"), ALL)


class Precedence(WindowsTestCase):
    """The table of docs/semantics.md: what counts where the orientations of an application come from several places."""

    def start_all(self, section=None, desktop=None):
        """Starts orientd with a section for the player, and the agent, whose section says landscape."""
        if desktop:
            folder = self.home / ".local" / "share" / "applications"
            folder.mkdir(parents=True)
            text = f"{DESKTOP_FILE}X-Ubuntu-Supported-Orientations={desktop}\n"
            for app_id in (PLAYER, OTHER):
                (folder / f"{app_id}.desktop").write_text(text)
        lines = (f"[Application {PLAYER}]", f"SupportedOrientations={section}") if section else ()
        self.start(*lines, claim=False)
        self.start_compositor(panel())
        return self.start_agent(settings=MASKS)

    def allowed(self):
        return self.client.get("SupportedOrientations")

    def test_section_of_orientd_limits_requests_and_decides_nothing_without_one(self):
        self.start(f"[Application {PLAYER}]", "SupportedOrientations=landscape")
        self.assertEqual(self.allowed(), ALL)
        self.view(ALL, PLAYER)
        self.assertEqual(self.allowed(), LANDSCAPE)
        error, _ = self.refused_view(mask("portrait"), PLAYER)
        self.assertEqual(error, INVALID_INTERFACE_ORIENTATION)

    def test_mask_of_a_connection_takes_the_place_of_the_section_for_it_alone(self):
        self.start(f"[Application {PLAYER}]", "SupportedOrientations=landscape")
        self.client.ask("SetApplicationMask", "su", PLAYER, mask("portrait"))
        self.view(ALL, PLAYER)
        self.assertEqual(self.allowed(), mask("portrait"))
        self.rig.connect().ask("Request", "sua{sv}", PLAYER, ALL, {})
        self.assertEqual(self.allowed(), LANDSCAPE)

    def test_section_of_the_agent_comes_before_the_desktop_file(self):
        self.start_all(desktop="portrait")
        self.focus(OTHER, "fullscreen")
        self.wait_for_requests((OTHER, mask("portrait")))
        self.focus(PLAYER, "fullscreen")
        wait_until(lambda: (PLAYER, LANDSCAPE) in self.requests(), "the section counts")

    def test_section_of_orientd_limits_the_agent(self):
        self.start_all(section="landscape-left")
        self.focus(PLAYER, "fullscreen")
        self.wait_for_requests((PLAYER, LANDSCAPE))
        self.assertEqual(self.allowed(), mask("landscape-left"))

    def test_sections_with_nothing_in_common(self):
        agent = self.start_all(section="portrait")
        self.focus(PLAYER, "fullscreen")
        agent.wait_for_warning(f"orientd refuses the orientations of {PLAYER}")
        self.assertEqual((self.requests(), self.allowed()), ([], ALL))

    def test_later_one_of_a_request_of_its_own_and_that_of_the_agent_decides(self):
        self.start_all()
        self.view(mask("portrait"), PLAYER)
        self.assertEqual(self.allowed(), mask("portrait"))
        self.focus(PLAYER, "fullscreen")
        wait_until(lambda: self.allowed() == LANDSCAPE, "the agent's request decides")
        self.view(mask("portrait"), PLAYER)
        self.assertEqual(self.allowed(), mask("portrait"))
