// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX

/// The file that the saved state outlives the process in.
package struct StateFile {
    /// What reading it gives.
    package enum ReadResult: Hashable {
        /// Nothing was ever saved.
        case missing
        case state(SavedState)
        /// There is a file, but no state to be had from it; `warning` says why, and what became of the file.
        case unusable(warning: String)
    }

    /// Far more than a state takes, in bytes.
    private static let longest = 4096

    let path: String

    init(path: String) {
        self.path = path
    }

    /// The file in the folder that the service manager made for it; nil where it made none.
    package static var standard: StateFile? {
        guard let folders = getenv("STATE_DIRECTORY") else { return nil }
        return StateFile(folders: String(cString: folders))
    }

    /// Takes the first of several folders, with colons between them, as systemd.exec(5) describes.
    init?(folders: String) {
        guard let first = folders.utf8.split(separator: UInt8(ascii: ":")).first else { return nil }
        path = String(decoding: first, as: UTF8.self) + "/state"
    }

    // MARK: - Reading

    /// Reads the state; a file that holds none is renamed to `state.bad`, so that it can be looked at.
    package func read() -> ReadResult {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: path, limit: Self.longest + 1)
        } catch {
            return error.errno == .notFound ? .missing : .unusable(warning: "\(error); starting without saved state")
        }
        guard bytes.count <= Self.longest else { return setAside("\(path): longer than \(Self.longest) bytes") }
        do throws(SavedState.TextError) {
            return .state(try SavedState(text: bytes))
        } catch {
            let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[error.line - 1]
            return setAside("\(path):\(error.line): \(Self.quoted(line)): \(error.problem)")
        }
    }

    private func setAside(_ problem: String) -> ReadResult {
        let bad = path + ".bad"
        let outcome: String
        do throws(SystemError) {
            try checkSystem("rename it to", bad, rename(path, bad))
            outcome = "it is now \(bad)"
        } catch {
            outcome = "\(error)"
        }
        return .unusable(warning: "\(problem); \(outcome); starting without saved state")
    }

    /// The first bytes of a line, for the log.
    private static func quoted(_ line: ArraySlice<UInt8>) -> String {
        "'\(printable(String(decoding: line.prefix(80), as: UTF8.self)))'\(line.count > 80 ? "..." : "")"
    }

    // MARK: - Writing

    /// Saves `state` as ``OutputFile/replace(_:with:permissions:owner:)`` does.
    package func write(_ state: SavedState) throws(SystemError) {
        try OutputFile.replace(path, with: state.text.utf8, permissions: 0o600)
    }
}
