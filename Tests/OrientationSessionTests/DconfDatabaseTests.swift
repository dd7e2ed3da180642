// SPDX-License-Identifier: Apache-2.0

import POSIX
import SplitMix
import Testing

@testable import OrientationSession

/// The databases are those with which the fuzzer starts; dconf 0.40 has written them, but for the invalid ones.
@Suite struct DconfDatabaseTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        try FileDescriptor.contents(of: "\(FileDescriptor.folder(of: #filePath))../Fuzz/corpus/dconf/\(name)")
    }

    @Test(
        arguments: [
            ("locked", true, nil), ("unlocked", false, nil), ("other", nil, nil), ("many", false, true),
            ("big-endian", true, nil), ("administrators", true, nil), ("circle", nil, nil),
        ] as [(String, Bool?, Bool?)]
    )
    func `a database has the switches that were written`(name: String, gnome: Bool?, cinnamon: Bool?) throws {
        let database = try DconfDatabase(bytes(name))
        #expect(try database.value(of: DesktopLock.gnome.path) == gnome)
        #expect(try database.value(of: DesktopLock.cinnamon.path) == cinnamon)
        #expect(try database.value(of: "orientation-lock") == nil)
    }

    @Test(
        arguments: [
            ("cut-off", "is cut off"), ("version-1", "has version 1 of the format, not 0"),
            ("text", "has no Boolean for \(DesktopLock.gnome.path)"),
        ]
    )
    func `an invalid database says what is wrong`(name: String, problem: String) throws {
        let bytes = try bytes(name)
        let error = #expect(throws: MessageError.self) {
            _ = try DconfDatabase(bytes).value(of: DesktopLock.gnome.path)
        }
        #expect(error?.problem == problem)
    }

    @Test func `only the databases of the administrator lock keys`() throws {
        let database = try DconfDatabase(bytes("administrators"))
        #expect(try database.isLocked(DesktopLock.gnome.path))
        #expect(try !database.isLocked(DesktopLock.cinnamon.path))
        #expect(try !DconfDatabase(bytes("locked")).isLocked(DesktopLock.gnome.path))
    }

    @Test func `every cut-off file is refused, and every changed byte is read or refused`() throws {
        let whole = try bytes("many")
        let path = DesktopLock.gnome.path
        for count in whole.indices {
            // To read it as a switch that was never set would overwrite it.
            #expect(throws: MessageError.self, "\(count) bytes") {
                _ = try DconfDatabase(Array(whole[..<count])).value(of: path)
            }
        }
        var random = SplitMix(state: 1)
        for place in whole.indices {
            var bytes = whole
            bytes[place] = UInt8.random(in: 0...255, using: &random)
            guard let database = try? DconfDatabase(bytes) else { continue }
            _ = try? database.value(of: path)
            _ = try? database.isLocked(path)
        }
    }

    @Test(arguments: [(DesktopLock.gnome, 0x44), (.cinnamon, 0x47)] as [(DesktopLock, UInt8)])
    func `a change is the GVariant that dconf sends itself`(lock: DesktopLock, size: UInt8) {
        for value in [false, true] {
            let bytes = DconfDatabase.change(of: lock.path, to: value)
            var expected = Array(lock.path.utf8)
            expected += [UInt8](repeating: 0, count: 73 - Int(size))
            expected += [value ? 1 : 0, 0, 0x62, 0, size, 0x4d]
            #expect(bytes == expected)
        }
    }
}
