// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import POSIX
import Testing

@Suite final class FolderTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/orientd-folder-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in (try? FileDescriptor.names(in: folder)) ?? [] { remove("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func permissions(of path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    // MARK: - Names

    @Test func `a folder's names are all listed, without itself and its parent`() throws {
        #expect(try FileDescriptor.names(in: folder) == [])
        for name in ["b", ".a", "c d"] { _ = try OutputFile.create("\(folder)/\(name)").isTerminal }
        #expect(try FileDescriptor.names(in: folder).sorted() == [".a", "b", "c d"])
    }

    @Test(arguments: [("/nonexistent", ENOENT), ("/dev/null", ENOTDIR)])
    func `what is not a folder cannot be listed`(path: String, code: Int32) {
        #expect(throws: SystemError("read", path, errno: Errno(code))) { try FileDescriptor.names(in: path) }
    }

    // MARK: - Replacing

    @Test func `a file is replaced whole, with the permissions given whatever the umask is`() throws {
        let path = folder + "/file"
        for (text, mode) in [("first", UInt32(0o666)), ("the second", 0o600)] {
            try OutputFile.replace(path, with: text.utf8, permissions: mode, owner: (geteuid(), getegid()))
            #expect(try FileDescriptor.contents(of: path) == Array(text.utf8))
            #expect(permissions(of: path) == mode)
        }
        #expect(try FileDescriptor.names(in: folder) == ["file"])
    }

    @Test func `a replacement that fails leaves the old contents and nothing else`() throws {
        let path = folder + "/file"
        mkdir(path, 0o700)
        #expect(throws: SystemError("replace", path, errno: Errno(EISDIR))) {
            try OutputFile.replace(path, with: [1], permissions: 0o600)
        }
        #expect(try FileDescriptor.names(in: folder) == ["file"])
    }

    // The new file had the fixed name file.new: a planted one was deleted, and two programs wrote the same one.
    @Test func `a file or link beside the file is neither followed nor removed`() throws {
        let path = folder + "/file"
        symlink("\(folder)/other", path + ".new")
        try OutputFile.replace(path, with: [1], permissions: 0o600)
        #expect(try FileDescriptor.names(in: folder).sorted() == ["file", "file.new"])
    }
}
