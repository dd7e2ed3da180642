# SPDX-License-Identifier: Apache-2.0
"""Tests orient-agent on sway."""

import os
import signal

import session
from compositor import GROUP, NEIGHBOUR, PANEL, USER, Sway
from rig import wait_until

HOOK = '#!/bin/sh\necho "$1 $SWAYSOCK" >>"$HOME/hooks"\n'


class SwayTests(session.SessionTests):
    COMPOSITOR = Sway

    def test_output_that_is_plugged_in_gets_the_present_orientation(self):
        self.start_session(held="landscape-left", output="HEADLESS-3")
        self.compositor.run("swaymsg", "create_output")
        heads = self.wait_for_transform("270", "HEADLESS-3")
        self.assertEqual((heads[PANEL].transform, heads[NEIGHBOUR].transform), ("normal", "normal"))

    def test_hooks_know_the_socket_of_the_sway_that_runs(self):
        self.start(claim=False)
        home = self.compositor.folder / "home"
        folder = home / ".config" / "orientd" / "hooks.d"
        folder.mkdir(parents=True)
        hook = folder / "hook"
        hook.write_text(HOOK)
        hook.chmod(0o755)
        for path in (hook, *list(hook.parents)[:3]):
            os.chown(path, USER, GROUP)
        self.compositor.start()
        agent = self.start_agent(environment={"SWAYSOCK": "/of/a/session/that/has/ended"})
        for held in ("landscape-left", "portrait"):
            self.show(held)
            expected = f"rotate-after {self.compositor.own_socket}"
            wait_until(lambda: (home / "hooks").read_text().splitlines()[-1] == expected, "the hooks have run")
            self.assertFalse(agent.log_lines("no socket"), agent.log())
            if held == "landscape-left":
                os.kill(self.compositor.process.pid, signal.SIGKILL)
                self.compositor.stop()
                self.compositor.start()
                self.wait_until_shown(held)

    def focus_panel(self):
        self.compositor.run("swaymsg", "focus", "output", PANEL)

    # sway takes the focus from the film then, and the picture turned twice.
    def test_menu_over_a_film_does_not_turn_the_picture(self):
        agent, display, has_focus = self.start_film()
        menu = self.compositor.spawn("fuzzel", "--dmenu", "--no-exit-on-keyboard-focus-loss")
        wait_until(lambda: not has_focus(), "the menu has the focus")
        self.settle(agent)
        self.assertNotEqual(self.client.get("AskedRequest"), "/")
        menu.kill()
        menu.wait()
        wait_until(has_focus, "the film has the focus again")
        self.settle(agent)
        self.assertEqual(display.transforms(PANEL), [session.NUMBERS[self.client.get("OutputTransform")]])

    def test_film_has_no_say_while_another_workspace_is_shown(self):
        agent, _, has_focus = self.start_film()
        self.compositor.run("swaymsg", "focus", "output", NEIGHBOUR)
        wait_until(lambda: not has_focus(), "the neighbour has the focus")
        self.settle(agent)
        self.assertNotEqual(self.client.get("AskedRequest"), "/")
        self.compositor.run("swaymsg", "focus output " + PANEL + "; workspace 9")
        self.wait_until_shown("portrait")
        self.assertEqual(self.client.get("AskedRequest"), "/")

    # sway reports what it has changed once the panel is on again, for which the agent waited in vain.
    def test_end_while_the_panel_is_blanked(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.run("wlopm", "--off", PANEL)
        self.assertEqual(agent.stop(), 0)
        self.compositor.run("wlopm", "--on", PANEL)
        wait_until(lambda: self.compositor.heads()[PANEL].transform == "normal", "the panel is restored")

    def test_configuration_that_is_read_again_keeps_the_picture(self):
        # sway then sets what its configuration says, which knows nothing of the rotation. With MapInput=no, the agent did
        # not hear of that, and took it for somebody else's choice.
        for setting in ("auto", "no"):
            with self.case(setting=setting):
                self.start_session(held="landscape-left", configuration=f"{session.SETTINGS}MapInput={setting}\n")
                self.wait_for_transform("270")
                self.compositor.run("swaymsg", "reload")
                # sway answers this after it has read the configuration.
                self.compositor.run("swaymsg", "-t", "get_version")
                self.wait_for_transform("270")
