// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// The switches of the machine that tell a tablet from a laptop, and whether the lid is closed.
///
/// They are open for as long as they are there, and wake nobody up while they stay as they are.
final class MachineSwitches {
    private static let wanted: Switches = [.lid, .tabletMode]

    private let driver: MachineDriver
    private var reported = (mode: TabletMode.unknown, isLidClosed: false)
    private let loop: EventLoop
    private let helper: HelperThread
    private let log: Log
    private var monitor: DeviceMonitor?
    private var nodes: [SwitchNode] = []

    init(loop: EventLoop, helper: HelperThread, log: Log, driver: MachineDriver) {
        self.loop = loop
        self.helper = helper
        self.log = log
        self.driver = driver
    }

    // MARK: - What is known

    /// What the machine is used as: a tablet if any switch says so, unknown where none tells.
    var tabletMode: TabletMode {
        let switches = nodes.filter { $0.offered.contains(.tabletMode) }
        if switches.contains(where: { $0.state.contains(.tabletMode) }) { return .tablet }
        return switches.isEmpty ? .unknown : .laptop
    }

    var isLidClosed: Bool { nodes.contains { $0.state.contains(.lid) } }

    private func report() {
        let old = reported
        reported = (tabletMode, isLidClosed)
        if reported.mode != old.mode { driver.deliver(.tabletSwitch(reported.mode)) }
        if reported.isLidClosed != old.isLidClosed { driver.deliver(.lid(isClosed: reported.isLidClosed)) }
    }

    // MARK: - Coming and going

    /// Looks for switches, and from then on whenever udev tells of one; `completion` follows the first look.
    func begin(completion: @escaping () -> Void) throws(SystemError) {
        monitor = try DeviceMonitor(subsystem: "input", loop: loop) { [self] change, device in
            switch change {
            case .removed: remove(at: device.syspath)
            // Where the rights to a node have come only now, what could not be opened can be.
            case .added, .changed: look(at: device)
            }
        }
        helper.run {
            Self.openAll()
        } completion: { [self] openings in
            for opening in openings { adopt(opening) }
            completion()
        }
    }

    /// The switches of a node as udev and the kernel describe it, and what came of opening it.
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

        /// Runs on the helper: opening a device can wake it up.
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

    private static func openAll() -> [Opening] {
        let devices = try? Device.all(inSubsystem: "input", named: "event*")
        return (devices ?? []).compactMap { Opening($0)?.opened() }
    }

    private func look(at device: Device) {
        guard let opening = Opening(device), !nodes.contains(where: { $0.syspath == opening.syspath }) else { return }
        helper.run {
            opening.opened()
        } completion: { [self] in
            adopt($0)
        }
    }

    private func adopt(_ opening: Opening) {
        guard let events = opening.events else {
            log.warning("\(opening.warning); what this switch says does not count")
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
        report()
    }

    private func close(_ events: SwitchEvents) {
        helper.run {
            events.close()
        } completion: {
        }
    }

    private func read(_ node: SwitchNode) {
        do throws(SystemError) {
            guard let state = try node.events.nextState()?.intersection(node.offered) else { return }
            node.state = state
            report()
        } catch {
            // Of an unplugged one udev tells as well, a little later.
            if error.errno != .noDevice { log.warning("\(error); what this switch says does not count any more") }
            drop(node)
        }
    }
}

/// An event node with switches that count; it and its watch hold each other until that is nil.
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
    /// Those that count, for the log.
    fileprivate var names: String {
        [(Switches.lid, "the lid"), (.tabletMode, "tablet mode")].filter { contains($0.0) }.map { $0.1 }
            .joined(separator: " and ")
    }
}
