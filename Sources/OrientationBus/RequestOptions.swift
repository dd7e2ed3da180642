// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

extension RotationRequest {
    /// The options of `Request` and `Update`, each of which is also a property of `org.orientd1.Request`.
    fileprivate static let options: [(name: String, property: Property<RotationRequest>)] = [
        // Also an argument of its own in `Request`.
        ("supported", .mask("Supported") { $1(&$0.supported) }),
        ("preferred", .optionalName("Preferred") { $1(&$0.preferred) }),
        ("should-autorotate", .flag("ShouldAutorotate") { $1(&$0.shouldAutorotate) }),
        ("presentation", .name("Presentation") { $1(&$0.presentation) }),
        ("parent", .request("Parent") { $1(&$0.parent) }),
        ("forwards-to", .request("ForwardsTo") { $1(&$0.forwardsTo) }),
        ("active", .flag("Active") { $1(&$0.isActive) }),
        ("reason", .text("Reason") { $1(&$0.reason) }),
    ]

    static let properties =
        [.text("AppId", .constant) { $1(&$0.appID) }] + options.map { $0.property }
        + [.maskNames("SupportedNames") { $1(&$0.supported) }]
}

/// The arguments of `Request` and `Update` on the bus.
package enum RequestOptions {
    /// The maximum length of an application's id, which is a D-Bus name, and of a reason, in bytes.
    package static let longest = (appID: 255, reason: 1024)

    /// Writes `Request`'s application, mask and options.
    static func write(_ request: RotationRequest, to message: BusMessage) {
        message.append(request.appID)
        // The mask is one of the options.
        message.append(UInt32(0))
        writeChanges(request, to: message)
    }

    /// Writes every option of a request as `Update`'s changes.
    package static func writeChanges(_ request: RotationRequest, to message: BusMessage) {
        message.appendArray("{sv}") {
            for (name, property) in RotationRequest.options {
                message.appendNamedVariant(name, property.value(of: request))
            }
        }
    }

    /// Reads `Request`'s application, mask and options.
    static func read(from message: BusMessage) throws(BusError) -> RotationRequest {
        let appID = try readAppID(from: message)
        let mask = InterfaceOrientationMask(rawValue: try message.readUInt32())
        var request = RotationRequest(appID: appID, supported: mask)
        let names = try readChanges(of: &request, from: message)
        guard mask.isEmpty || !names.contains("supported") else {
            throw .invalidArguments("supported: the argument must be 0 beside the option")
        }
        if !names.contains("presentation") { request.presentation = request.parent == nil ? .modal : .push }
        return request
    }

    static func readAppID(from message: BusMessage) throws(BusError) -> String {
        let appID = try message.readString()
        guard (1...longest.appID).contains(appID.utf8.count) else {
            throw .invalidArguments("app_id: takes 1 to \(longest.appID) bytes, not \(appID.utf8.count)")
        }
        return appID
    }

    /// Reads `Update`'s changes, an `a{sv}` of the options; returns the names that it contains.
    @discardableResult
    static func readChanges(of request: inout RotationRequest, from message: BusMessage) throws(BusError) -> [String] {
        var names: [String] = []
        try message.readNamedVariants { name throws(BusError) in
            guard let property = RotationRequest.options.first(where: { $0.name == name })?.property else {
                throw .invalidArguments("options: there is no option '\(name)'")
            }
            let type = message.peekVariantContents()
            // A mask may be given by names.
            let types = (name == "supported" ? ["as"] : []) + ["\(property.signature)"]
            guard types.contains(type) else {
                let list = types.joined(separator: " or ")
                throw .invalidArguments("\(name): takes a value of type \(list), not \(type)")
            }
            if let refusal = property.store(&request, try message.readAnyVariant()) {
                throw .invalidArguments("\(name): \(refusal)")
            }
            guard request.reason.utf8.count <= longest.reason else {
                throw .invalidArguments("reason: takes at most \(longest.reason) bytes")
            }
            names.append(name)
        }
        return names
    }
}
