// SPDX-License-Identifier: Apache-2.0

import OrientationSession
import Testing

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

    @Test(arguments: [
        "{}", "[1]", "[{\"disabled\":true}]", "[{\"name\":\"eDP-1\"}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":0,\"transform\":0}]",
        "[{\"name\":\"eDP-1\",\"x\":0,\"y\":0,\"width\":1200,\"height\":1920,\"scale\":1,\"transform\":8}]",
    ])
    func `invalid lists are refused`(_ text: String) throws {
        #expect(try outputs(text) == nil)
    }
}
