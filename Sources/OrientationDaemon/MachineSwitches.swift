// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The switches that tell a tablet from a laptop, and whether the lid is closed.
///
/// They stay open while they are there, which costs nothing until one changes.
final class MachineSwitches {
    private static let wanted: Switches = [.lid, .tabletMode]

    /// Seconds until a failed scan is repeated: from the first, doubled each time, to the last.
    private static let backoff = (first: 1.0, last: 60.0)

    /// The event nodes of this machine; runs on a helper.
    typealias Enumeration = @Sendable () throws(SystemError) -> [Device]

    /// Called when the tablet mode or the lid may have changed.
    private let onChange: (TabletMode, _ isLidClosed: Bool) -> Void
    private let loop: EventLoop
    private let log: Log
    private let enumerate: Enumeration
    private var monitor: DeviceMonitor?
    private var nodes: [SwitchNode] = []
    private var retry: Timer?
    private var delay = MachineSwitches.backoff.first

    init(
        loop: EventLoop,
        log: Log,
        enumerate: @escaping Enumeration = { () throws(SystemError) in
            try Device.all(inSubsystem: "input", named: "event*")
        },
        onChange: @escaping (TabletMode, _ isLidClosed: Bool) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        self.enumerate = enumerate
        self.onChange = onChange
        retry = try loop.timer { [unowned(unsafe) self] in scan {} }
    }

    // MARK: - State

    /// A tablet if any switch says so, unknown without a switch.
    var tabletMode: TabletMode {
        let switches = nodes.filter { $0.offered.contains(.tabletMode) }
        if switches.contains(where: { $0.state.contains(.tabletMode) }) { return .tablet }
        return switches.isEmpty ? .unknown : .laptop
    }

    var isLidClosed: Bool { nodes.contains { $0.state.contains(.lid) } }

    // MARK: - Arrivals and departures

    /// Scans for switches, and follows udev's events from then on; `completion` follows the first scan.
    func begin(completion: @escaping () -> Void) throws(SystemError) {
        monitor = try DeviceMonitor(subsystem: "input", loop: loop) { [unowned(unsafe) self] change, device in
            switch change {
            case .removed: remove(at: device.syspath)
            // What could not be opened may have become accessible.
            case .added, .changed: open(device)
            }
        }
        scan(completion: completion)
    }

    /// A node as udev and the kernel describe it, and what came of opening it.
    private struct Opening: Sendable {
        let syspath: String
        let devicePath: String
        let offered: Switches
        var events: SwitchEvents?
        var warning = ""

        /// Nil for a node without switches that are wanted.
        init?(_ device: Device) {
            offered = EventNode.switches(of: device).intersection(MachineSwitches.wanted)
            guard !offered.isEmpty, let path = device.devnode else { return nil }
            syspath = device.syspath
            devicePath = path
        }

        /// Runs on a helper: opening a device can wake it up.
        func opened() -> Opening {
            var opening = self
            do throws(SystemError) {
                opening.events = try SwitchEvents(devicePath)
            } catch {
                opening.warning = "\(error)"
            }
            return opening
        }
    }

    private struct Scan: Sendable {
        var openings: [Opening] = []
        var failure: SystemError?
    }

    private func scan(completion: @escaping () -> Void) {
        HelperThread.runOnce(loop: loop) { [enumerate] in
            var scan = Scan()
            do throws(SystemError) {
                scan.openings = try enumerate().compactMap { Opening($0)?.opened() }
            } catch {
                scan.failure = error
            }
            return scan
        } completion: { [self] scan in
            for opening in scan.openings { adopt(opening) }
            if let error = scan.failure {
                log.warning("\(error); looking for switches again in \(Int(delay)) s")
                retry?.arm(after: delay, slack: delay / 10)
                delay = min(2 * delay, Self.backoff.last)
            }
            completion()
        }
    }

    private func open(_ device: Device) {
        guard let opening = Opening(device), !nodes.contains(where: { $0.syspath == opening.syspath }) else { return }
        HelperThread.runOnce(loop: loop) {
            opening.opened()
        } completion: { [self] in
            adopt($0)
        }
    }

    private func adopt(_ opening: Opening) {
        guard let events = opening.events else {
            log.warning("\(opening.warning); this switch is ignored")
            return
        }
        let isKnown = nodes.contains { $0.syspath == opening.syspath }
        guard !isKnown, let descriptor = events.pollDescriptor else { return close(events) }
        let node = SwitchNode(opening.syspath, opening.offered, events)
        do throws(SystemError) {
            node.watch = try loop.watch(descriptor) { [self] in read(node) }
        } catch {
            log.error("\(opening.devicePath): \(error)")
            return close(events)
        }
        nodes.append(node)
        log.debug("\(opening.devicePath) has a switch for \(opening.offered.names)")
        read(node)
    }

    private func remove(at syspath: String) {
        guard let node = nodes.first(where: { $0.syspath == syspath }) else { return }
        drop(node)
    }

    private func drop(_ node: SwitchNode) {
        node.watch = nil
        nodes.removeAll { $0 === node }
        close(node.events)
        onChange(tabletMode, isLidClosed)
    }

    private func close(_ events: SwitchEvents) {
        HelperThread.runOnce(loop: loop) {
            events.close()
        } completion: { _ in
        }
    }

    private func read(_ node: SwitchNode) {
        do throws(SystemError) {
            guard let state = try node.events.nextState()?.intersection(node.offered) else { return }
            node.state = state
            onChange(tabletMode, isLidClosed)
        } catch {
            // For an unplugged one, udev's event follows.
            if error.errno != .noDevice { log.warning("\(error); this switch is ignored from now on") }
            drop(node)
        }
    }
}

/// An event node with wanted switches; it and its watch hold each other until that is nil.
private final class SwitchNode {
    let syspath: String

    /// The switches that it has.
    let offered: Switches
    let events: SwitchEvents
    var watch: EventSource?

    /// The switches that are on.
    var state: Switches = []

    init(_ syspath: String, _ offered: Switches, _ events: SwitchEvents) {
        self.syspath = syspath
        self.offered = offered
        self.events = events
    }
}

extension Switches {
    /// The wanted ones, for the log.
    fileprivate var names: String {
        [(Switches.lid, "the lid"), (.tabletMode, "tablet mode")].filter { contains($0.0) }.map { $0.1 }
            .joined(separator: " and ")
    }
}
