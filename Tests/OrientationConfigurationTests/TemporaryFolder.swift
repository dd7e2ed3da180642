// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX

/// A folder of a test's own, gone with this and all that is in it.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/orientd-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("create", "a folder", errno: .current) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// Removes a file, or a folder and all that is in it.
    private static func remove(_ path: String) {
        guard Glibc.remove(path) != 0 else { return }
        for name in names(in: path) { remove(path + "/" + name) }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// What is in the folder, sorted.
    var names: [String] { Self.names(in: path) }

    func write(_ bytes: some Collection<UInt8>, to name: String) throws {
        let file = path + "/" + name
        let descriptor = FileDescriptor(owning: try checkSystem("create", file, orientd_create(file, 0o600)))
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { CLinux.write(descriptor.rawValue, $0.baseAddress, $0.count) }
            rest = rest.dropFirst(try checkSystem("write", file, count))
        }
    }

    /// What a file holds; nil where there is none that can be read.
    func contents(of name: String) -> [UInt8]? {
        try? FileDescriptor.contents(of: path + "/" + name)
    }
}
