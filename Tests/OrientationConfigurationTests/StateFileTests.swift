// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import OrientationCore
import POSIX
import SplitMix
import Testing

@testable import OrientationConfiguration

@Suite struct StateFileTests {
    private static let states = [
        SavedState(lock: .off, held: .portrait, autorotate: nil, shown: .portraitUpsideDown),
        SavedState(lock: .current, held: .landscapeRight, autorotate: .never, shown: .landscapeLeft),
        SavedState(lock: .orientation(.portrait), held: .portrait, autorotate: .always, shown: .landscapeRight),
    ]
    private static let consequence = "starting without saved state"

    private let folder: TemporaryFolder
    private let file: StateFile

    init() throws {
        folder = try TemporaryFolder()
        file = StateFile(path: folder.path + "/state")
    }

    /// What is read where no warning is expected.
    private func read() -> SavedState? { file.read { Issue.record("\($0)") } }

    /// The warning for a file without a valid state.
    private func warning() throws -> String {
        var warnings: [String] = []
        #expect(file.read { warnings.append($0) } == nil)
        #expect(warnings.count == 1)
        return try #require(warnings.first)
    }

    private func permissions(of name: String) -> mode_t? {
        var status = stat()
        return lstat(folder.path + "/" + name, &status) == 0 ? status.st_mode : nil
    }

    // MARK: - Where it is

    @Test(arguments: [
        ("/var/lib/orientd", "/var/lib/orientd"),
        ("/var/lib/orientd:/var/lib/other", "/var/lib/orientd"),
        (":/var/lib/orientd", "/var/lib/orientd"),
        ("", nil),
        (":", nil),
    ])
    func `the file is in the first folder of the list`(folders: String, folder: String?) {
        #expect(firstFolder(in: folders) == folder)
    }

    // MARK: - Writing and reading

    @Test func `nothing was saved at first`() {
        #expect(read() == nil)
    }

    @Test func `what was written last is read, as often as one likes`() throws {
        for state in Self.states {
            try file.write(state)
            #expect(read() == state)
            #expect(StateFile(path: file.path).read { Issue.record("\($0)") } == state)
            #expect(folder.contents(of: "state") == Array(state.text.utf8))
        }
        #expect(folder.names == ["state"])
        #expect(permissions(of: "state") == S_IFREG | 0o600)
    }

    @Test func `the temporary file of an interrupted write is ignored`() throws {
        try file.write(Self.states[0])
        try folder.write(Self.states[1].text.utf8.prefix(40), to: "state.a1B2c3")
        #expect(read() == Self.states[0])
        try file.write(Self.states[2])
        #expect(read() == Self.states[2])
        #expect(permissions(of: "state") == S_IFREG | 0o600)
    }

    @Test func `the file cannot be written if its folder is missing or its name is a folder's`() throws {
        #expect(throws: SystemError("replace", "/nonexistent/state", errno: .notFound)) {
            try StateFile(path: "/nonexistent/state").write(Self.states[0])
        }
        mkdir(file.path, 0o700)
        #expect(throws: SystemError("replace", file.path, errno: Errno(EISDIR))) { try file.write(Self.states[0]) }
        #expect(folder.names == ["state"])
    }

    // MARK: - Files that hold no state

    @Test func `a file that cannot be read stays and is a warning`() throws {
        mkdir(file.path, 0o700)
        #expect(try warning() == "cannot read \(file.path): Is a directory; \(Self.consequence)")
        #expect(folder.names == ["state"])
        var warnings: [String] = []
        #expect(StateFile(path: "/dev/null/state").read { warnings.append($0) } == nil)
        #expect(warnings == ["cannot read /dev/null/state: Not a directory; \(Self.consequence)"])
    }

    @Test func `a pipe in its place is set aside and not waited for`() throws {
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(try warning().contains("it is now \(file.path).bad"))
        #expect(folder.names == ["state.bad"])
    }

    @Test func `a file without a valid state is renamed, and the warning has the line`() throws {
        let text = Self.states[1].text.replacing("Autorotate=never", with: "Autorotate=sometimes")
        try folder.write(text.utf8, to: "state")
        try folder.write("an older one".utf8, to: "state.bad")
        let line = "\(file.path):4: 'Autorotate=sometimes': orientd does not write this"
        #expect(try warning() == "\(line); it is now \(file.path).bad; \(Self.consequence)")
        #expect(folder.names == ["state.bad"])
        #expect(folder.contents(of: "state.bad") == Array(text.utf8))
        #expect(read() == nil)
    }

    @Test func `a file that cannot be renamed stays, and the warning says why`() throws {
        try folder.write("rubbish\n".utf8, to: "state")
        mkdir(file.path + ".bad", 0o700)
        let line = "\(file.path):1: 'rubbish': orientd does not write this"
        let failure = "cannot rename it to \(file.path).bad: Is a directory"
        #expect(try warning() == "\(line); \(failure); \(Self.consequence)")
        #expect(folder.names == ["state", "state.bad"])
        try file.write(Self.states[0])
        #expect(read() == Self.states[0])
    }

    @Test func `a file that breaks off anywhere is set aside`() throws {
        for state in Self.states {
            let text = Array(state.text.utf8)
            for length in 0..<text.count {
                try folder.write(text.prefix(length), to: "state")
                #expect(try warning().hasPrefix("\(file.path):"), "\(length) bytes")
                #expect(folder.names == ["state.bad"], "\(length) bytes")
                #expect(folder.contents(of: "state.bad") == Array(text.prefix(length)))
            }
        }
    }

    @Test func `a file that is too long is set aside unread`() throws {
        let state = Array(Self.states[0].text.utf8)
        try folder.write([UInt8](repeating: 0x0A, count: 4096 - state.count) + state, to: "state")
        #expect(try warning().hasPrefix("\(file.path):1: '': "))
        try folder.write([UInt8](repeating: 0x0A, count: 4097 - state.count) + state, to: "state")
        let warning = try warning()
        let problem = "cannot read \(file.path): it has more than 4096 bytes"
        #expect(warning == "\(problem); it is now \(file.path).bad; \(Self.consequence)")
        #expect(folder.contents(of: "state.bad")?.count == 4097)
    }

    @Test func `random bytes are set aside, and the warning is short and fit for a terminal`() throws {
        for seed in UInt64(1)...100 {
            var random = SplitMix(state: seed)
            let bytes = (0..<random.next() % 5000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try folder.write(bytes, to: "state")
            let warning = try warning()
            #expect(warning == printable(warning), "seed \(seed)")
            #expect(warning.utf8.count < 400, "seed \(seed)")
            #expect(folder.names == ["state.bad"], "seed \(seed)")
        }
        try folder.write([UInt8](repeating: 0x78, count: 81), to: "state")
        let quoted = String(repeating: "x", count: 80)
        #expect(try warning().hasPrefix("\(file.path):1: '\(quoted)'...: orientd does not write this; "))
    }
}
