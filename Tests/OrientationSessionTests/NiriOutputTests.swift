// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import OrientationSession

@Suite struct NiriOutputTests {
    private func output(_ members: String) throws -> Output? {
        Output(niri: "eDP-1", try JSONValue(Array("{\(members)}".utf8)))
    }

    private func logical(_ transform: String, scale: String = "1.5") -> String {
        let size =
            transform.contains("90") || transform.contains("270")
            ? "\"width\":1280,\"height\":800" : "\"width\":800,\"height\":1280"
        return "\"logical\":{\"x\":-3,\"y\":5,\(size),\"scale\":\(scale),\"transform\":\"\(transform)\"}"
    }

    @Test func `an output has its mode's size and its logical place`() throws {
        let mode = "\"modes\":[{\"width\":1200,\"height\":1921}],\"current_mode\":0,"
        for transform in ["Normal", "90", "180", "270", "Flipped", "Flipped90", "Flipped180", "Flipped270"] {
            let output = try #require(try output(mode + logical(transform)))
            #expect(output.transform.niriName == transform)
            #expect(output.position == Position(x: -3, y: 5))
            #expect([output.width, output.height] == [1200, 1921])
            #expect(output.scale == 1.5)
            #expect(output.logical == Extent(width: 800, height: 1280))
            #expect(output.isEnabled)
        }
    }

    @Test func `without a mode the logical size tells the size`() throws {
        for transform in ["Normal", "90", "Flipped90"] {
            let output = try #require(try output("\"current_mode\":null," + logical(transform)))
            #expect([output.width, output.height] == [1200, 1920])
        }
    }

    @Test func `an output without a place is disabled`() throws {
        #expect(try output("\"logical\":null")?.isEnabled == false)
    }

    @Test func `invalid descriptions are refused`() throws {
        #expect(try output("") == nil)
        #expect(try output("\"logical\":{}") == nil)
        #expect(try output(logical("45")) == nil)
        for scale in ["0", "-1", "1e-300", "1e300", "\"1\""] {
            #expect(try output(logical("Normal", scale: scale)) == nil)
        }
        #expect(try output("\"modes\":[],\"current_mode\":0," + logical("Normal")) == nil)
        #expect(try output("\"modes\":[{}],\"current_mode\":-1," + logical("Normal")) == nil)
    }
}
