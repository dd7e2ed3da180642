// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// A request as the manager lists it.
package struct ListedRequest: Hashable {
    package var id: RotationRequest.ID
    package var appID: String
    package var parent: RotationRequest.ID?
    package var presentation: RotationRequest.Presentation
    package var supported: InterfaceOrientationMask
    package var reason = ""
}

/// The manager, and its values that this version does not know.
package typealias ReadManager = (snapshot: ManagerSnapshot, unknown: [PropertyChange])

/// A sensor with its object path, and its values that this version does not know.
package typealias ListedSensor = (path: String, status: SensorStatus, unknown: [PropertyChange])

// For programs that call orientd and end; D-Bus activation starts it if necessary. See ``DaemonConnection`` for others.
extension Bus {
    /// Calls a method of orientd and waits for the reply; `isInteractive` lets polkit ask a person first.
    @discardableResult
    package func callDaemon(
        _ member: String,
        of interface: String = Names.manager,
        isInteractive: Bool = false,
        _ arguments: (BusMessage) -> Void = { _ in }
    ) throws(BusError) -> BusMessage {
        // Of a daemon that hangs nobody should wait for a person's answer.
        if isInteractive { _ = try call(Names.service, Names.path, Names.peer, "Ping") }
        return try call(Names.service, Names.path, interface, member, isInteractive: isInteractive, arguments)
    }

    /// Reads the manager's properties, to act on them; throws for a value that this version does not know.
    package func readManager() throws(BusError) -> ManagerSnapshot {
        let (snapshot, unknown) = try readKnownOfManager()
        if let value = unknown.first {
            throw .invalidArguments("\(value.name) reads \(value.value.text), which this client does not know")
        }
        return snapshot
    }

    /// Reads the manager's properties, to show them; what this version does not know keeps its default.
    package func readKnownOfManager() throws(BusError) -> ReadManager {
        let reply = try callDaemon("GetAll", of: Names.properties) { $0.append(Names.manager) }
        var snapshot = ManagerSnapshot()
        let unknown = try ManagerSnapshot.properties.apply(reply.readChanges(), to: &snapshot)
        return (snapshot, unknown)
    }

    /// All sensors, by object path.
    package func readSensors() throws(BusError) -> [ListedSensor] {
        try callDaemon("GetManagedObjects", of: Names.objectManager).readSensors()
    }

    /// The requests of all clients, the oldest first.
    package func readRequests() throws(BusError) -> [ListedRequest] {
        try callDaemon("ListRequests").readRequests()
    }

    /// Calls `handler` with the changed properties of orientd's objects with `interface`, those of one signal together.
    package func onChange(
        of interface: String,
        _ handler: @escaping ([PropertyChange]) -> Void
    ) throws(SystemError) -> BusSlot {
        let rule = "member='PropertiesChanged',arg0='\(interface)'"
        return try subscribe(rule, from: .owner(of: Names.service)) { message throws(BusError) in
            try message.skip()
            handler(try message.readChanges())
        }
    }
}

extension BusMessage {
    /// Reads the sensors from the reply of GetManagedObjects.
    package func readSensors() throws(BusError) -> [ListedSensor] {
        var sensors: [ListedSensor] = []
        try readDictionary("oa{sa{sv}}") { () throws(BusError) in
            let path = try readObjectPath()
            try readDictionary("sa{sv}") { () throws(BusError) in
                guard try readString() == Names.sensor else { return try skip() }
                var sensor: ListedSensor = (path, SensorStatus(), [])
                sensor.unknown = try SensorStatus.properties.apply(readChanges(), to: &sensor.status)
                sensors.append(sensor)
            }
        }
        return sensors.sorted { $0.path < $1.path }
    }

    /// Reads the reply of ListRequests.
    package func readRequests() throws(BusError) -> [ListedRequest] {
        var requests: [ListedRequest] = []
        try readArray("(ososus)") { () throws(BusError) in
            try readStruct("ososus") { () throws(BusError) in
                let path = try readObjectPath()
                guard let id = Names.request(at: path) else {
                    throw .invalidArguments("ListRequests: \(path) is not the path of a request")
                }
                requests.append(
                    ListedRequest(
                        id: id,
                        appID: try readString(),
                        parent: Names.request(at: try readObjectPath()),
                        presentation: try .init(named: try readString(), for: "ListRequests"),
                        supported: InterfaceOrientationMask(rawValue: try readUInt32()),
                        reason: try readString()
                    )
                )
            }
        }
        return requests
    }

    /// Reads an `a{sv}` of properties.
    func readChanges() throws(BusError) -> [PropertyChange] {
        var changes: [PropertyChange] = []
        try readNamedVariants { name throws(BusError) in
            changes.append(PropertyChange(name: name, value: try readAnyVariant()))
        }
        return changes
    }
}
