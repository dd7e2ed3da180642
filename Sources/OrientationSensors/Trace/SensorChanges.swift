// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import SystemdBus

/// What changes of each sensor of a recording, for people.
package struct SensorChanges {
    /// What is known of a sensor: its properties by their names on D-Bus, and others for people.
    package typealias Values = [(name: String, value: PropertyValue)]

    /// What was shown of each sensor, by number.
    private var shown: [Int: Values] = [:]

    package init() {}

    /// Whether no device was found.
    package var isEmpty: Bool { shown.isEmpty }

    /// Returns what has changed of which sensor, after an event with these effects.
    package mutating func update(
        _ table: SensorTable,
        _ effects: Effects
    ) -> [(number: Int, name: String, values: Values)] {
        // Most readings change nothing.
        guard !effects.actions.isEmpty else { return [] }
        for action in effects.actions { if case .forget(let number) = action { shown[number] = nil } }
        var changes: [(number: Int, name: String, values: Values)] = []
        for use in SensorUse.all {
            let selection = table.selection(use)
            for sensor in selection.sensors {
                guard let life = table.life(of: sensor.number) else { continue }
                let values: Values = [
                    ("Kind", .text(use.kind.name)), ("Role", .text(use.role.name)),
                    ("SysfsPath", .text(sensor.identity.path)),
                    ("InUse", .flag(sensor.number == selection.activeNumber)), ("Activity", .text(life.activity)),
                    ("Mode", .text(life.mode.name)), ("SampleRate", .decimal(life.sampleRate)),
                    ("State", .text(sensor.state.name)), ("LastError", .text(sensor.lastError)),
                ]
                let old = shown.updateValue(values, forKey: sensor.number) ?? []
                let changed = values.filter { new in !old.contains { $0 == new } }
                if !changed.isEmpty { changes.append((sensor.number, sensor.identity.name, changed)) }
            }
        }
        return changes
    }
}

extension SensorTable {
    /// What is wrong with an event of a recording: its device is unknown, or was another one.
    package func fault(of event: Event) -> TraceError.Fault? {
        switch event {
        case .deviceFound(let device):
            use(of: device.number) ?? device.use == device.use ? nil : .malformedArgument("device")
        case .deviceRemoved(let number, _), .device(let number, _):
            use(of: number) == nil ? .malformedArgument("device") : nil
        default: nil
        }
    }
}
