// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationCore
import Testing

@testable import OrientationSession

@Suite struct RestorePointTests {
    @Test func `what is written is read`() throws {
        let output = Output(
            name: "a \"b\"\n",
            position: Position(x: -3, y: 5),
            width: 1200,
            height: 1920,
            scale: 1.5,
            transform: Transform(.rotated90)
        )
        let transforms: Set = [Transform(.rotated90), Transform(.normal)]
        let point = RestorePoint(outputs: [output], movesNeighbours: true, applied: transforms, panels: ["b"])
        #expect(RestorePoint(try JSONValue(Array(point.json.line.utf8))) == point)
    }

    // The sums of such places and sizes, and the quotient of a size and a scale, ended the agent with a trap.
    @Test(arguments: [
        ("x", "9223372036854775807"), ("width", "9223372036854775807"), ("width", "-1200"), ("y", "-2147483649"),
        ("scale", "1e-300"), ("scale", "1e300"), ("scale", "0"), ("scale", "null"), ("transform", "\"sideways\""),
        ("name", "1"),
    ])
    func `an output that no display server has is refused`(member: String, value: String) throws {
        var members = [
            "name": "\"eDP-1\"", "transform": "\"normal\"", "x": "0", "y": "0", "width": "1200", "height": "1920",
            "scale": "1",
        ]
        #expect(try Self.point(members)?.outputs.count == 1)
        members[member] = value
        #expect(try Self.point(members) == nil)
        members[member] = nil
        #expect(try Self.point(members) == nil)
    }

    private static func point(_ output: [String: String]) throws -> RestorePoint? {
        let members = output.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
        let text = "{\"version\": 1, \"movesNeighbours\": true, \"applied\": [\"90\"], \"outputs\": [{\(members)}]}"
        return RestorePoint(try JSONValue(Array(text.utf8)))
    }
}
