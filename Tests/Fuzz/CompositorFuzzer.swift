// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import OrientationCore
import POSIX
import PrivateBus

@testable import OrientationSession
@testable import SystemdBus

/// What compositors send over their sockets.
///
/// The first byte says which compositor, and which of its answers.
enum CompositorFuzzer {
    static func run(_ bytes: [UInt8]) {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case UInt8(ascii: "h"):
            if let value = try? JSONValue(rest), let monitors = HyprlandMonitor.all(value) {
                rotate(monitors.map { $0.output }, false)
            }
        case UInt8(ascii: "n"): readNiri(rest)
        // The bytes as they are, and then messages of the types that sway's replies have.
        case UInt8(ascii: "s"): serveSway { rest }
        case UInt8(ascii: "w"): serveSway { swayMessages(rest) }
        case UInt8(ascii: "i"): serveHyprland(rest)
        default: break
        }
    }

    private static func rotate(_ outputs: [Output], _ placesAutomatically: Bool) {
        var rotation = PanelRotation(mayPlaceAutomatically: placesAutomatically)
        _ = rotation.handle(.outputsReported(outputs), at: 0)
        for transform in [.rotated90, .rotated180, .normal] as [OutputTransform] {
            var actions = rotation.handle(.goalSet(.transform(transform), isCommand: false), at: 0)
            guard let change = actions.change else { continue }
            _ = HyprlandMonitor.script(for: change, [])
            var turned = outputs
            for index in turned.indices {
                if let transform = change.transforms[turned[index].name] { turned[index].transform = transform }
                if let position = change.positions[turned[index].name] { turned[index].position = position }
            }
            actions = rotation.handle(.outputsReported(turned), at: 0)
            _ = rotation.handle(.changeEnded(.applied), at: 0)
        }
        _ = rotation.handle(.goalSet(.baseline, isCommand: false), at: 0)
    }

    private static func readNiri(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")).map({ Array($0) }) {
            guard let value = try? JSONValue(line) else { continue }
            precondition((try? JSONValue(Array(JSONValue.quoted(value.text ?? "").utf8))) != nil)
            let listed = value["Ok"]?["Outputs"]?.members ?? [:]
            rotate(listed.sorted { $0.key < $1.key }.compactMap { Output(niri: $0.key, $0.value) }, true)
        }
    }

    /// Divides an input at zeros into payloads; the first byte of each chooses a type.
    private static func swayMessages(_ bytes: [UInt8]) -> [UInt8] {
        let kinds: [SwayMessage.Kind] = [
            .getVersion, .subscribe, .getInputs, .runCommand, .inputEvent, .workspaceEvent,
        ]
        return bytes.split(separator: 0).flatMap { part in
            let kind = kinds[Int(part[part.startIndex]) % kinds.count]
            return SwayMessage(kind: kind.rawValue, payload: Array(part.dropFirst())).bytes
        }
    }

    // MARK: - Over sockets

    private static let panel = Output(name: "Virtual-1", width: 1200, height: 1920, transform: .normal)
    private static var target: InputTarget { InputTarget([panel], among: [panel]) }
    private static let log = Log("fuzz", isVerbose: false)

    private static func serveSway(_ reply: () -> [UInt8]) {
        attempt {
            let loop = try EventLoop()
            FuzzedCompositor.swaySocket.replies = [reply()]
            let inputs = SwayInputs(FuzzedCompositor.folder + "/sway", loop: loop, log: log)
            inputs.follow(target)
            try FuzzedCompositor.serve(loop)
            withExtendedLifetime(inputs) {}
        }
    }

    /// The replies to the requests, divided at zeros; the second socket gets the last one.
    private static func serveHyprland(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
        attempt {
            let loop = try EventLoop()
            FuzzedCompositor.hyprlandSocket.replies = parts.dropLast()
            FuzzedCompositor.hyprlandEvents.replies = parts.suffix(1)
            let inputs = HyprlandInputs(FuzzedCompositor.folder + "/hypr/fuzz", loop: loop, log: log)
            inputs.follow(target)
            try FuzzedCompositor.serve(loop)
            withExtendedLifetime(inputs) {}
        }
    }

    private static func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            fatalError("\(error)")
        }
    }
}

/// Sockets of compositors and of the tablet switch; each connection gets the next reply and ends.
final class FuzzedCompositor {
    static let folder: String = {
        var template = Array("/tmp/orientd-fuzz.XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "cannot create a temporary folder")
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        mkdir(folder + "/hypr", 0o700)
        mkdir(folder + "/hypr/fuzz", 0o700)
        atexit { FuzzedCompositor.removeFolder() }
        return folder
    }()

    private static func removeFolder() {
        let sockets = ["/sway", "/switch", "/hypr/fuzz/.socket.sock", "/hypr/fuzz/.socket2.sock"]
        for name in sockets { unlink(folder + name) }
        for name in ["/hypr/fuzz", "/hypr", ""] { rmdir(folder + name) }
    }

    nonisolated(unsafe) static let swaySocket = FuzzedCompositor(folder + "/sway")
    nonisolated(unsafe) static let hyprlandSocket = FuzzedCompositor(folder + "/hypr/fuzz/.socket.sock")
    nonisolated(unsafe) static let hyprlandEvents = FuzzedCompositor(folder + "/hypr/fuzz/.socket2.sock")
    nonisolated(unsafe) static let tabletSwitch = FuzzedCompositor(folder + "/switch")
    nonisolated(unsafe) private static let all = [swaySocket, hyprlandSocket, hyprlandEvents, tabletSwitch]

    let path: String
    private let listening: Int32
    var replies: [[UInt8]] = []

    private init(_ path: String) {
        self.path = path
        listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(result == 0 && listen(listening, 16) == 0, "cannot listen at \(path)")
    }

    /// Serves until nothing is due, or for as long as a program may reconnect at once.
    static func serve(_ loop: EventLoop) throws {
        for _ in 0..<64 {
            let served = all.count { $0.serveNext() }
            try loop.runWhatIsDue()
            if served == 0 { break }
        }
        for socket in all {
            socket.replies = []
            while socket.serveNext() {}
        }
        try loop.runWhatIsDue()
    }

    /// Accepts one connection and answers it; false where there is none.
    private func serveNext() -> Bool {
        let connection = accept(listening, nil, nil)
        guard connection >= 0 else { return false }
        defer { close(connection) }
        if !replies.isEmpty {
            let reply = replies.removeFirst()
            send(connection, reply, reply.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        // A program sees what it sent as read.
        var bytes = [UInt8](repeating: 0, count: 65536)
        while recv(connection, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        return true
    }
}
