// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationCore
import Testing

@testable import OrientationSession

@Suite struct HyprlandMonitorTests {
    private func outputs(_ text: String) throws -> [Output]? {
        HyprlandMonitor.all(try JSONValue(Array(text.utf8)))
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

    @Test func `a change names only what changes, and no name ends its string`() {
        let moves = ["DP-1": Position(x: -5, y: 0), "DP-2": Position(x: 7, y: 8)]
        let change = OutputChange(transforms: ["eDP-1": Transform(.rotated90)], positions: moves)
        #expect(
            HyprlandMonitor.script(for: change) == "hl.monitor({ output = \"eDP-1\", transform = 1 }) "
                + "hl.monitor({ output = \"DP-1\", position = \"-5x0\" }) "
                + "hl.monitor({ output = \"DP-2\", position = \"7x8\" })"
        )
        for name in ["a\"b", "a\\b", "a\nb"] {
            #expect(HyprlandMonitor.script(for: OutputChange(transforms: [name: .normal])) == nil)
            let change = OutputChange(transforms: ["eDP-1": .normal], positions: [name: Position(x: 0, y: 0)])
            #expect(HyprlandMonitor.script(for: change) == nil)
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
