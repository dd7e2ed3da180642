// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// `orientctl get`: the bare value of one property.
enum Get {
    static let command = Command(
        name: "get",
        operands: "PROPERTY",
        summary: "print the value of a property"
    ) { invocation throws(CommandError) in
        let name = invocation.operands[0]
        let names = ManagerSnapshot.properties.map { $0.name }
        guard names.contains(name) else {
            let hint = suggestion(for: name, among: names).map { "did you mean '\($0)'?" }
            throw CommandError(
                "unknown property '\(name)'; \(hint ?? "use one of \(names.joined(separator: ", "))")",
                .usage
            )
        }
        let client = try invocation.client()
        let snapshot = try busCall(settings.contains(name) ? client.snapshot() : Status.current(client))
        try printValue(of: name, in: snapshot, isJSON: invocation.isJSON)
        return .done
    }

    /// The properties that do not depend on what the sensor reads.
    private static let settings = [
        "Version", "HasAccelerometer", "NaturalOrientation", "RotationLock", "Autorotate", "Claims",
        "SensorProxyClients",
    ]

    /// Prints a property of this name, or as JSON an object with it.
    static func printValue(of name: String, in snapshot: ManagerSnapshot, isJSON: Bool) throws(CommandError) {
        guard let property = ManagerSnapshot.properties.first(where: { $0.name == name }) else {
            preconditionFailure("the manager has no property \(name)")
        }
        let value = property.value(of: snapshot)
        let object = JSONObject()
        object.set(name, value)
        try emit([isJSON ? object.line : PropertyChange(name: name, value: value).text])
    }
}

extension PropertyChange {
    /// Whether text shows the same otherwise: the mask is printed as names already.
    var isForProgramsOnly: Bool { name == "SupportedOrientationNames" }

    /// The value for people: masks as names, a vector as three numbers.
    var text: String {
        switch value {
        case .number(let bits) where name == "SupportedOrientations": "\(InterfaceOrientationMask(rawValue: bits))"
        case .vector(let x, let y, let z): "\(x) \(y) \(z)"
        default: printable(value.text)
        }
    }
}
