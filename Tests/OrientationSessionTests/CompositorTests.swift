// SPDX-License-Identifier: Apache-2.0

import OrientationCore
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
        ] as [([String: String], Compositor?)]
    )
    func `where nothing answers, the environment names the compositor`(
        environment: [String: String],
        compositor: Compositor?
    ) {
        #expect(Compositor.named { environment[$0] } == compositor)
    }

    @Test func `each compositor that orient-agent does not serve has a setting for touch and pen`() throws {
        for compositor in Compositor.allCases where compositor != .sway && compositor != .hyprland {
            for kind in [InputDevice.Kind.touchScreen, .tablet] {
                let device = InputDevice(name: "ELAN Touch", kind: kind, place: .builtIn)
                let setting = try #require(compositor.inputSetting(for: device, on: "DSI-1"))
                let line = try #require(setting.split(separator: " the line ").last)
                #expect(setting.hasPrefix("~/.config/") && line.contains("DSI-1") && line != setting)
            }
        }
    }

    // MARK: - What devices belong to

    static func output(_ name: String, _ transform: Transform = .normal, isEnabled: Bool = true) -> Output {
        Output(name: name, isEnabled: isEnabled, width: 1200, height: 1920, transform: transform)
    }

    @Test func `devices belong to the only built-in panel, or else to the output that is named`() {
        let (panel, monitor) = (Self.output("eDP-1"), Self.output("HDMI-A-1"))
        #expect(InputTarget([panel], among: [panel, monitor]).output == "eDP-1")
        #expect(InputTarget([monitor], among: [monitor]).output == "HDMI-A-1")
        #expect(InputTarget([monitor], among: [monitor, Self.output("HDMI-A-2", isEnabled: false)]).isAlone)
        #expect(!InputTarget([monitor], among: [monitor, Self.output("HDMI-A-2")]).isAlone)
        #expect(!InputTarget([panel], among: [panel]).isAlone)
        #expect(InputTarget([monitor], among: [panel, monitor]) == InputTarget([], among: [panel]))
    }

    @Test func `with two panels, a device has the transform that both have`() throws {
        let turned = try #require(Transform("90"))
        let upper = Self.output("eDP-1", turned)
        for (lower, transform) in [(Self.output("eDP-2", turned), turned), (Self.output("eDP-2"), nil)] {
            let target = InputTarget([upper, lower], among: [upper, lower])
            #expect(target.output == nil && target.transform == transform)
        }
        let off = Self.output("eDP-2", isEnabled: false)
        let target = InputTarget([upper], among: [upper, off])
        #expect(target.output == nil, "a device may be that of the panel that is off")
        #expect(target.transform == turned, "nobody touches the panel that is off")
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
            HyprlandCommand.script("device", ("name", "elan"), [("transform", "1"), ("output", "eDP-1")])
                == "hl.device({ name = \"elan\", transform = 1, output = \"eDP-1\" })"
        )
    }
}
