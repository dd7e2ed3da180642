// SPDX-License-Identifier: Apache-2.0

/// Which sensors are read, and what follows from what they report.
extension OrientationMachine {
    /// Whether a client needs the orientation of the device, not only the angle of the hinge.
    var servesOrientation: Bool {
        status.claims > 0 || !status.sensorProxyClients.isEmpty || policy.autorotatingRequests > 0
    }

    /// Whether the display is read for the angle of the hinge alone: rarely, and without classifying.
    var measuresOnlyAngle: Bool { !servesOrientation && reads.base }

    /// The accelerometers that are to be read.
    var reads: PerRole<Bool> {
        var reads = PerRole(false)
        guard lifecycle != .ending else { return reads }
        reads.base = measuresAngle && !tablet.readsSensor
        reads.display = servesOrientation || reads.base
        return reads
    }

    /// Whether the sensor of the hinge's angle is to be read, or tried again if it is lost.
    var readsHinge: Bool { measuresAngle && tablet.sensor.isPresent }

    /// How closely the accelerometers are to be read.
    package var sensing: PerRole<Sensing> {
        var sensing = PerRole(Sensing.stream)
        let purpose = sensingPurpose
        for role in AccelerometerRole.allCases {
            sensing[role] = motion[role].sensing
            sensing[role].purpose = purpose
        }
        // Readings of both halves must be compared at once.
        sensing.display.allowsBatches = configuration.power == .auto && !reads.base
        return sensing
    }

    /// The state of the sensor in use.
    package func report(_ use: SensorUse) -> SensorReport {
        let selection = table.selection(use)
        // Until all are found, any kind may have a sensor, and claims wait for it.
        let mayDeliver = selection.mayDeliverReadings || awaited.contains(.sensors)
        return SensorReport(state: selection.state, isPresent: selection.hasSensor, mayDeliver: mayDeliver)
    }

    /// Tells the table which sensors are needed now, and how closely.
    mutating func demandReadings(at time: Double) {
        let (reads, sensing) = (reads, sensing)
        table.enter(lifecycle, at: time)
        for role in AccelerometerRole.allCases {
            let use = SensorUse(.accelerometer, role)
            table.need(reads[role], use, at: time)
            table.sense(sensing[role], use, at: time)
        }
        table.need(readsHinge, SensorUse(.hinge), at: time)
    }

    /// Follows the table's actions and tells it what is needed then, until there are no more actions.
    mutating func settle(_ effects: inout Effects, measuredOnlyAngle: Bool, at time: Double) {
        var measuredOnlyAngle = measuredOnlyAngle
        repeat {
            let actions = table.takeActions()
            for action in actions { follow(action, at: time) }
            effects.actions += actions
            tablet.updateCheck(at: time)
            updateTabletMode()
            learnLaptopEdge()
            if measuredOnlyAngle, !measuresOnlyAngle { startClassifying() }
            measuredOnlyAngle = measuresOnlyAngle
            demandReadings(at: time)
        } while table.hasActions
    }

    private mutating func follow(_ action: SensorTable.Action, at time: Double) {
        guard !hasReports else { return }
        switch action {
        case .began(let number):
            guard let use = table.activeUse(of: number), use.kind == .accelerometer,
                let sampling = table.sampling(number)
            else { return }
            begin(sampling, use.role, at: time)
        case .changed(let use):
            switch use.kind {
            case .accelerometer: change(use.role, to: report(use))
            case .hinge: changeHinge(to: report(use))
            case .ambientLight, .proximity, .compass: break
            }
        case .log, .drive, .forget, .warn, .scan: break
        }
    }

    mutating func changeHinge(to report: SensorReport) {
        if lifecycle != .ending { tablet.sensor = report }
    }

    mutating func change(_ role: AccelerometerRole, to report: SensorReport) {
        // Sensors stop while the daemon ends; clients must not see that as a change.
        guard lifecycle != .ending else { return }
        sensors[role] = report
        if report.state != .sampling {
            tablet.restartAccelerometers()
            motion[role].stream()
        }
        tablet.hasAccelerometers = sensors.display.isPresent && sensors.base.isPresent
        guard role == .display else { return }
        status.hasAccelerometer = report.isPresent
        status.sensorState = report.state
    }

    private var sensingPurpose: SensingPurpose {
        if measuresOnlyAngle { return .angle }
        let isByAngle = reads.base && hasVirtualSwitch && tablet.override == .unknown
        return isByAngle && policy.tabletMode == .tablet ? .orientationAndKeyboard : .orientation
    }
}
