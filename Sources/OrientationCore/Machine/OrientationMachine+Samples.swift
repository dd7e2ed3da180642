// SPDX-License-Identifier: Apache-2.0

// What a reading changes, and whether the device rests.
extension OrientationMachine {
    /// Handles what a device sends; says whether the policy may have decided something, nil for all other events.
    mutating func read(_ event: Event, at time: Double) -> Bool? {
        switch event {
        case .sample(let role, let sample):
            if let number = table.activeNumber(SensorUse(.accelerometer, role)) {
                table.add(sample, of: number, at: time)
            }
            return handle(sample, role, at: time)
        case .device(let number, let event):
            table.handle(event, of: number, at: time)
            // Samples of an accelerometer are events of their own.
            if case .reading = event, let use = table.use(of: number), use.kind != .accelerometer {
                table.add(nil, of: number, at: time)
            }
            return false
        default: return nil
        }
    }

    /// Classifies a sample; says whether the policy may have decided something.
    private mutating func handle(_ sample: AccelerometerSample, _ role: AccelerometerRole, at time: Double) -> Bool {
        let (mode, isContradicted) = (tablet.hinge.tabletMode, tablet.check.isContradicted)
        tablet.add(sample.acceleration, of: role, at: time)
        let isOtherMode = tablet.hinge.tabletMode != mode
        if isOtherMode { updateTabletMode() }
        let isTurned = role == .display && !measuresOnlyAngle && classify(sample)
        watchMotion(sample, role, at: time)
        let isLearned = learnLaptopEdge()
        silence[role].note(sample, isTurning: isTurning(role), isAwaited: awaitsRest(role), at: time)
        return isLearned || isTurned || isOtherMode || tablet.check.isContradicted != isContradicted
    }

    // MARK: - Rest

    /// Whether silence of a sensor matters, as it shows that the device rests.
    private func awaitsRest(_ role: AccelerometerRole) -> Bool {
        configuration.power == .auto && !motion[role].isResting
    }

    /// Whether a turn of the interface is under way.
    private func isTurning(_ role: AccelerometerRole) -> Bool {
        role == .display && !measuresOnlyAngle && tracker.isTurning
    }

    private mutating func watchMotion(_ sample: AccelerometerSample, _ role: AccelerometerRole, at time: Double) {
        let wasResting = motion[role].isResting
        if role == .display {
            motion.display.add(
                sample,
                gravity: tracker.reference,
                isTurning: isTurning(.display),
                mayRest: tracker.hasAnswer || measuresOnlyAngle,
                at: time
            )
        } else {
            motion.base.add(sample, at: time)
        }
        // Both halves of a hinge are read when one moves: the last reading of the other half is not of the same time.
        guard wasResting, !motion[role].isResting, motion[role.other].isResting else { return }
        motion[role.other].stream()
        tablet.hinge.dropReading(of: role.other)
    }

    /// Repeats the last sample of a silent sensor, of the two the one that has been silent for longer.
    mutating func repeatSample(at time: Double) {
        let isBase = silence.base.deadline ?? .infinity < silence.display.deadline ?? .infinity
        let role = isBase ? AccelerometerRole.base : .display
        guard let sample = silence[role].next(at: time) else { return }
        let isClassified = role == .display && !measuresOnlyAngle
        if isClassified { _ = classify(sample) }
        guard awaitsRest(role), !isTurning(role), silence[role].deadline == nil else { return }
        guard !isClassified || tracker.hasAnswer else { return }
        motion[role].fallSilent(gravity: role == .display ? tracker.reference : 1, at: time)
    }

    /// Classifies a new or a repeated sample; returns whether the edge changed.
    private mutating func classify(_ sample: AccelerometerSample) -> Bool {
        let (edge, hadEdge) = (tracker.deviceEdge, tracker.hasEdge)
        tracker.add(sample, motion.display.sensing)
        // The first edge after a pause is a turn even if it is the same as before.
        guard tracker.deviceEdge != edge || tracker.hasEdge != hadEdge else { return false }
        policy.deviceTurned(to: tracker.deviceEdge)
        return true
    }

    mutating func begin(_ sampling: Sampling, _ role: AccelerometerRole, at time: Double) {
        tablet.restartAccelerometers()
        motion[role].begin(reportsChanges: sampling.mayFallSilent)
        let samplePeriod = sampling.rate > 0 ? 1 / sampling.rate : 1 / 15
        silence[role].begin(samplePeriod: sampling.mayFallSilent ? samplePeriod : nil)
        guard role == .display else { return }
        tracker.begin(samplePeriod: samplePeriod, faceUp: sampling.faceUp)
        tablet.repeatCheck(at: time)
    }

    /// Lets the next sample decide at once, and every one after it be read.
    mutating func startClassifying() {
        tracker.restart()
        motion.display.stream()
        motion.base.stream()
    }
}
