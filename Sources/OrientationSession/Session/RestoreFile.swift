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
    /// The transform that the agent applied last, and that of a change that had not ended; empty if unknown.
    package var applied: Set<Transform> = []
}

/// The file of the restore point of one display, beside the agent's lock.
struct RestoreFile {
    private let path: String

    /// The file of a display, such as `wayland-1` or `:0`; nil without a folder for it.
    init?(display: String) {
        guard let folder = AgentLock.folder else { return nil }
        path = folder + "/" + AgentLock.name(of: display)
    }

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
        return RestorePoint(text: bytes) { warn("\(path)\($0); nothing is restored") }
    }

    /// Saves a restore point; nil removes the last one.
    func write(_ point: RestorePoint?) throws(SystemError) {
        guard let point else {
            guard unlink(path) != 0, Errno.current != .notFound else { return }
            throw SystemError("remove", path, errno: .current)
        }
        // The version comes last, so that a truncated file lacks it.
        var text = "[Restore]\nMovesNeighbours=\(point.movesNeighbours ? "yes" : "no")\n"
        let applied = point.applied.sorted { $0.rawValue < $1.rawValue }.map { $0.description }
        text += "Applied=\(applied.joined(separator: " "))\n"
        for output in point.outputs where output.isShown && Self.isStorable(output.name) {
            text += "Output=\(output.restoreText)\n"
        }
        try OutputFile.replace(path, with: (text + "Version=1\n").utf8, permissions: 0o600)
    }

    /// Whether a line of the file can hold the name.
    private static func isStorable(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy { $0 >= 0x20 } }
}

extension RestorePoint {
    /// Reads the text that ``RestoreFile`` writes; nil for any other.
    ///
    /// `warn` gets what is wrong, as words that follow the file's path.
    init?(text bytes: [UInt8], warn: (String) -> Void) {
        self.init(outputs: [], movesNeighbours: false)
        var isComplete = false
        for line in IniParser.lines(of: bytes) {
            switch line.content {
            case .assignment("Restore", "MovesNeighbours", let value): movesNeighbours = value == "yes"
            case .assignment("Restore", "Applied", let value):
                for name in value.utf8.split(separator: UInt8(ascii: " ")) {
                    if let transform = Transform(String(decoding: name, as: UTF8.self)) { applied.insert(transform) }
                }
            case .assignment("Restore", "Version", "1"): isComplete = true
            case .assignment("Restore", "Output", let value):
                guard let output = Output(restored: value) else {
                    warn(":\(line.number): '\(value)' does not describe an output")
                    return nil
                }
                outputs.append(output)
            default:
                warn(":\(line.number): orient-agent does not write this")
                return nil
            }
        }
        guard isComplete else {
            warn(": the file is incomplete")
            return nil
        }
    }
}

extension Output {
    fileprivate var restoreText: String {
        "\(name) \(transform) \(position.x) \(position.y) \(width) \(height) \(scale)"
    }

    fileprivate init?(restored text: String) {
        // A name may contain spaces.
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let words = parts.suffix(6).map { String(decoding: $0, as: UTF8.self) }
        let name = Array(parts.dropLast(6).joined(separator: [UInt8(ascii: " ")]))
        guard !name.isEmpty, let transform = Transform(words[0]), let x = Int32(words[1]), let y = Int32(words[2]),
            let width = Int32(words[3]), let height = Int32(words[4]), let scale = number(words[5]),
            width > 0, height > 0, Output.isScale(scale)
        else { return nil }
        self.init(
            name: String(decoding: name, as: UTF8.self),
            position: Position(x: Int(x), y: Int(y)),
            width: Int(width),
            height: Int(height),
            scale: scale,
            transform: transform
        )
    }
}
