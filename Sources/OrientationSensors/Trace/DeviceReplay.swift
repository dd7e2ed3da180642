// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// The machines of the devices and the selections of the sensors, run over a recording as the daemon ran them.
package struct DeviceReplay {
    /// What is known of a sensor: its properties by their names on D-Bus, and others for people.
    package typealias Values = [(name: String, value: PropertyValue)]

    private struct Device {
        var machine: DeviceMachine
        var path: String
        /// An index of `groups`.
        let group: Int
        var shown: Values = []
    }

    /// What changed of which sensor since ``takeChanges()``.
    package private(set) var changes: [(number: Int, name: String, values: Values)] = []
    private var groups = (SensorKind.allCases.map { ($0, .display) } + [(.accelerometer, .base)]).map {
        (kind: SensorKind, role: AccelerometerRole) in (kind: kind, role: role, selection: SensorSelection())
    }
    private var devices: [Int: Device] = [:]
    /// The time of the last event; a sample has the time of its reading, which is the event before it.
    private var time = 0.0
    private var reads = PerRole(false)
    private var sensing = PerRole(Sensing.stream)

    package init() {}

    /// Returns and forgets the changes.
    ///
    /// Swift 6.2.3 would crash on a caller that sets a property of an optional of this type.
    package mutating func takeChanges() -> [(number: Int, name: String, values: Values)] {
        defer { changes = [] }
        return changes
    }

    /// Whether no device was found.
    package var isEmpty: Bool { devices.isEmpty }

    private func group(_ kind: SensorKind, _ role: AccelerometerRole = .display) -> Int? {
        groups.firstIndex { $0.kind == kind && $0.role == role }
    }

    // MARK: - Events

    /// Handles a line of the recording; returns what is wrong with its arguments.
    package mutating func handle(_ event: RecordedEvent, at time: Double) -> TraceError.Fault? {
        self.time = time
        switch event {
        case .deviceFound(let found):
            let old = devices[found.number]
            guard let group = group(found.kind, found.role) else { return .malformedArgument("role") }
            guard old == nil || old?.group == group else { return .malformedArgument("device") }
            if let old, old.path != found.path {
                deliver(.removed, to: found.number)
                devices[found.number]?.path = found.path
            } else if old == nil {
                let machine = DeviceMachine(rate: found.rate)
                devices[found.number] = Device(machine: machine, path: found.path, group: group)
            }
            if found.isDescribed { deliver(.found(found.traits), to: found.number) }
            let location: SensorLocation = found.role == .base ? .base : .display
            let identity = SensorIdentity(name: found.name, location: location, path: found.path)
            deliver(.found(found.number, identity, isSubstitute: found.isSubstitute), group)
        case .deviceRemoved(let number, let reason):
            guard let device = devices[number] else { return .malformedArgument("device") }
            deliver(.removed, to: number)
            deliver(.removed(path: device.path, reason), device.group)
        case .device(let number, let event):
            guard let group = devices[number]?.group else { return .malformedArgument("device") }
            deliver(event, to: number)
            // Samples of an accelerometer have lines of their own.
            if case .reading = event, groups[group].kind != .accelerometer { deliver(.sample(number, nil), group) }
        case .scanned: for group in groups.indices { deliver(.scanned(mayReturn: .none, retries: false), group) }
        case .needed(let kind, let isNeeded): deliver(.needed(isNeeded), group(kind))
        case .start, .application, .event, .level: break
        }
        return nil
    }

    /// Handles an event that ``OrientationMachine`` has handled, with its effects.
    package mutating func handle(_ event: Event, _ effects: Effects, at time: Double) {
        if case .sample = event {} else { self.time = time }
        switch event {
        case .sample(let role, let sample):
            guard let group = group(.accelerometer, role), let active = groups[group].selection.active else { break }
            deliver(.sample(active.number, sample), group)
        case .samplingBegan(let role, _): sensing[role] = .stream
        default: break
        }
        for role in AccelerometerRole.allCases {
            let group = group(.accelerometer, role)
            if effects.reads[role] != reads[role] { deliver(.needed(effects.reads[role]), group) }
            if effects.sensing[role] != sensing[role] { sense(effects.sensing[role], group) }
        }
        (reads, sensing) = (effects.reads, effects.sensing)
        let lifecycle: OrientationMachine.Lifecycle
        switch effects.step {
        case .suspend: lifecycle = .suspended
        case .resume: lifecycle = .running
        case .end: lifecycle = .ending
        case .ready, .exit, nil: return
        }
        for group in groups.indices { deliver(.lifecycle(lifecycle), group) }
    }

    private mutating func sense(_ sensing: Sensing, _ group: Int?) {
        guard let group, groups[group].selection.isReading, let active = groups[group].selection.active else { return }
        deliver(.sense(sensing), to: active.number)
    }

    // MARK: - Commands

    private mutating func deliver(_ event: DeviceEvent, to number: Int) {
        guard let group = devices[number]?.group else { return }
        let report = devices[number]?.machine.handle(event, at: time).report
        if let report { deliver(.report(number, report), group) }
        show(number)
    }

    private mutating func deliver(_ event: SensorEvent, _ group: Int?) {
        guard let group else { return }
        let commands = groups[group].selection.handle(event)
        if let number = commands.stop { deliver(.stop, to: number) }
        if let number = commands.start { deliver(.start, to: number) }
        if let number = commands.forget { devices[number] = nil }
        if commands.isChanged { for sensor in groups[group].selection.sensors { show(sensor.number) } }
    }

    private mutating func show(_ number: Int) {
        guard let device = devices[number] else { return }
        let (kind, role, selection) = groups[device.group]
        guard let sensor = selection.sensor(number) else { return }
        let shown: Values = [
            ("Kind", .text(kind.name)), ("Role", .text(role.name)), ("SysfsPath", .text(device.path)),
            ("InUse", .flag(selection.active?.number == number)), ("Activity", .text(device.machine.activity)),
            ("Mode", .text(device.machine.mode.name)), ("SampleRate", .decimal(device.machine.sampleRate)),
            ("State", .text(sensor.state.name)), ("LastError", .text(sensor.lastError)),
        ]
        devices[number]?.shown = shown
        let values = shown.filter { new in !device.shown.contains { $0 == new } }
        if !values.isEmpty { changes.append((number, sensor.identity.name, values)) }
    }
}
