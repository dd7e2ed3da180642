// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The switches that tell a tablet from a laptop, and whether the lid is closed.
///
/// They stay open while they are there, which costs nothing until one changes.
final class LidAndTabletSwitches {
    private static let wanted: Switches = [.lid, .tabletMode]

    /// Seconds until a failed scan is repeated: from the first, doubled each time, to the last.
    private static let backoff = (first: 1.0, last: 3600.0)

    /// Seconds that two tablet switches may differ while one of them changes.
    private static let disagreement = 5.0

    /// The event nodes of this machine; runs on a helper.
    typealias Enumeration = @Sendable () throws(SystemError) -> [Device]

    /// Called when the tablet mode or the lid may have changed.
    private let onChange: (TabletMode, _ isLidClosed: Bool) -> Void
    private let loop: EventLoop
    private let log: Log
    private let ignored: Ignored
    private let countsKeyboards: Bool
    private let enumerate: Enumeration
    private var monitor: DeviceMonitor?
    /// The open nodes, by syspath.
    private var nodes: [String: Node] = [:]
    /// The syspaths of the attached keyboards; nil until they are known, and where they do not count.
    private var keyboards: Set<String>?
    /// Called once, after the first scan that leaves no switch closed.
    private var onFound: (() -> Void)?
    /// Open the nodes, which can wake a device up: one that hangs holds up no other.
    private let jobs: DeviceJobs<Result<SwitchEvents, SystemError>>
    /// Whether the last scan has listed the nodes, and what failed since it began.
    private var isListed = false
    private var failure: SystemError?
    /// The number of scans that were begun.
    private var scans = 0
    private var retry: Timer?
    private var disagreement: Timer?
    private var disagrees = false
    private var delay = LidAndTabletSwitches.backoff.first
    private var problem: ProblemLog

    /// The names of the input devices whose switches are ignored.
    struct Ignored: Sendable {
        var lid: [String] = []
        var tabletMode: [String] = []

        /// The switches that are not ignored, of those that an input device of that name offers.
        func remaining(of offered: Switches, named name: String) -> Switches {
            var remaining = offered
            if lid.contains(name) { remaining.remove(.lid) }
            if tabletMode.contains(name) { remaining.remove(.tabletMode) }
            return remaining
        }
    }

    /// With `countsKeyboards`, a computer without a tablet switch is a tablet while no keyboard is attached.
    init(
        loop: EventLoop,
        log: Log,
        ignored: Ignored = Ignored(),
        countsKeyboards: Bool = false,
        enumerate: @escaping Enumeration = { () throws(SystemError) in
            try Device.all(inSubsystem: "input", named: "event*")
        },
        onChange: @escaping (TabletMode, _ isLidClosed: Bool) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        self.ignored = ignored
        self.countsKeyboards = countsKeyboards
        self.enumerate = enumerate
        self.onChange = onChange
        problem = ProblemLog(log, consequence: "looking for switches again")
        jobs = try DeviceJobs(loop: loop)
        jobs.onHang = { [self] in finishScan() }
        jobs.onUnanswered = { path in log.warning("\(path) does not answer: its switches are not used until it does") }
        retry = try loop.timer { [self] in scan() }
        disagreement = try loop.timer { [self] in
            let names = tabletSwitches.map { "\($0.description.name) (\($0.isTablet ? "tablet" : "laptop"))" }
            let text = names.sorted().joined(separator: ", ")
            log.warning("tablet switches disagree: \(text); any tablet counts; IgnoreTabletSwitch=NAME ignores one")
        }
    }

    // MARK: - State

    private var tabletSwitches: [Node] { nodes.values.filter { $0.description.offered.contains(.tabletMode) } }

    /// A tablet if any switch says so; without a switch, what the keyboards say if they count, else unknown.
    var tabletMode: TabletMode {
        let switches = tabletSwitches
        if switches.contains(where: { $0.isTablet }) { return .tablet }
        if !switches.isEmpty { return .laptop }
        // Not while a switch may still be opened.
        guard let keyboards, jobs.waitingCount == 0 else { return .unknown }
        return keyboards.isEmpty ? .tablet : .laptop
    }

    /// Warns that the tablet switches which decide contradict the hinge, whose angle is in degrees.
    func warnOfContradiction(angle: Double) {
        let mode = tabletMode
        for node in tabletSwitches where node.isTablet == (mode == .tablet) {
            let name = node.description.name
            log.warning(
                "\(name) says \(mode), but the hinge is open by \(Int(angle.rounded()))°; IgnoreTabletSwitch=\(name) ignores it"
            )
        }
    }

    var isLidClosed: Bool { isCovered || nodes.values.contains { $0.state.contains(.lid) } }

    /// Whether a sensor says that the cover of a tablet is closed, which is as a closed lid.
    var isCovered = false {
        didSet { if isCovered != oldValue { changed() } }
    }

    // MARK: - Arrivals and departures

