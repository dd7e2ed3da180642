// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX

/// The file of the saved state.
package struct StateFile {
    package enum ReadResult: Hashable {
        /// No state was saved yet.
        case missing
        case state(SavedState)
        /// The file has no valid state; `warning` says why, and whether the file was renamed.
        case unusable(warning: String)
    }

    /// In bytes; far more than a state needs.
    private static let longest = 4096

    let path: String

    init(path: String) {
        self.path = path
    }

    /// The file in the service manager's StateDirectory=; nil if there is none.
    package static var standard: StateFile? {
        environment("STATE_DIRECTORY").flatMap { StateFile(folders: $0) }
    }

    /// Takes the first folder of a list.
    init?(folders: String) {
        guard let folder = firstFolder(in: folders) else { return nil }
        path = folder + "/state"
    }

    // MARK: - Reading

    /// Reads the state; renames an invalid file to `state.bad` for inspection.
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
        let outcome = rename(path, bad) == 0 ? "it is now \(bad)" : "cannot rename it to \(bad): \(Errno.current)"
        return .unusable(warning: "\(problem); \(outcome); starting without saved state")
    }

    private static func quoted(_ line: ArraySlice<UInt8>) -> String {
        "'\(printable(String(decoding: line.prefix(80), as: UTF8.self)))'\(line.count > 80 ? "..." : "")"
    }

    // MARK: - Writing

    /// Saves `state` as ``OutputFile/replace(_:with:permissions:owner:)`` does.
    package func write(_ state: SavedState) throws(SystemError) {
        try OutputFile.replace(path, with: state.text.utf8, permissions: 0o600)
    }
}
