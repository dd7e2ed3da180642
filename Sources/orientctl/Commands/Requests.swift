// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX

/// `orientctl requests`: every request, with the asked one marked.
enum Requests {
    static let command = Command(
        name: "requests",
        summary: "list the requests of applications"
    ) { invocation throws(CommandError) in
        let client = try invocation.client()
        let requests = try busCall(client.requests())
        let asked = try busCall(client.snapshot()).status.askedRequest
        try invocation.emit(
            requests.map { json($0, isAsked: $0.id == asked) },
            or: requests.flatMap { lines($0, isAsked: $0.id == asked) },
            ifEmpty: "no requests"
        )
        return .done
    }

    /// Describes a request in one line.
    static func summary(_ request: ListedRequest, isAsked: Bool) -> String {
        let presentation = isAsked ? "\(request.presentation.name), asked" : request.presentation.name
        let reason = request.reason.isEmpty ? "" : ": \(request.reason)"
        return printable("\(request.appID) supports \(request.supported) (\(presentation))\(reason)")
    }

    static func lines(_ request: ListedRequest, isAsked: Bool) -> [String] {
        let path = Terminal.styled(Names.path(of: request.id), .accent)
        let parent = request.parent.map { ["  child of \(Names.path(of: $0))"] } ?? []
        return [path, "  \(summary(request, isAsked: isAsked))"] + parent
    }

    static func json(_ request: ListedRequest, isAsked: Bool) -> JSONObject {
        JSONObject([
            "Path": Names.path(of: request.id), "AppId": request.appID, "Parent": Names.path(of: request.parent),
            "Presentation": request.presentation.name, "Supported": request.supported.rawValue,
            "SupportedNames": request.supported.names, "Reason": request.reason, "Asked": isAsked,
        ])
    }
}
