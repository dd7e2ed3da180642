// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationConfiguration

@Suite struct BuiltInDisplayTests {
    static let modes: [(String, Int, Int)] = [
        ("1920x1080", 1920, 1080), ("800x1280\n600x800\n", 800, 1280), ("1080x1920i\n", 1080, 1920),
        ("\n\n1x2", 1, 2), ("720x720", 720, 720),
    ]

    @Test(arguments: modes)
    func `the first line is the preferred mode`(modes: String, width: Int, height: Int) {
        let mode = BuiltInDisplay.firstMode(of: modes)
        #expect(mode?.width == width && mode?.height == height)
    }

    @Test(arguments: ["", "\n", "x", "1920", "1920x", "x1080", "axb", "1x2x3", "99999999999999999999x1", "-1x2"])
    func `what is no mode is none`(modes: String) {
        #expect(BuiltInDisplay.firstMode(of: modes) == nil)
    }
}
