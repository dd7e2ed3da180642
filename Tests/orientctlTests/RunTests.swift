// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationBus
import OrientationCore
import Testing

@testable import orientctl

/// The command line of `run`.
@Suite struct RunTests {
    private func request(_ arguments: String...) throws -> RotationRequest {
        let parser = OptionParser(Run.command.options, stopsAtOperand: Run.command.hasCommandLine)
        let parsed = try parser.parseAlone(["run"] + arguments)
        var invocation = Invocation()
        invocation.add(parsed.options)
        invocation.operands = parsed.operands
        return try Run.request(for: invocation) { .portrait }
    }

    @Test func `the mask alone makes a request that autorotates, with the command's name`() throws {
        #expect(
            try request("--supported=landscape", "/usr/bin/mpv", "film.mkv")
                == RotationRequest(appID: "mpv", supported: .landscape)
        )
    }

    @Test func `every option sets its part of the request`() throws {
        let request = try request(
            "--supported=portrait,landscape-left",
            "--preferred=landscape-left",
            "--app=org.example.Player",
            "--no-autorotate",
            "mpv"
        )
        let expected = RotationRequest(
            appID: "org.example.Player",
            supported: [.portrait, .landscapeLeft],
            preferred: .landscapeLeft,
            shouldAutorotate: false
        )
        #expect(request == expected)
    }

    @Test(arguments: [["--"], []])
    func `options after the command are the command's`(separator: [String]) throws {
        let arguments = ["run", "--supported=all"] + separator + ["mpv", "--app=x", "--", "-b", "--no-autorotate"]
        let parser = OptionParser(Run.command.options, stopsAtOperand: Run.command.hasCommandLine)
        let parsed = try parser.parseAlone(arguments)
        #expect(parsed.options.map(\.name) == ["supported"])
        #expect(parsed.operands == ["mpv", "--app=x", "--", "-b", "--no-autorotate"])
    }

    static let naturals: [(DeviceOrientation, InterfaceOrientation, InterfaceOrientationMask)] = [
        (.portrait, .landscapeLeft, .landscape), (.landscapeLeft, .portrait, [.portrait, .portraitUpsideDown]),
    ]

    @Test(arguments: naturals)
    func `the edges of the display are orientations of the interface`(
        natural: DeviceOrientation,
        left: InterfaceOrientation,
        both: InterfaceOrientationMask
    ) throws {
        var invocation = Invocation()
        invocation.add([("supported", "left-up,right-up"), ("preferred", "left-up")])
        invocation.operands = ["mpv"]
        let request = try Run.request(for: invocation) { natural }
        #expect(request.supported == both)
        #expect(request.preferred == left)
    }

    @Test func `a preferred orientation outside the mask is wrong usage`() {
        var invocation = Invocation()
        invocation.add([("supported", "landscape"), ("preferred", "portrait")])
        invocation.operands = ["mpv"]
        let error = #expect(throws: CommandError.self) { try Run.request(for: invocation) { .portrait } }
        #expect(error?.message == "--preferred=portrait is not allowed by --supported=landscape")
        #expect(error?.exitCode == .usage)
    }

    static let mistakes = [
        ["mpv"], ["--supported=", "mpv"], ["--supported=none", "mpv"], ["--supported=portrait,up", "mpv"],
        ["--supported=all", "--preferred=", "mpv"], ["--supported=all", "--preferred=landscape", "mpv"],
        ["--supported=all", "--app=", "mpv"], ["--supported=all", ""],
        ["--supported=all", "--app=" + String(repeating: "x", count: 256), "mpv"],
    ]

    @Test(arguments: mistakes)
    func `values that the daemon would reject as malformed are wrong usage`(arguments: [String]) throws {
        let parser = OptionParser(Run.command.options, stopsAtOperand: true)
        let parsed = try parser.parseAlone(["run"] + arguments)
        var invocation = Invocation()
        invocation.add(parsed.options)
        invocation.operands = parsed.operands
        let error = #expect(throws: CommandError.self) {
            try Run.request(for: invocation) { .portrait }
        }
        #expect(error?.exitCode == .usage)
    }

    static let paths = [
        ("mpv", "mpv"), ("/usr/bin/mpv", "mpv"), ("./a b", "a b"), ("../x/", "x"), ("a//b//", "b"), ("/", "/"),
        ("", ""), ("ä/ö", "ö"),
    ]

    @Test(arguments: paths)
    func `an application's id is the last part of the command's path`(path: String, name: String) {
        #expect(Run.baseName(of: path) == name)
    }
}
