// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// `orientctl requests`: every request, with the deciding one marked.
enum Requests {
    static let command = Command(
        name: "requests",
        summary: "list the requests of applications",
        description: "Lists what applications request, the oldest first. The request that decides is marked."
    ) { invocation throws(CommandError) in
        let bus = try invocation.connect()
        let requests = try busCall(bus.readRequests())
        let deciding = try busCall(bus.readManager()).status.askedRequest
        if invocation.isJSON { return try emit(requests.map { json($0, isDeciding: $0.id == deciding).line }) }
        let text = requests.flatMap { lines($0, isDeciding: $0.id == deciding) }
        try emit(text.isEmpty ? ["no requests"] : text)
    }

    /// Describes a request in one line.
    static func summary(_ request: ListedRequest, isDeciding: Bool) -> String {
        let presentation = isDeciding ? "\(request.presentation.name), deciding" : request.presentation.name
        let reason = request.reason.isEmpty ? "" : ": \(request.reason)"
        return printable("\(request.appID) supports \(request.supported) (\(presentation))\(reason)")
    }

    static func lines(_ request: ListedRequest, isDeciding: Bool) -> [String] {
        let path = Terminal.styled(Names.path(of: request.id), .accent)
        let parent = request.parent.map { ["  child of \(Names.path(of: $0))"] } ?? []
        return [path, "  \(summary(request, isDeciding: isDeciding))"] + parent
    }

    static func json(_ request: ListedRequest, isDeciding: Bool) -> JSONValue {
        JSONValue([
            "Path": .text(Names.path(of: request.id)), "AppId": .text(request.appID),
            "Parent": .text(Names.path(of: request.parent)), "Presentation": .text(request.presentation.name),
            "Supported": .number(request.supported.rawValue), "SupportedNames": .texts(request.supported.names),
            "Reason": .text(request.reason), "Asked": .flag(isDeciding),
        ])
    }
}
