// SPDX-License-Identifier: Apache-2.0

import CInih
import CLinux
package import SystemdBus

/// Reads the configuration file and its drop-ins; later assignments win, and what is wrong leaves things as they were.
package final class ConfigurationReader {
    /// The file that is read unless another is named.
    package static let standardPath = "/etc/orientd/orientd.conf"

    package private(set) var configuration = Configuration()

    /// What was not understood, each one line with file and line number.
    package private(set) var warnings: [String] = []

    // Where the parser is.
    private var path = ""
    private var line = 0
    private var file: UnsafeMutablePointer<FILE>?

    package init() {}

    /// Every setting, as the manual page orientd.conf(5) describes it, in scdoc(5) format.
    package static var manual: String {
        var text = ""
        var section = ""
        for setting in Setting.all {
            if setting.section != section {
                section = setting.section
                text += "# [\(section.uppercased())] SECTION\n\n"
            }
            text += "*\(setting.key)=*\n\t\(setting.help)\n\tTakes \(setting.values). Default: \(setting.standard).\n\n"
        }
        return text
    }

    /// Reads `path` and then `path.d/*.conf`, sorted by name.
    ///
    /// Throws when `path` `isRequired` and cannot be read. Otherwise it need not exist, and any file that cannot be
    /// read is a warning.
    package func read(_ path: String, isRequired: Bool) throws(SystemError) {
        if isRequired {
            try readFile(path)
        } else {
            readWithWarning(path, mayBeMissing: true)
        }
        for dropIn in dropIns(of: path) { readWithWarning(dropIn, mayBeMissing: false) }
    }

    private func readWithWarning(_ path: String, mayBeMissing: Bool) {
        do throws(SystemError) {
            try readFile(path)
        } catch {
            if !mayBeMissing || error.errno != .notFound { warnings.append("\(error)") }
        }
    }

    private func dropIns(of path: String) -> [String] {
        var matches = glob_t()
        defer { globfree(&matches) }
        guard glob(path + ".d/*.conf", 0, nil, &matches) == 0 else { return [] }
        return (0..<Int(matches.gl_pathc)).compactMap { index in
            matches.gl_pathv[index].map { String(cString: $0) }
        }
    }

    private func readFile(_ path: String) throws(SystemError) {
        guard let file = fopen(path, "re") else { throw SystemError("read", path, errno: Errno.current) }
        defer { fclose(file) }
        self.path = path
        self.file = file
        line = 0
        // Debian's inih gives its handler no line numbers, so the lines are counted where they are handed to it.
        let firstError = ini_parse_stream(
            { buffer, size, reader in
                guard let buffer, let reader else { return nil }
                return Unmanaged<ConfigurationReader>.fromOpaque(reader).takeUnretainedValue().readLine(buffer, size)
            },
            Unmanaged.passUnretained(self).toOpaque(),
            { reader, section, key, value in
                guard let reader, let section, let key else { return 0 }
                return Unmanaged<ConfigurationReader>.fromOpaque(reader).takeUnretainedValue().assign(
                    String(cString: section),
                    String(cString: key),
                    value.map { String(cString: $0) } ?? ""
                )
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        if firstError < 0 { throw SystemError("read", path, errno: Errno(ENOMEM)) }
        if ferror(file) != 0 { throw SystemError("read", path, errno: Errno(EIO)) }
    }

    /// Hands the parser its next line; one that it would not understand is reported here and handed over empty.
    ///
    /// The parser tells of the first such line only, and it cuts long ones in two.
    private func readLine(_ buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> UnsafeMutablePointer<CChar>? {
        var text: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(text) }
        let length = getline(&text, &capacity, file)
        guard length > 0, let text else { return nil }
        line += 1
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        if let problem = problem(of: bytes, longest: Int(size) - 3) {
            warn(problem)
            strcpy(buffer, "\n")
        } else {
            memcpy(buffer, text, length)
            buffer[length] = 0
        }
        return buffer
    }

    /// What keeps a line from being a comment, a section or an assignment; nil for a sound one.
    private func problem(of line: UnsafeRawBufferPointer, longest: Int) -> String? {
        guard line.count <= longest else { return "the line is longer than \(longest) bytes" }
        guard !line.contains(0) else { return "the line holds a NUL byte" }
        // The parser passes over the byte order mark that some editors begin a file with.
        let mark = self.line == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let start = line[mark...].firstIndex(where: { $0 > UInt8(ascii: " ") }) else { return nil }
        switch line[start] {
        case UInt8(ascii: ";"), UInt8(ascii: "#"):
            return nil
        case UInt8(ascii: "["):
            return line.contains(UInt8(ascii: "]")) ? nil : "the section's name has no closing bracket"
        default:
            let isAssignment = line.contains(UInt8(ascii: "=")) || line.contains(UInt8(ascii: ":"))
            return isAssignment ? nil : "neither a [Section], a Key=value nor a comment"
        }
    }

    /// Stores one assignment; the result is inih's: 1 for success.
    private func assign(_ section: String, _ key: String, _ value: String) -> Int32 {
        guard let setting = Setting.all.first(where: { $0.section == section && $0.key == key }) else {
            warn("[\(section)] \(key) is not a setting of orientd")
            return 1
        }
        if !setting.store(&configuration, value) {
            warn("[\(section)] \(key)=\(value): takes \(setting.values); \(setting.key) stays as it was")
        }
        return 1
    }

    private func warn(_ message: String) {
        warnings.append("\(path):\(line): \(message)")
    }
}
