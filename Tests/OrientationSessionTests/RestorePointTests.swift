// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSession

@Suite struct RestorePointTests {
    private func point(_ output: String) -> (point: RestorePoint?, problems: [String]) {
        var problems: [String] = []
        let text = "[Restore]\nMovesNeighbours=yes\nApplied=90\nOutput=\(output)\nVersion=1\n"
        return (RestorePoint(text: Array(text.utf8)) { problems.append($0) }, problems)
    }

    @Test func `a text with an output is read`() throws {
        let (found, problems) = point("eDP-1 90 -3 5 1200 1920 1.5")
        #expect(problems.isEmpty)
        let output = Output(
            name: "eDP-1",
            position: Position(x: -3, y: 5),
            width: 1200,
            height: 1920,
            scale: 1.5,
            transform: Transform(.rotated90)
        )
        let expected = RestorePoint(outputs: [output], movesNeighbours: true, applied: [Transform(.rotated90)])
        #expect(found == expected)
    }

    // The sums of such places and sizes, and the quotient of a size and a scale, ended the agent with a trap.
    @Test(arguments: [
        "eDP-1 normal 9223372036854775807 0 1200 1920 1", "eDP-1 normal 0 0 9223372036854775807 1920 1",
        "eDP-1 normal 0 -2147483649 1200 1920 1", "eDP-1 normal 0 0 1200 1920 1e-300",
        "eDP-1 normal 0 0 1200 1920 1e300", "eDP-1 normal 0 0 1200 1920 0", "eDP-1 normal 0 0 1200 1920",
    ])
    func `an output that no display server has is refused`(_ output: String) {
        let (found, problems) = point(output)
        #expect(found == nil)
        #expect(problems == [":4: '\(output)' does not describe an output"])
    }
}
