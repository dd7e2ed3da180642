// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import JSON
import OrientationBus
import OrientationCore
import POSIX
import SystemdBus

/// `orientctl get`: the bare value of one property.
enum Get {
    static let command = Command(
        name: "get",
        operands: "PROPERTY",
        summary: "print the value of a property",
        description: "Prints the bare value of a property, for scripts.",
        example: "get InterfaceOrientation"
    ) { invocation throws(CommandError) in
        let property = try property(named: invocation.operands[0])
        let name = property.name
        let bus = try invocation.connect()
        let (snapshot, unknown) = try busCall(settings.contains(name) ? Status.started(bus) : Status.current(bus))
        if let value = unknown.first(where: { $0.name == name }) { throw CommandError(value.ofLaterVersion) }
        let text = PropertyChange(name: name, value: property.value(of: snapshot)).text
        try emit([invocation.isJSON ? json([name], of: snapshot) : text])
    }

    /// The properties that do not depend on what the sensor reads.
    private static let settings = [
        "Version", "HasAccelerometer", "NaturalOrientation", "RotationLock", "Autorotate",
        "AutorotateSource", "Claims", "SensorProxyClients",
    ]

    /// Finds a property; the usage error for an unknown one suggests a name.
    static func property(named name: String) throws(CommandError) -> Property<ManagerSnapshot> {
        if let property = ManagerSnapshot.properties.first(where: { $0.name == name }) { return property }
        let names = ManagerSnapshot.properties.map { $0.name }
        let hint =
            suggestion(for: name, among: names).map { "did you mean '\($0)'?" }
            ?? "use one of \(names.joined(separator: ", "))"
        throw CommandError("unknown property '\(name)'; \(hint)", .usage)
    }

    /// A line of JSON: an object with these properties.
    static func json(_ names: [String], of snapshot: ManagerSnapshot) throws(CommandError) -> String {
        let object = JSONValue()
        for name in names { object.set(name, try property(named: name).value(of: snapshot)) }
        return object.line
    }
}

extension PropertyChange {
    /// What to say where this version does not know the value.
    var ofLaterVersion: String { "\(name) is '\(value.text)', which this version does not know" }

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
