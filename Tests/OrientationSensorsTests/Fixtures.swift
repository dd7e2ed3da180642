// SPDX-License-Identifier: Apache-2.0

import POSIX

/// The files in `Tests/Fixtures`.
enum Fixtures {
    static func path(of name: String) -> String {
        let folders = #filePath.split(separator: "/").dropLast(2)
        return "/" + folders.joined(separator: "/") + "/Fixtures/" + name
    }

    /// The fields of each line, which tabs separate; none where the file cannot be read.
    static func rows(of name: String) -> [[String]] {
        guard let bytes = try? FileDescriptor.contents(of: path(of: name)) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: "\t").map(String.init)
        }
    }
}