    /// Scans for switches, and follows udev's events from then on; calls `completion` when all of them are open.
    func begin(completion: @escaping () -> Void) throws(SystemError) {
        monitor = try DeviceMonitor(subsystem: "input", loop: loop) { [self] change, device in
            switch change {
            case .removed:
                drop(device.syspath)
                // A scan that is under way may have seen it.
                if countsKeyboards, !isListed || keyboards?.contains(device.syspath) == true { scan() }
            // What could not be opened may have become accessible.
            case .added, .changed:
                let isSwitch = nodes[device.syspath] == nil && Description(device, ignoring: ignored) != nil
                guard isSwitch || countsKeyboards && EventNode.isAttachedKeyboard(device) else { return }
                delay = Self.backoff.first
                scan()
            }
        }
        onFound = completion
        scan()
    }

    /// An event node with wanted switches, as udev and the kernel describe it.
    private struct Description: Sendable {
        let syspath: String
        let devicePath: String
        /// Of the input device.
        let name: String
        let offered: Switches

        /// Nil for a node without switches that are wanted.
        init?(_ device: Device, ignoring ignored: Ignored) {
            name = EventNode.deviceName(of: device)
            offered = ignored.remaining(
                of: EventNode.switches(of: device).intersection(LidAndTabletSwitches.wanted),
                named: name
            )
            guard !offered.isEmpty, let path = device.devnode else { return nil }
            syspath = device.syspath
            devicePath = path
        }
    }

    private struct Node {
        let description: Description
        let events: SwitchEvents
        let watch: EventSource
        /// The switches that are on.
        var state: Switches
        var isTablet: Bool { state.contains(.tabletMode) }
    }

    /// What a scan finds.
    private struct Listing: Sendable {
        var switches: [Description] = []
        var keyboards: Set<String> = []
    }

    /// Opens the nodes that are not open.
    private func scan() {
        scans += 1
        isListed = false
        failure = nil
        HelperThread.runOnce(loop: loop) { [enumerate, ignored, countsKeyboards] in
            Result { () throws(SystemError) in
                var listing = Listing()
                for device in try enumerate() {
                    if let found = Description(device, ignoring: ignored) { listing.switches.append(found) }
                    guard countsKeyboards, EventNode.isAttachedKeyboard(device) else { continue }
                    listing.keyboards.insert(device.syspath)
                }
                return listing
            }
        } completion: { [self, number = scans] result in
            // A later scan knows more.
            guard number == scans else { return }
            isListed = true
            failure = result.error
            if let listing = try? result.get() { take(listing) }
            finishScan()
        }
    }

    private func take(_ listing: Listing) {
        for found in listing.switches where nodes[found.syspath] == nil && !jobs.contains(found.syspath) {
            open(found)
        }
        if countsKeyboards { keyboards = listing.keyboards }
    }

    private func open(_ description: Description) {
        jobs.run(description.syspath) { [path = description.devicePath] in
            Result { () throws(SystemError) in try SwitchEvents(path) }
        } completion: { [self] result in
            do throws(SystemError) { try adopt(description, result.get()) } catch { failure = failure ?? error }
            finishScan()
        }
    }

    /// Ends a scan once all nodes are open but those that hang.
    private func finishScan() {
        guard isListed, jobs.waitingCount == 0 else { return }
        if let failure = failure.take() { return retryLater(failure) }
        if countsKeyboards { changed() }
        problem.update(nil)
        retry?.disarm()
        delay = Self.backoff.first
        onFound.take()?()
    }

    private func retryLater(_ error: SystemError) {
        problem.update("\(error)")
        retry?.arm(after: delay, slack: delay / 10)
        delay = min(2 * delay, Self.backoff.last)
    }

    private func adopt(_ description: Description, _ events: SwitchEvents) throws(SystemError) {
        let path = description.syspath
        guard nodes[path] == nil, let descriptor = events.pollDescriptor else { return close(events) }
        do throws(SystemError) {
            let watch = try loop.watch(descriptor) { [self] in read(path) }
            let state = try (events.nextState() ?? []).intersection(description.offered)
            nodes[path] = Node(description: description, events: events, watch: watch, state: state)
        } catch {
            close(events)
            throw error
        }
        log.debug("\(description.devicePath) has switches: \(description.name)")
        changed()
    }

    private func drop(_ path: String) {
        jobs.forget(path)
        guard let node = nodes.removeValue(forKey: path) else { return }
        close(node.events)
        changed()
    }

    private func changed() {
        let disagreed = disagrees
        disagrees = Set(tabletSwitches.map { $0.isTablet }).count == 2
        if !disagrees { disagreement?.disarm() }
        if disagrees, !disagreed { disagreement?.arm(after: Self.disagreement, slack: 1) }
        onChange(tabletMode, isLidClosed)
    }

    private func close(_ events: SwitchEvents) {
        HelperThread.runOnce(loop: loop, { events.close() }, completion: {})
    }

    private func read(_ path: String) {
        guard let node = nodes[path] else { return }
        do throws(SystemError) {
            guard let state = try node.events.nextState()?.intersection(node.description.offered) else { return }
            nodes[path]?.state = state
            changed()
        } catch {
            drop(path)
            // For an unplugged one, udev's event follows.
            if error.errno != .noDevice { retryLater(error) }
        }
    }
}
