// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX
package import SystemdBus

/// The samples of one accelerometer, for a program that reads no other sensor.
package final class DeviceSource: SensorSource {
    package var onEvent: ((SourceEvent) -> Void)?

    private let loop: EventLoop
    private let driver: DeviceDriver
    private var machine: DeviceMachine
    private var deadline: Double?
    private var timer: Timer?

    /// Creates a source that samples at the first rate of the device that is at least `rate` Hz, or polls at `rate`.
    ///
    /// A device that does not answer for `stallTime` seconds counts as stalled. orientd, if it runs, has prepared the
    /// device.
    package init(
        _ device: any SensorDevice,
        scaling: SensorScaling,
        rate: Double,
        loop: EventLoop,
        helper: HelperThread? = nil,
        stallTime: Double = DeviceMachine.stallTime
    ) throws(SystemError) {
        let helper = if let helper { helper } else { try HelperThread(loop: loop) }
        self.loop = loop
        driver = try DeviceDriver(loop: loop, helper: helper, isPrepared: true)
        machine = DeviceMachine(stallTime: stallTime)
        timer = try loop.timer(owned(by: self) { $0.handle(.deadlinePassed) })
        driver.onEvent = owned(by: self) { $0.handle($1) }
        driver.onReading = owned(by: self) { source, measurement in
            if case .acceleration(let sample) = measurement { source.onEvent?(.sample(sample)) }
        }
        find(device, scaling: scaling, rate: rate, helper: helper)
    }

    package var mode: SensorMode { machine.mode }
    package var sampleRate: Double { machine.sampleRate }
    package var isClosed: Bool { machine.isClosed }

    package func start() { handle(.start) }

    package func stop() { handle(.stop) }

    /// Sets the sensing level; sampling begins with ``Sensing/stream``.
    package func sense(_ sensing: Sensing) { handle(.sense(sensing)) }

    /// Closes the device, if it is open, and uses this one from then on.
    package func find(_ device: any SensorDevice, scaling: SensorScaling, rate: Double, helper: HelperThread) {
        driver.find(device, scaling: scaling, rate: rate, helper: helper)
        if let traits = FoundDevice(device.description, scaling, rate: rate).traits { handle(.found(traits)) }
    }

    /// Passes an event to the machine, and carries out its commands.
    private func handle(_ event: DeviceEvent) {
        let commands = machine.handle(event, at: loop.now)
        if machine.deadline != deadline {
            deadline = machine.deadline
            if let deadline { timer?.arm(after: deadline - loop.now) } else { timer?.disarm() }
        }
        let problem = driver.execute(commands)
        if let report = commands.report { onEvent?(.report(report)) }
        if let problem { handle(.unreadable("\(problem)")) }
    }
}
