// SPDX-License-Identifier: Apache-2.0

import CLinux
package import POSIX

/// Reads the configuration file and its drop-ins; later assignments win, and invalid ones are ignored with a warning.
package final class ConfigurationReader<Target: Configurable> {
    /// How many warnings are kept, and how many bytes of each.
    private static var most: (warnings: Int, bytes: Int) { (100, 400) }

    package private(set) var configuration = Target()

    /// What was invalid, one line each with file and line number; the last line counts those that are left out.
    package var warnings: [String] {
        omitted == 0 ? kept : kept + ["\(omitted) more warnings of this kind are left out"]
    }

    private var kept: [String] = [], omitted = 0

    /// The effective assignments, `Key=value`, without those of applications.
    package private(set) var assignments: [String] = []

    package init() {}

    /// The settings for the manual page of the file, in scdoc(5) format.
    package static var manual: String {
        var text = ""
        var section = ""
        for setting in Target.settings {
            if setting.section != section {
                section = setting.section
                // Not uppercased(), which needs 16 kB of tables: the names are ASCII.
                let title = section.utf8.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }
                text += "# [\(String(decoding: title, as: UTF8.self))] SECTION\n\n"
            }
            let standard = setting.type.standard.map { "Default: \($0)." } ?? "No default."
            text += "*\(setting.key)=*\n\t\(setting.help)\n\tTakes \(setting.type.values). \(standard)\n\n"
        }
        return text
    }

    /// Reads `path` and then `path.d/*.conf`, sorted by name.
    ///
    /// Throws if `path` `isRequired` and cannot be read. Otherwise an unreadable file is a warning, and `path` may be
    /// missing.
    package func read(_ path: String, isRequired: Bool) throws(SystemError) {
        for file in [path] + dropIns(of: path) {
            do throws(SystemError) {
                try readFile(file)
            } catch {
                if isRequired, file == path { throw error }
                if error.errno != .notFound || file != path { warn("\(error)") }
            }
        }
    }

    private func dropIns(of path: String) -> [String] {
        var matches = glob_t()
        defer { globfree(&matches) }
        guard glob(path + ".d/*.conf", 0, nil, &matches) == 0 else { return [] }
        return (0..<Int(matches.gl_pathc)).compactMap { matches.gl_pathv[$0].map { String(cString: $0) } }
    }

    private func readFile(_ path: String) throws(SystemError) {
        for line in IniParser.lines(of: try FileDescriptor.contents(of: path)) {
            if let problem = problem(of: line) { warn("\(path):\(line.number): \(problem)") }
        }
    }

    private func warn(_ problem: String) {
        guard kept.count < Self.most.warnings else { return omitted += 1 }
        kept.append(shortened(problem, to: Self.most.bytes))
    }

    /// Stores what a line assigns; returns what is wrong with it.
    private func problem(of line: IniLine) -> String? {
        switch line.content {
        case .problem(let problem): return problem
        case .assignment(let section, let key, let value):
            let application = Application.id(in: section)
            let kind = application == nil ? section : Application.section
            guard let setting = Target.settings.first(where: { $0.section == kind && $0.key == key }) else {
                return unknown(key, in: section, of: kind)
            }
            guard application != "" else { return "[\(section)] \(key)=\(value): the section names no application" }
            guard setting.type.store(&configuration, value, application ?? "") else {
                let hint = value.utf8.contains(UInt8(ascii: "#")) ? "; a comment after a value begins with ';'" : ""
                return "[\(section)] \(key)=\(value): takes \(setting.type.values); the line is ignored" + hint
            }
            if application == nil {
                assignments.removeAll { $0.begins(with: "\(key)=") }
                assignments.append("\(key)=\(value)")
            }
            return nil
        }
    }

    /// What is wrong with a setting of that name in a section; the empty section is that before the first header.
    ///
    /// `kind` is the section's name without an application.
    private func unknown(_ key: String, in section: String, of kind: String) -> String {
        let place = section.isEmpty ? "" : "[\(section)] "
        let sections = Target.settings.filter { $0.key == key }.map { "[\($0.section)]" }
        if sections.isEmpty {
            let similar = suggestion(for: key, among: Target.settings.map { $0.key })
            let hint = similar.map { "; did you mean '\($0)'?" } ?? ""
            return "\(place)\(key) is not a setting of \(Target.program)" + hint
        }
        let list = sections.joined(separator: " or ")
        guard section.isEmpty || Target.settings.contains(where: { $0.section == kind }) else {
            return "[\(section)] is not a section; \(key) belongs below \(list)"
        }
        return "\(place)\(key): this setting belongs below \(list)"
    }
}
