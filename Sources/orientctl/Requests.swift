// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import SystemdBus

/// `orientctl requests`: every request that is held, the one that is asked marked.
enum Requests {
    static let command = Command("requests [--json]") { invocation throws(CommandError) in
        let client = OrientationClient(bus: try invocation.connect())
        let requests = try asking { () throws(BusError) in try client.requests() }
        let asked = try asking { () throws(BusError) in try client.snapshot() }.status.askedRequest
        if invocation.isJSON {
            try emit(requests.map { json($0, isAsked: $0.id == asked).line })
        } else if requests.isEmpty {
            try emit(["no requests"])
        } else {
            try emit(requests.flatMap { lines($0, isAsked: $0.id == asked) })
        }
        return .done
    }

    /// One line about a request.
    static func summary(_ request: ListedRequest, isAsked: Bool) -> String {
        let manner = isAsked ? "\(request.presentation.name), asked" : request.presentation.name
        let reason = request.reason.isEmpty ? "" : ": \(request.reason)"
        return printable("\(request.appID) supports \(request.supported) (\(manner))\(reason)")
    }

    static func lines(_ request: ListedRequest, isAsked: Bool) -> [String] {
        let path = Terminal.styled(Names.path(of: request.id), .accent)
        let parent = request.parent.map { ["  child of \(Names.path(of: $0))"] } ?? []
        return [path, "  \(summary(request, isAsked: isAsked))"] + parent
    }

    static func json(_ request: ListedRequest, isAsked: Bool) -> JSONObject {
        let object = JSONObject()
        object.set("Path", Names.path(of: request.id))
        object.set("AppId", request.appID)
        object.set("Parent", Names.path(of: request.parent))
        object.set("Presentation", request.presentation.name)
        object.set("Supported", Int(request.supported.rawValue))
        object.set("Reason", request.reason)
        object.set("Asked", isAsked)
        return object
    }
}
