// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// The policy at work: set up from the configuration, the machine and what an earlier run has left, and kept for a
/// later one.
final class InterfaceRotation: RotationHost {
    /// Seconds until what is shown is kept, so that turning to and fro does not wear out the disk.
    private static let patience = 10.0

    private(set) var policy: RotationPolicy

    /// Whether the device is ignored; afterwards the next edge counts as a turn, whichever it is.
    var isPaused = false {
        didSet {
            take(isPaused ? policy.pause() : policy.resume())
        }
    }

    /// Called after each decision, when what must be kept is.
    var onDecision: (Decision) -> Void = { _ in }

    private let configuration: Configuration
    private let bus: Bus
    private let log: Log
    private let file: StateFile?
    private var timer: Timer?
    private var isTimerArmed = false

    /// What the file says; nil while there is none that counts.
    private var kept: SavedState?

    /// The mode that was set at run time, now or by an earlier run.
    private var chosenMode: AutorotateMode?

    /// What hostnamed takes the machine for.
    private var chassis: Idiom?

    /// Whether a switch or an angle tells what the machine is used as.
    private var tellsTabletMode = false

    private var lastFailure = ""

    /// Takes up what `file` has kept; without a file nothing outlives the process.
    init(
        configuration: Configuration,
        natural: DeviceOrientation,
        file: StateFile?,
        loop: EventLoop,
        bus: Bus,
        log: Log
    ) throws(SystemError) {
        self.configuration = configuration
        self.file = file
        self.bus = bus
        self.log = log
        kept = file.flatMap { Self.read($0, log) }
        chosenMode = kept?.autorotate
        policy = RotationPolicy(
            configuration: configuration.rotation(chassis: nil, natural: natural),
            autorotate: chosenMode ?? configuration.autorotateMode(chassis: nil, tellsTabletMode: false),
            memory: kept.map { RotationPolicy.Memory(lock: $0.lock, held: $0.held, shown: $0.shown) }
        )
        timer = try loop.timer { [self] in keep() }
    }

    /// Finds out what kind of machine this is, if the configuration leaves that open, and calls `completion`.
    func begin(completion: @escaping () -> Void) {
        guard configuration.idiom == nil else { return completion() }
        Chassis.ask(over: bus) { [self] answer in
            switch answer {
            case .success(let chassis): configure(for: chassis)
            case .failure(let error):
                log.warning("hostnamed does not tell the chassis, so it counts as a tablet: \(error)")
            }
            completion()
        }
    }

    private func configure(for chassis: Idiom?) {
        self.chassis = chassis
        let natural = policy.configuration.natural
        take(policy.configure(configuration.rotation(chassis: chassis, natural: natural)))
        setUsualMode()
    }

    private func setUsualMode() {
        guard chosenMode == nil else { return }
        take(policy.setAutorotate(configuration.autorotateMode(chassis: chassis, tellsTabletMode: tellsTabletMode)))
    }

    /// Takes notice of what the machine is used as, and of whether anything tells that.
    func machineUsed(as mode: TabletMode, isTold: Bool) {
        if isTold != tellsTabletMode {
            tellsTabletMode = isTold
            setUsualMode()
        }
        if mode != policy.tabletMode { take(policy.setTabletMode(mode)) }
    }

    /// Keeps what is not kept yet; nothing follows.
    func end() {
        keep()
    }

    func deviceTurned(to edge: DeviceOrientation) {
        take(policy.deviceTurned(to: edge))
    }

    func decide(_ body: (inout RotationPolicy) throws(RotationRefusal) -> Decision) throws(RotationRefusal) {
        let mode = policy.autorotate
        let decision = try body(&policy)
        if policy.autorotate != mode { chosenMode = policy.autorotate }
        take(decision)
    }

    private func take(_ decision: Decision) {
        if let transition = decision.transition {
            log.debug("\(transition.to) after \(transition.from), by \(transition.reason): \(policy.explanation)")
        }
        let present = state
        if present.lock != kept?.lock ?? .off || present.autorotate != kept?.autorotate
            || (present.lock != .off && present.held != kept?.held)
        {
            keep()
        } else if present.shown != kept?.shown, decision.transition != nil, !isTimerArmed {
            // Not put off by later turns: a device in motion would never be done.
            isTimerArmed = true
            timer?.arm(after: Self.patience, slack: Self.patience / 10)
        }
        onDecision(decision)
    }

    // MARK: - What outlives the process

    private var state: SavedState {
        let memory = policy.memory
        return SavedState(lock: memory.lock, held: memory.held, autorotate: chosenMode, shown: memory.shown)
    }

    private static func read(_ file: StateFile, _ log: Log) -> SavedState? {
        switch file.read() {
        case .missing:
            return nil
        case .state(let state):
            return state
        case .unusable(let warning):
            log.warning(warning)
            return nil
        }
    }

    /// Writes the file if it says something else.
    private func keep() {
        timer?.disarm()
        isTimerArmed = false
        guard let file, state != kept else { return }
        do throws(SystemError) {
            try file.write(state)
            kept = state
            lastFailure = ""
        } catch {
            let failure = "\(error)"
            if failure != lastFailure {
                log.warning("\(failure); the lock and the orientation will not outlast this run")
            }
            lastFailure = failure
        }
    }
}
