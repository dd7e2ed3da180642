// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationCore
import Testing

@testable import OrientationSession

@Suite struct HyprlandMonitorTests {
    private func outputs(_ text: String) throws -> [Output]? {
        HyprlandMonitor.all(try JSONValue(Array(text.utf8)))?.map { $0.output }
    }

    private let size = "\"width\":1200,\"height\":1920,\"scale\":1.5"

    @Test func `a monitor has its mode's size, its place and its transform`() throws {
        let monitor = "{\"name\":\"eDP-1\",\"disabled\":false,\"x\":-3,\"y\":5,\(size),\"transform\":3}"
        let output = Output(
            name: "eDP-1",
            position: Position(x: -3, y: 5),
            width: 1200,
            height: 1920,
            scale: 1.5,
            transform: Transform(.rotated270)
        )
        #expect(try outputs("[\(monitor)]") == [output])
    }

    @Test func `a disabled monitor needs no more than a name`() throws {
        #expect(try outputs("[{\"name\":\"eDP-1\",\"disabled\":true}]") == [Output(name: "eDP-1", isEnabled: false)])
    }

    @Test func `a change repeats what is known of the monitors`() throws {
        let panel =
            "{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\(size),\"transform\":0,\"refreshRate\":59.997,"
            + "\"mirrorOf\":\"none\",\"currentFormat\":\"XRGB2101010\",\"colorManagementPreset\":\"hdr\","
            + "\"sdrBrightness\":1.2,\"sdrSaturation\":0.98,\"sdrMinLuminance\":0.005,\"sdrMaxLuminance\":200}"
        let monitor =
            "{\"name\":\"DP-1\",\"x\":800,\"y\":0,\(size),\"transform\":1,\"currentFormat\":\"XRGB8888\","
            + "\"mirrorOf\":\"none\",\"colorManagementPreset\":\"srgb\",\"sdrBrightness\":1,\"sdrSaturation\":1,"
            + "\"sdrMinLuminance\":0.2,\"sdrMaxLuminance\":80}"
        let known = try #require(HyprlandMonitor.all(JSONValue(Array("[\(panel),\(monitor)]".utf8))))
        let moves = ["DP-1": Position(x: -5, y: 0)]
        let change = OutputChange(transforms: ["eDP-1": Transform(.rotated90)], positions: moves)
        #expect(
            HyprlandMonitor.script(for: change, known)
                == "hl.monitor({ output = \"DP-1\", mode = \"1200x1920\", scale = 1.5, position = \"-5x0\", "
                + "transform = 1 }) hl.monitor({ output = \"eDP-1\", mode = \"1200x1920@59.997\", scale = 1.5, "
                + "bitdepth = 10, cm = \"hdr\", sdrbrightness = 1.2, sdrsaturation = 0.98, sdr_min_luminance = 0.005, "
                + "sdr_max_luminance = 200, position = \"0x0\", transform = 1 })"
        )
        #expect(
            HyprlandMonitor.keywords(for: change, known) == [
                "/keyword monitor DP-1,1200x1920,-5x0,1.5,transform,1",
                "/keyword monitor eDP-1,1200x1920@59.997,0x0,1.5,transform,1,bitdepth,10,cm,hdr,sdrbrightness,1.2,"
                    + "sdrsaturation,0.98",
            ]
        )
    }

    @Test(arguments: [
        "[]", "[{\"name\":\"eDP-1\",\"disabled\":true}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":9,\"height\":9,\"scale\":1,\"transform\":0,\"mirrorOf\":\"1\"}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":9,\"height\":9,\"scale\":1,\"transform\":0}]",
    ])
    func `a monitor that a rule would change otherwise gets none`(_ text: String) throws {
        let known = try #require(HyprlandMonitor.all(JSONValue(Array(text.utf8))))
        #expect(HyprlandMonitor.keywords(for: OutputChange(transforms: ["eDP-1": .normal]), known) == [])
    }

    // Hyprland 0.55 reported 1.33 for 4/3, and refused that scale.
    @Test(arguments: [(1920, 1080), (2560, 1600), (2880, 1920)])
    func `a scale that is reported with two decimals is one that Hyprland accepts`(width: Int, height: Int) throws {
        for part in 120...360 {
            let isAccepted = width * 120 % part == 0 && height * 120 % part == 0
            let rounded = (Double(part) * 100 / 120).rounded() / 100
            for reported in isAccepted ? [rounded, Double(part) / 120] : [Double(part) / 120] {
                let size = "\"width\":\(width),\"height\":\(height),\"scale\":\(reported)"
                let monitor = "{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\(size),\"transform\":0}"
                let known = try #require(HyprlandMonitor.all(JSONValue(Array("[\(monitor)]".utf8))))
                let script = HyprlandMonitor.script(for: OutputChange(transforms: ["eDP-1": .normal]), known)
                #expect(script?.contains("scale = \(Double(part) / 120),") == true, "\(reported) of \(part)/120")
            }
        }
    }

    @Test func `no name ends its string`() {
        for name in ["a\"b", "a\\b", "a\nb"] {
            #expect(HyprlandMonitor.script(for: OutputChange(transforms: [name: .normal]), []) == nil)
            let change = OutputChange(transforms: ["eDP-1": .normal], positions: [name: Position(x: 0, y: 0)])
            #expect(HyprlandMonitor.script(for: change, []) == nil)
        }
    }

    @Test(arguments: [
        "{}", "[1]", "[{\"disabled\":true}]", "[{\"name\":\"eDP-1\"}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":0,\"transform\":0}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":1e-300,\"transform\":0}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":1,\"transform\":8}]",
        // The logical size would be no number of pixels.
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":1e-300,\"transform\":0}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":1e300,\"transform\":0}]",
    ])
    func `invalid lists are refused`(_ text: String) throws {
        #expect(try outputs(text) == nil)
    }
}
