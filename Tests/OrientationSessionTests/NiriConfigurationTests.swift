// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSession

@Suite struct NiriConfigurationTests {
    @Test(
        arguments: [
            ("", []),
            ("output \"eDP-1\" {\n    scale 2.0\n    auto-rotate\n}\n", ["edp-1"]),
            ("output \"eDP-1\" { scale 2; auto_rotate; }", ["edp-1"]),
            ("output \"eDP-1\" { auto-rotate true }\noutput \"DSI-1\" { auto-rotate false }", ["edp-1"]),
            ("output \"eDP-1\" { auto-rotate }\noutput \"eDP-1\" { auto-rotate false }", []),
            ("// output \"eDP-1\" { auto-rotate; }", []),
            ("output \"eDP-1\" {\n    // auto-rotate }\n    /-auto-rotate\n    // }\n}\nauto-rotate", []),
            ("/-output \"eDP-1\" { auto-rotate; }\noutput \"DSI-1\" { auto-rotate; }", ["dsi-1"]),
            ("output \"eDP-1\" { layout { auto-rotate; }; }", []),
            ("auto-rotate\ninput { touch { auto-rotate; }; }", []),
            ("spawn \"sh\" \"}{\"; spawn \"//\" {\n}\noutput \"eDP-1\" { auto-rotate }", ["edp-1"]),
            ("output \"BOE 0x0BCA Unknown\" { auto-rotate }", ["boe 0x0bca unknown"]),
            ("}}\noutput \"eDP-1\" { auto-rotate }", ["edp-1"]), ("output \"eDP-1", []), ("output { auto-rotate }", []),
        ] as [(String, Set<String>)]
    )
    func `the outputs that niri rotates are those with the flag`(text: String, outputs: Set<String>) {
        var configuration = NiriConfiguration()
        configuration.read(Array(text.utf8)) { _, _ in Issue.record("nothing is included") }
        #expect(configuration.rotated == outputs)
    }

    @Test func `a file that is included counts where it is`() {
        var configuration = NiriConfiguration()
        let text = "output \"eDP-1\" { auto-rotate; }\ninclude \"a.kdl\"\ninclude optional=true \"b.kdl\""
        var names: [String] = []
        configuration.read(Array(text.utf8)) { name, configuration in
            names.append(name)
            configuration.read(Array("output \"eDP-1\" { auto-rotate false; }".utf8)) { _, _ in }
        }
        #expect(names == ["a.kdl", "b.kdl"])
        #expect(configuration.rotated.isEmpty)
    }
}
