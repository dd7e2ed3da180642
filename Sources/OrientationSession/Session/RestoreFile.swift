// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// What to restore after an agent that ended without restoring it.
struct RestorePoint: Hashable, Sendable {
    /// The outputs without any rotation by the agent.
    var outputs: [Output]
    /// Whether the agent moved the neighbours of the panel itself.
    var movesNeighbours: Bool
    /// The transform that the agent applied last, and that of a change that had not ended; empty if unknown.
    var applied: Set<Transform> = []
    /// The connectors of the panels that the agent was told to rotate; empty for the built-in panels.
    var panels: [String] = []
}

/// The file of the restore point of one display, beside the agent's lock.
struct RestoreFile {
    let path: String

    /// Reads what an earlier agent left; nil if there is nothing to restore.
    ///
    /// Calls `warn` with a message if the file is invalid, and removes it then.
    func read(warn: (String) -> Void) -> RestorePoint? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: path, limit: 65536)
        } catch {
            if error.errno != .notFound { warn("\(error)") }
            return nil
        }
        guard let json = try? JSONValue(bytes), let point = RestorePoint(json) else {
            warn("\(path): not written by this version of orient-agent; it is removed, and the display is not restored")
            unlink(path)
            return nil
        }
        return point
    }

    /// Saves a restore point; nil removes the last one.
    func write(_ point: RestorePoint?) throws(SystemError) {
        if let point {
            try OutputFile.replace(path, with: (point.json.line + "\n").utf8, permissions: 0o600)
        } else if unlink(path) != 0, Errno.current != .notFound {
            throw SystemError("remove", path, errno: .current)
        }
    }
}

extension RestorePoint {
    /// The contents of the file.
    var json: JSONValue {
        let json = JSONValue([
            "version": .number(1), "movesNeighbours": .flag(movesNeighbours),
            "applied": .texts(applied.map { $0.name }), "panels": .texts(panels),
        ])
        let listed = outputs.filter { $0.isShown }.map {
            JSONValue([
                "name": .text($0.name), "transform": .text($0.transform.name),
                "x": .decimal(Double($0.position.x)), "y": .decimal(Double($0.position.y)),
                "width": .decimal(Double($0.width)), "height": .decimal(Double($0.height)), "scale": .decimal($0.scale),
            ])
        }
        json.set("outputs", listed)
        return json
    }

    /// Reads what ``json`` returns; nil for anything else.
    init?(_ json: JSONValue) {
        guard json["version"]?.integer == 1, let movesNeighbours = json["movesNeighbours"]?.flag,
            let applied = json["applied"]?.list, let listed = json["outputs"]?.list
        else { return nil }
        let outputs = listed.compactMap { output in
            output["name"]?.text.flatMap { Output($0, output, output["transform"]?.text.flatMap { Transform($0) }) }
        }
        guard outputs.count == listed.count, outputs.allSatisfy({ $0.isShown }) else { return nil }
        let transforms = applied.compactMap { $0.text.flatMap { Transform($0) } }
        self.init(
            outputs: outputs,
            movesNeighbours: movesNeighbours,
            applied: Set(transforms),
            panels: json["panels"]?.list?.compactMap { $0.text } ?? []
        )
    }
}
