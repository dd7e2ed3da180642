// SPDX-License-Identifier: Apache-2.0

import CLinux
package import POSIX

/// Reads the configuration file and its drop-ins; later assignments win, and what is wrong leaves things as they were.
package final class ConfigurationReader {
    /// The file that is read unless another is named.
    package static let standardPath = "/etc/orientd/orientd.conf"

    package private(set) var configuration = Configuration()

    /// What was not understood, each one line with file and line number.
    package private(set) var warnings: [String] = []

    /// What was assigned and counts, `Key=value`, but for what is about applications.
    package private(set) var assignments: [String] = []

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
            let standard = setting.standard.map { "Default: \($0)." } ?? "No default."
            text += "*\(setting.key)=*\n\t\(setting.help)\n\tTakes \(setting.values). \(standard)\n\n"
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
        for line in IniParser.lines(of: try FileDescriptor.contents(of: path)) {
            if let problem = problem(of: line) { warnings.append("\(path):\(line.number): \(problem)") }
        }
    }

    /// Stores what a line assigns; returns what is wrong with it.
    private func problem(of line: IniLine) -> String? {
        switch line.content {
        case .problem(let problem):
            return problem
        case .assignment(let section, let key, let value):
            let application = Setting.applicationID(in: section)
            let kind = application == nil ? section : Setting.applicationSection
            guard let setting = Setting.all.first(where: { $0.section == kind && $0.key == key }) else {
                return "[\(section)] \(key) is not a setting of orientd"
            }
            guard application != "" else { return "[\(section)] \(key)=\(value): the section names no application" }
            guard setting.store(&configuration, value, application ?? "") else {
                return "[\(section)] \(key)=\(value): takes \(setting.values); \(key) stays as it was"
            }
            if application == nil {
                assignments.removeAll { $0.hasPrefix("\(key)=") }
                assignments.append("\(key)=\(value)")
            }
            return nil
        }
    }
}
