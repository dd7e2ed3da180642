// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OrientationSession

@Suite struct NiriConfigurationTests {
    @Test(
        arguments: [
            ("", false), ("output \"eDP-1\" {\n    scale 2.0\n    auto-rotate\n}\n", true),
            ("output \"eDP-1\" { scale 2; auto_rotate; }", true), ("output \"eDP-1\" {auto-rotate true}\r\n", true),
            ("output \"eDP-1\" { auto-rotate false }", false), ("// output \"eDP-1\" { auto-rotate; }", false),
            ("output \"eDP-1\" {\n    // auto-rotate }\n    /-auto-rotate\n    // }\n}\n", false),
            ("spawn \"sh\" \"}{\"; spawn \"//\" {\n}\noutput \"eDP-1\" { auto-rotate }", true),
            ("}}\noutput \"BOE 0x0BCA Unknown\" { auto-rotate }", true), ("output \"auto-rotat", false),
            ("\"", false), ("include", false), ("/-output \"eDP-1\" {\n    auto-rotate\n}\n", false),
            ("/-output \"eDP-1\" { mode { x; }; auto-rotate; }\noutput \"a\" { auto-rotate; }", true),
            ("/-output \"eDP-1\" { auto-rotate; }", false), ("/*\nauto-rotate /* */\n*/", false),
            ("/-binds { A { spawn \"echo \\\" {\"; } }\noutput \"a\" { auto-rotate; }", true),
            ("output \"a\" { /- auto-rotate; }", false), ("output \"a\" { /- scale 2; auto-rotate; }", true),
            ("spawn \"/* \\\" /-\"\nauto-rotate", true), ("/*", false), ("/-", false), ("\"\\", false),
        ]
    )
    func `niri rotates outputs with the flag`(text: String, rotates: Bool) {
        let found = NiriConfiguration.read(Array(text.utf8))
        #expect(found.rotates == rotates)
        #expect(found.included.isEmpty)
    }

    @Test func `the files that a file includes are found`() {
        let text = "include \"a.kdl\"\n  include optional=true \"/etc/my niri.kdl\"\n// include \"b.kdl\"\ninclude \"c"
        #expect(NiriConfiguration.read(Array(text.utf8)).included == ["a.kdl", "/etc/my niri.kdl", "c"])
    }
}
