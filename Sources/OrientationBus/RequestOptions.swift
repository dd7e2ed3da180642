// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SystemdBus

/// How a request is written on the bus: the arguments and options of `Request` and `Update`.
package enum RequestOptions {
    /// The most bytes of an application's id, which is a D-Bus name, and of a reason.
    package static let longest = (appID: 255, reason: 1024)

    /// Writes `Request`'s application, mask and options.
    static func write(_ request: RotationRequest, to message: BusMessage) {
        message.append(request.appID)
        message.append(request.supported.rawValue)
        message.appendArray("{sv}") {
            message.appendNamedVariant("preferred", request.preferred?.name ?? "")
            message.appendNamedVariant("should-autorotate", request.shouldAutorotate)
            message.appendNamedVariant("presentation", request.presentation.name)
            message.appendNamedVariant("parent", ObjectPath(Names.path(of: request.parent)))
            message.appendNamedVariant("forwards-to", ObjectPath(Names.path(of: request.forwardsTo)))
            message.appendNamedVariant("active", request.isActive)
            message.appendNamedVariant("reason", request.reason)
        }
    }

    /// Reads `Request`'s application, mask and options.
    static func read(from message: BusMessage) throws(BusError) -> RotationRequest {
        let appID = try readAppID(from: message)
        var request = RotationRequest(
            appID: appID,
            supported: InterfaceOrientationMask(rawValue: try message.readUInt32())
        )
        let isPlaced = try read(into: &request, from: message, isUpdate: false)
        if !isPlaced { request.presentation = request.parent == nil ? .modal : .push }
        return request
    }

    static func readAppID(from message: BusMessage) throws(BusError) -> String {
        let appID = try message.readString()
        guard (1...longest.appID).contains(appID.utf8.count) else {
            throw .invalidArguments("app_id: takes 1 to \(longest.appID) bytes, not \(appID.utf8.count)")
        }
        return appID
    }

    /// Reads `Update`'s changes.
    static func readChanges(of request: inout RotationRequest, from message: BusMessage) throws(BusError) {
        _ = try read(into: &request, from: message, isUpdate: true)
    }

    /// Reads an `a{sv}` of options; says whether the presentation is among them.
    private static func read(
        into request: inout RotationRequest,
        from message: BusMessage,
        isUpdate: Bool
    ) throws(BusError) -> Bool {
        var isPlaced = false
        try message.readNamedVariants { option throws(BusError) in
            switch option {
            // What `Request` has an argument for is no option of it.
            case "supported" where isUpdate:
                request.supported = InterfaceOrientationMask(rawValue: try message.readOption(option))
            case "preferred":
                let name: String = try message.readOption(option)
                request.preferred = name.isEmpty ? nil : try InterfaceOrientation(named: name, for: option)
            case "should-autorotate":
                request.shouldAutorotate = try message.readOption(option)
            case "presentation":
                request.presentation = try RotationRequest.Presentation(
                    named: try message.readOption(option),
                    for: option
                )
                isPlaced = true
            case "parent":
                request.parent = try readRequest(option, from: message)
            case "forwards-to":
                request.forwardsTo = try readRequest(option, from: message)
            case "active":
                request.isActive = try message.readOption(option)
            case "reason":
                request.reason = try message.readOption(option)
                guard request.reason.utf8.count <= longest.reason else {
                    throw .invalidArguments("reason: takes at most \(longest.reason) bytes")
                }
            default:
                throw .invalidArguments("options: there is no option '\(option)'")
            }
        }
        return isPlaced
    }

    /// Reads the path of a request; nil for `/`, which stands for none.
    private static func readRequest(_ option: String, from message: BusMessage) throws(BusError) -> RotationRequest.ID?
    {
        let path: ObjectPath = try message.readOption(option)
        if path.text == "/" { return nil }
        guard let id = Names.request(at: path.text) else {
            throw .invalidArguments("\(option): \(path.text) is not the path of a request")
        }
        return id
    }
}

extension NamedValue {
    /// Finds the value of a name that a caller has given for `field`.
    init(named name: String, for field: String) throws(BusError) {
        guard let value = Self(name: name) else {
            var names = ""
            for value in Self.allCases { names += names.isEmpty ? value.name : ", " + value.name }
            throw .invalidArguments("\(field): '\(name)' is none of \(names)")
        }
        self = value
    }
}
