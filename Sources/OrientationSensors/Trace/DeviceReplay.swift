// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// The sensors of a recording, as the daemon saw them.
package struct DeviceReplay {
    /// What is known of a sensor: its properties by their names on D-Bus, and others for people.
    package typealias Values = [(name: String, value: PropertyValue)]

    /// What changed of which sensor since ``takeChanges()``.
    package private(set) var changes: [(number: Int, name: String, values: Values)] = []
    private var table = SensorTable()
    /// What was shown of each sensor, by number.
    private var shown: [Int: Values] = [:]
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
    package var isEmpty: Bool { shown.isEmpty }

    /// Handles a line of the recording; returns what is wrong with its arguments.
    package mutating func handle(_ event: RecordedEvent, at time: Double) -> TraceError.Fault? {
        self.time = time
        switch event {
        case .deviceFound(let found):
            let use = SensorUse(found.kind, found.role)
            guard SensorUse.all.contains(use) else { return .malformedArgument("role") }
            guard table.use(of: found.number) ?? use == use else { return .malformedArgument("device") }
            let location: SensorLocation = found.role == .base ? .base : .display
            let identity = SensorIdentity(name: found.name, location: location, path: found.path)
            table.find(found.number, for: use, identity, isSubstitute: found.isSubstitute, found.traits, at: time)
            if shown[found.number] == nil { shown[found.number] = [] }
        case .deviceRemoved(let number, let reason):
            guard let use = table.use(of: number), let path = table.identity(of: number)?.path else {
                return .malformedArgument("device")
            }
            table.remove(path: path, use, reason, at: time)
        case .device(let number, let event):
            guard let use = table.use(of: number) else { return .malformedArgument("device") }
            table.handle(event, of: number, at: time)
            // Samples of an accelerometer have lines of their own.
            if case .reading = event, use.kind != .accelerometer { table.add(nil, of: number, at: time) }
        case .scanned: table.endScan(mayReturn: .none, retries: false, at: time)
        case .needed(let kind, let isNeeded): table.need(isNeeded, SensorUse(kind), at: time)
        case .start, .application, .event, .level: break
        }
        show()
        return nil
    }

    /// Handles an event that ``OrientationMachine`` has handled, with its effects.
    package mutating func handle(_ event: Event, _ effects: Effects, at time: Double) {
        if case .sample = event {} else { self.time = time }
        switch event {
        case .sample(let role, let sample):
            guard let active = table.selection(SensorUse(.accelerometer, role)).activeNumber else { break }
            table.add(sample, of: active, at: self.time)
        case .samplingBegan(let role, _): sensing[role] = .stream
        default: break
        }
        for role in AccelerometerRole.allCases {
            let use = SensorUse(.accelerometer, role)
            if effects.reads[role] != reads[role] { table.need(effects.reads[role], use, at: self.time) }
            if effects.sensing[role] != sensing[role] { _ = table.sense(effects.sensing[role], use, at: self.time) }
        }
        (reads, sensing) = (effects.reads, effects.sensing)
        switch effects.step {
        case .suspend: table.enter(.suspended, at: self.time)
        case .resume: table.enter(.running, at: self.time)
        case .end: table.enter(.ending, at: self.time)
        case .ready, .exit, nil: break
        }
        show()
    }

    /// Notes what has changed of which sensor.
    private mutating func show() {
        let actions = table.takeActions()
        // Most readings change nothing.
        guard !actions.isEmpty else { return }
        for action in actions { if case .forget(let number) = action { shown[number] = nil } }
        for use in SensorUse.all {
            let selection = table.selection(use)
            for sensor in selection.sensors { show(sensor, use, isInUse: sensor.number == selection.activeNumber) }
        }
    }

    private mutating func show(_ sensor: SensorSelection.Sensor, _ use: SensorUse, isInUse: Bool) {
        guard let life = table.life(of: sensor.number) else { return }
        let values: Values = [
            ("Kind", .text(use.kind.name)), ("Role", .text(use.role.name)),
            ("SysfsPath", .text(sensor.identity.path)), ("InUse", .flag(isInUse)), ("Activity", .text(life.activity)),
            ("Mode", .text(life.mode.name)),
            ("SampleRate", .decimal(life.sampleRate)), ("State", .text(sensor.state.name)),
            ("LastError", .text(sensor.lastError)),
        ]
        let old = shown[sensor.number] ?? []
        shown[sensor.number] = values
        let changed = values.filter { new in !old.contains { $0 == new } }
        if !changed.isEmpty { changes.append((sensor.number, sensor.identity.name, changed)) }
    }
}
