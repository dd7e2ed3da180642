// SPDX-License-Identifier: Apache-2.0

import CLinux
package import POSIX

/// The lock that makes a process the only orient-agent of a display; the file says what the agent does.
///
/// The folder disappears with the user's session.
package final class AgentLock {
    /// An agent that runs.
    package struct Holder: Hashable {
        package var process: Int32
        /// The name of its display, as ``AgentLock/name(of:)`` makes it.
        package var display = ""
        /// What it does, as words that follow "orient-agent".
        package var activity: String

        /// What keeps it from showing what orientd decides; nil if nothing does.
        package var hindrance: Hindrance? { Hindrance.allCases.first { activity.begins(with: $0.words) } }

        /// Whether it shows what orientd decides.
        package var rotates: Bool { activity.begins(with: AgentLock.rotating) }
    }

    /// What can keep an agent from showing what orientd decides.
    package enum Hindrance: CaseIterable {
        /// There is nothing that can be rotated.
        case noOutput
        /// The compositor refuses; the reason follows the words.
        case refused
        /// orientd does not run, or does not answer.
        case noService
        /// orientd refuses the claim of the sensor; the reason follows.
        case noClaim
        /// Another program's transform stays; the panels follow.
        case overruled

        /// What such an agent does, as the beginning of ``Holder/activity``.
        package var words: String {
            switch self {
            case .noOutput: "finds no output to rotate"
            case .refused: "tries again: "
            case .noService: "waits for orientd"
            case .noClaim: "cannot claim the sensor: "
            case .overruled: "leaves "
            }
        }
    }

    /// The beginning of ``Holder/activity`` of an agent that shows what orientd decides.
    package static let rotating = "rotates "

    /// What an agent does in a desktop that turns the display itself, as ``Holder/activity``.
    package static let keepingLock = "synchronises the rotation lock with the desktop"

    /// What an agent does at its end, as ``Holder/activity``.
    package static let ending = "restores the display"

    /// Seconds in which an agent that says so ends.
    package static let endTimeout = 30.0
    /// Seconds to wait for any other agent, which may be about to end.
    private static let timeout = 1.0

    private static let suffix = ".lock"

    /// In bytes.
    private static let longest = 1000

    private let descriptor: FileDescriptor
    private let path: String

    /// XDG_RUNTIME_DIR without a slash at its end; nil if it is not set.
    package static var runtimeFolder: String? {
        guard let utf8 = environment("XDG_RUNTIME_DIR")?.utf8 else { return nil }
        return utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { String(decoding: utf8[...$0], as: UTF8.self) }
    }

    /// The folder of the agents' files; nil without XDG_RUNTIME_DIR.
    package static var folder: String? { runtimeFolder.map { $0 + "/orient-agent" } }

    /// Takes the lock of a display, such as `wayland-1` or `:0`; throws `EBUSY`, with the process, if another has it.
    ///
    /// If it `waits`, an agent that is ending may first restore the display.
    package init(display: String, waits: Bool = false) throws(SystemError) {
        let folder: String
        (folder, path) = try Self.paths(of: display)
        if mkdir(folder, 0o700) != 0, Errno.current.code != EEXIST {
            throw SystemError("create", folder, errno: .current)
        }
        descriptor = FileDescriptor(owning: try checkSystem("open", path, orientd_open_or_create(path, 0o600)))
        let start = MonotonicClock.now
        while orientd_lock(descriptor.rawValue) != 0 {
            guard Errno.current == .again else { throw SystemError("lock", path, errno: .current) }
            let holder = Self.holder(in: descriptor)
            let isEnding = holder?.activity == Self.ending
            if waits, MonotonicClock.now < start + (isEnding ? Self.endTimeout : Self.timeout) {
                poll(nil, 0, 50)
                continue
            }
            let deed = isEnding ? Self.ending : "runs for it already"
            let reason = "orient-agent (process \(holder?.process ?? 0)) \(deed)"
            throw SystemError("run for", "the display \(display)", errno: .busy, reason: reason)
        }
        // A full disk is no reason not to rotate: the lock counts without the text.
        try? write("starts")
    }

    /// Throws if there can be no agent of a display; creates nothing.
    package static func check(display: String) throws(SystemError) {
        let (folder, path) = try paths(of: display)
        let existing: String = [path, folder].first { access($0, F_OK) == 0 } ?? runtimeFolder ?? ""
        try checkSystem("write to", existing, access(existing, existing == path ? W_OK : W_OK | X_OK))
    }

    private static func paths(of display: String) throws(SystemError) -> (folder: String, lock: String) {
        guard let folder else {
            let reason = "XDG_RUNTIME_DIR is not set"
            throw SystemError("run for", "the display \(display)", errno: .notFound, reason: reason)
        }
        return (folder, "\(folder)/\(name(of: display))\(suffix)")
    }

    /// The name of a display as a file's name.
    package static func name(of display: String) -> String {
        String(decoding: display.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }

    /// Says what the agent does.
    package func write(_ activity: String) throws(SystemError) {
        let text = Array("\(getpid()) \(activity)\n".utf8.prefix(Self.longest))
        try checkSystem("write", path, pwrite(descriptor.rawValue, text, text.count, 0))
        try checkSystem("write", path, ftruncate(descriptor.rawValue, off_t(text.count)))
    }

    // MARK: - Reading

    /// The agents of this user that run.
    package static var holders: [Holder] {
        guard let folder, let names = try? FileDescriptor.names(in: folder) else { return [] }
        return names.sorted().compactMap { name in
            guard name.ends(with: suffix), let file = try? FileDescriptor.open(withoutWaiting: "\(folder)/\(name)")
            else { return nil }
            // An agent that has ended leaves the file without a lock.
            guard orientd_is_locked(file.rawValue) != 0, var holder = holder(in: file) else { return nil }
            holder.display = String(name.dropLast(suffix.utf8.count))
            return holder
        }
    }

    private static func holder(in file: FileDescriptor) -> Holder? {
        // `init` reads it again and again.
        lseek(file.rawValue, 0, SEEK_SET)
        guard let text = try? file.readToEnd("the lock", limit: longest) else { return nil }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        guard let first = words.first, let process = Int32(first), process > 0 else { return nil }
        return Holder(process: process, activity: words.count > 1 ? printable(words[1]) : "")
    }
}
