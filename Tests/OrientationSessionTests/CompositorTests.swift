// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSession

@Suite struct CompositorTests {
    @Test(
        arguments: [
            ([:], nil),
            (["XDG_CURRENT_DESKTOP": "labwc:wlroots"], .labwc),
            (["XDG_CURRENT_DESKTOP": "Hyprland", "SWAYSOCK": "/run/sway"], .hyprland),
            (["XDG_CURRENT_DESKTOP": "COSMIC"], nil),
            (["SWAYSOCK": "/run/sway"], .sway),
            (["NIRI_SOCKET": "/run/niri", "SWAYSOCK": "/run/sway"], .niri),
        ] as [([String: String], Compositor?)]
    )
    func `the environment tells the compositor`(environment: [String: String], compositor: Compositor?) {
        #expect(Compositor.detected { environment[$0] } == compositor)
    }

    @Test func `each compositor that orient-agent does not serve has a setting for touch and pen`() throws {
        for compositor in Compositor.allCases where compositor != .sway && compositor != .hyprland {
            for kind in [InputDevice.Kind.touchScreen, .tablet] {
                let device = InputDevice(name: "ELAN Touch", kind: kind, isBuiltIn: true)
                let setting = try #require(InputSetting(for: device, on: "DSI-1", in: compositor))
                #expect(setting.line.contains("DSI-1"))
                #expect(setting.isPresent(in: Array("first\n  \(setting.line)\n".utf8)))
            }
        }
    }

    @Test(
        arguments: [
            (.niri, "output \"DSI-1\" { scale 2; }"),
            (.niri, "input { touch { map-to-output \"DSI-10\"; }; }"),
            (.niri, "// touch { map-to-output \"DSI-1\" }"),
            (.labwc, "<touch deviceName=\"ELAN\" mapToOutput=\"HDMI-A-1\"/>"),
            (.wayfire, "[output:DSI-1]"),
            (.river, "# riverctl input '*' map-to-output DSI-1"),
        ] as [(Compositor, String)]
    )
    func `other lines with the output are no setting for its devices`(compositor: Compositor, line: String) throws {
        let device = InputDevice(name: "ELAN", kind: .touchScreen, isBuiltIn: true)
        let setting = try #require(InputSetting(for: device, on: "DSI-1", in: compositor))
        #expect(!setting.isPresent(in: Array(line.utf8)))
    }

    @Test(
        arguments: [
            ("elan9008:00-04f3:2c82", "ELAN9008:00 04F3:2C82", true),
            ("elan9008:00-04f3:2c82-1", "ELAN9008:00 04F3:2C82", true),
            ("elan9008:00-04f3:2c82-stylus", "ELAN9008:00 04F3:2C82", false),
            ("elan9008:00-04f3:2c82-", "ELAN9008:00 04F3:2C82", false),
            ("wacom-co.-ltd.", "Wacom Co.,Ltd.", true),
            ("wacom-co.,ltd.", "Wacom Co.,Ltd.", true),
            ("other", "ELAN", false),
        ]
    )
    func `Hyprland's names are matched with the kernel's`(name: String, kernelName: String, isSame: Bool) {
        #expect(HyprlandCommand.matches(name, kernelName) == isSame)
    }

    @Test func `names that end a string or a name are not put into requests`() {
        for name in ["a\"b", "a\\b", "a]b", "a[b", "a;b", "a\nb", "a\u{7F}"] { #expect(!HyprlandCommand.isPlain(name)) }
        #expect(HyprlandCommand.isPlain("wacom-hid-52ba (pen)"))
    }

    @Test func `requests to Hyprland have the syntax of its configuration`() {
        #expect(HyprlandCommand.keyword("elan", ("transform", "1")) == "/keyword device[elan]:transform 1")
        #expect(
            HyprlandCommand.script("elan", [("transform", "1"), ("output", "eDP-1")])
                == "hl.device({ name = \"elan\", transform = 1, output = \"eDP-1\" })"
        )
    }
}
