// SPDX-License-Identifier: Apache-2.0

import CLinux
package import OrientationCore
package import POSIX

/// The file of the saved state.
package struct StateFile {
    /// In bytes; far more than a state needs.
    private static let longest = 4096

    let path: String

    /// The file in the service manager's StateDirectory=; nil if there is none.
    package static var standard: StateFile? {
        environment("STATE_DIRECTORY").flatMap { firstFolder(in: $0) }.map { StateFile(path: $0 + "/state") }
    }

    /// Reads the state; nil if none was saved yet, or if the file has none.
    ///
    /// Then `warn` is called with the reason, and an invalid file is renamed to `state.bad` for inspection.
    package func read(warn: (String) -> Void) -> SavedState? {
        let problem: String
        do throws(SystemError) {
            let bytes = try FileDescriptor.contents(of: path, limit: Self.longest)
            do throws(SavedState.TextError) {
                return try SavedState(text: bytes)
            } catch {
                let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[error.line - 1]
                problem = "\(path):\(error.line): \(Self.quoted(line)): \(error.problem)"
            }
        } catch {
            guard error.errno == .tooBig || error.errno == .invalid else {
                if error.errno != .notFound { warn("\(error); starting without saved state") }
                return nil
            }
            problem = "\(error)"
        }
        let bad = path + ".bad"
        let outcome = rename(path, bad) == 0 ? "it is now \(bad)" : "cannot rename it to \(bad): \(Errno.current)"
        warn("\(problem); \(outcome); starting without saved state")
        return nil
    }

    private static func quoted(_ line: ArraySlice<UInt8>) -> String {
        "'\(printable(String(decoding: line.prefix(80), as: UTF8.self)))'\(line.count > 80 ? "..." : "")"
    }

    /// Saves `state` as ``OutputFile/replace(_:with:permissions:owner:)`` does.
    package func write(_ state: SavedState) throws(SystemError) {
        try OutputFile.replace(path, with: state.text.utf8, permissions: 0o600)
    }
}
