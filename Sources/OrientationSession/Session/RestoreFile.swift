// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationConfiguration
import POSIX

/// What must be put back after an agent that ended without doing so.
package struct RestorePoint: Hashable, Sendable {
    /// The outputs without any rotation by the agent.
    package var outputs: [Output]
    /// Whether the agent moved the neighbours of the panel itself.
    package var movesNeighbours: Bool
}

/// The file of the restore point of one display, in a folder that disappears with the user's session.
///
/// The agent that turns the display holds a lock beside it.
final class RestoreFile {
    private let path: String
    private var lock: FileDescriptor?

    /// The file of a display, such as `wayland-1` or `:0`; throws where there is no folder for it.
    init(display: String) throws(SystemError) {
        guard let runtime = environment("XDG_RUNTIME_DIR"), !runtime.isEmpty else {
            throw SystemError("find", "the folder XDG_RUNTIME_DIR", errno: .notFound)
        }
        let folder = runtime + "/orient-agent"
        if mkdir(folder, 0o700) != 0, Errno.current.code != EEXIST {
            throw SystemError("create", folder, errno: .current)
        }
        let name = String(
            decoding: display.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 },
            as: UTF8.self
        )
        path = folder + "/" + name
    }

    /// Makes this process the only agent of the display; returns the process that is it already.
    func acquire() throws(SystemError) -> Int32? {
        let file = path + ".lock"
        let descriptor = FileDescriptor(owning: try checkSystem("open", file, orientd_open_or_create(file, 0o600)))
        guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            guard Errno.current.code == EWOULDBLOCK else { throw SystemError("lock", file, errno: .current) }
            let text = String(decoding: try descriptor.readToEnd(file, limit: 20), as: UTF8.self)
            return Int32(text) ?? 0
        }
        let process = "\(getpid())"
        try checkSystem("write", file, ftruncate(descriptor.rawValue, 0))
        try checkSystem("write", file, CLinux.write(descriptor.rawValue, process, process.utf8.count))
        lock = descriptor
        return nil
    }

    // MARK: - The restore point

    /// Reads what an earlier agent left; nil if there is nothing to restore.
    ///
    /// `warn` gets what is invalid in the file, which is ignored then.
    func read(warn: (String) -> Void) -> RestorePoint? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: path, limit: 65536)
        } catch {
            if error.errno != .notFound { warn("\(error)") }
            return nil
        }
        var point = RestorePoint(outputs: [], movesNeighbours: false)
        var isComplete = false
        for line in IniParser.lines(of: bytes) {
            switch line.content {
            case .assignment("Restore", "MovesNeighbours", let value): point.movesNeighbours = value == "yes"
            case .assignment("Restore", "Version", "1"): isComplete = true
            case .assignment("Restore", "Output", let value):
                guard let output = Output(restored: value) else {
                    warn("\(path):\(line.number): '\(value)' does not describe an output; nothing is restored")
                    return nil
                }
                point.outputs.append(output)
            default:
                warn("\(path):\(line.number): orient-agent does not write this; nothing is restored")
                return nil
            }
        }
        guard isComplete else {
            warn("\(path): the file is incomplete; nothing is restored")
            return nil
        }
        return point
    }

    /// Saves a restore point; nil removes the last one.
    func write(_ point: RestorePoint?) throws(SystemError) {
        guard let point else {
            guard unlink(path) != 0, Errno.current != .notFound else { return }
            throw SystemError("remove", path, errno: .current)
        }
        // The version comes last, so that a truncated file lacks it.
        var text = "[Restore]\nMovesNeighbours=\(point.movesNeighbours ? "yes" : "no")\n"
        for output in point.outputs where output.isShown { text += "Output=\(output.restoreText)\n" }
        try OutputFile.replace(path, with: (text + "Version=1\n").utf8, permissions: 0o600)
    }
}

extension Output {
    fileprivate var restoreText: String {
        "\(name) \(transform) \(position.x) \(position.y) \(width) \(height) \(scale)"
    }

    fileprivate init?(restored text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 7, let transform = Transform(words[1]), let x = Int(words[2]), let y = Int(words[3]),
            let width = Int(words[4]), let height = Int(words[5]), let scale = number(words[6]),
            width > 0, height > 0, scale > 0
        else { return nil }
        self.init(
            name: words[0],
            position: Position(x: x, y: y),
            width: width,
            height: height,
            scale: scale,
            transform: transform
        )
    }
}
