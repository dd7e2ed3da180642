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

/// A sensor with its object path.
package typealias ListedSensor = (path: String, status: SensorStatus)

/// A client of the service.
package final class OrientationClient {
    private let bus: Bus

    package init(bus: Bus) {
        self.bus = bus
    }

    /// The unique name of the daemon that granted the last claim; empty before the first.
    package private(set) var claimedDaemon = ""

    /// Reads the manager's properties; D-Bus activation starts the daemon if necessary.
    package func snapshot() throws(BusError) -> ManagerSnapshot {
        let reply = try bus.call(Names.service, Names.path, Self.properties, "GetAll") { $0.append(Names.manager) }
        var snapshot = ManagerSnapshot()
        try ManagerSnapshot.properties.read(into: &snapshot, from: reply)
        return snapshot
    }

    /// All sensors, by object path.
    package func sensors() throws(BusError) -> [ListedSensor] {
        try bus.call(Names.service, Names.path, Names.objectManager, "GetManagedObjects").readSensors()
    }

    /// Keeps the sensor running until ``release()`` or the end of the connection.
    ///
    /// Returns when the first orientation is known, or after one second.
    package func claim() throws(BusError) {
        claimedDaemon = try bus.call(Names.service, Names.path, Names.manager, "Claim").sender
    }

    package func release() throws(BusError) {
        _ = try bus.call(Names.service, Names.path, Names.manager, "Release")
    }

    // MARK: - Rotation

    // Polkit may ask the user before any of these calls returns.

    package func setRotationLock(_ lock: RotationLock) throws(BusError) {
        try decide("SetRotationLock") { $0.append(lock.name) }
    }

    package func setAutorotate(_ mode: AutorotateMode) throws(BusError) {
        try decide("SetAutorotate") { $0.append(mode.name) }
    }

    package func rotate(to orientation: InterfaceOrientation) throws(BusError) {
        try decide("Rotate") { $0.append(orientation.name) }
    }

    package func alignToDevice() throws(BusError) {
        try decide("AlignToDevice")
    }

    private func decide(_ member: String, _ arguments: (BusMessage) -> Void = { _ in }) throws(BusError) {
        _ = try bus.call(Names.service, Names.path, Names.manager, member, isInteractive: true, arguments)
    }

    /// The requests of all clients, the oldest first.
    package func requests() throws(BusError) -> [ListedRequest] {
        try bus.call(Names.service, Names.path, Names.manager, "ListRequests").readRequests()
    }

    /// Makes a request, which lasts until the end of the connection; the bus must be attached to a loop.
    ///
    /// `completion` is called later with the unique name of the replying daemon, and the error if it replied with one.
    package func present(
        _ request: RotationRequest,
        isInteractive: Bool,
        completion: @escaping (_ answerer: String, _ error: BusError?) -> Void
    ) throws(BusError) {
        try bus.callLater(Names.service, Names.path, Names.manager, "Request", isInteractive: isInteractive) { call in
            RequestOptions.write(request, to: call)
        } completion: { answer in
            completion(answer.sender, answer.error)
        }
    }

    // MARK: - Changes

    /// Calls `handler` with the changed properties of the manager, those of one signal together.
    package func onManagerChange(_ handler: @escaping ([PropertyChange]) -> Void) throws(SystemError) -> BusSlot {
        let match = "type='signal',sender='\(Names.service)',path='\(Names.path)',member='PropertiesChanged'"
        return try subscribe(match, to: Names.manager, handler)
    }

    /// Calls `handler` with the changed properties of any sensor.
    package func onSensorChange(_ handler: @escaping ([PropertyChange]) -> Void) throws(SystemError) -> BusSlot {
        let match = "type='signal',sender='\(Names.service)',path_namespace='\(Names.path)',member='PropertiesChanged'"
        return try subscribe(match, to: Names.sensor, handler)
    }

    /// Calls `handler` with the unique name of a daemon that has started, or with nil after it has ended.
    package func onPresenceChange(_ handler: @escaping (String?) -> Void) throws(SystemError) -> BusSlot {
        try bus.onOwnerChange(of: Names.service, handler)
    }

    private static let properties = "org.freedesktop.DBus.Properties"

    private func subscribe(
        _ match: String,
        to interface: String,
        _ handler: @escaping ([PropertyChange]) -> Void
    ) throws(SystemError) -> BusSlot {
        try bus.subscribe(match) { message in
            let changes: [PropertyChange]
            do throws(BusError) {
                guard try message.readString() == interface else { return }
                changes = try message.readChanges()
            } catch {
                return  // a malformed signal
            }
            handler(changes)
        }
    }
}

extension BusMessage {
    /// Reads the sensors from the reply of GetManagedObjects.
    func readSensors() throws(BusError) -> [ListedSensor] {
        var sensors: [ListedSensor] = []
        try readDictionary("oa{sa{sv}}") { () throws(BusError) in
            let path = try readObjectPath()
            try readDictionary("sa{sv}") { () throws(BusError) in
                guard try readString() == Names.sensor else { return try skip() }
                var status = SensorStatus()
                try SensorStatus.properties.read(into: &status, from: self)
                sensors.append((path, status))
            }
        }
        return sensors.sorted { $0.path < $1.path }
    }

    /// Reads the reply of ListRequests.
    func readRequests() throws(BusError) -> [ListedRequest] {
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
