// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import OrientationCore
import POSIX
import SystemdBus

/// Receives what happens to the display.
protocol DisplayRotatorDelegate: AnyObject {
    /// The outputs changed, or are known for the first time.
    func outputsChanged()

    /// The display was rotated or restored.
    func rotated()

    func windowChanged(_ window: FocusedWindow?)

    /// There is nothing to rotate any more; the process is to end with this status.
    func displayLost(_ status: Int32)
}

/// Rotates the panel of one display, and keeps on disk what must be restored.
final class DisplayRotator: OutputBackendDelegate {
    private let output: String?
    private let mapsInput: Bool
    private let log: Log
    private let display: String
    /// Nil while the connection is lost: an agent of a new session may take it.
    private var lock: AgentLock?
    private let file: RestoreFile?
    private let server: DisplayServer

    /// Set once, before ``begin()``.
    unowned(unsafe) var delegate: (any DisplayRotatorDelegate)?

    /// Nil while the outputs are not known.
    private var rotation: PanelRotation?
    private var target: OutputTransform?
    private var isReleased = false
    /// Whether the connection is lost, which has been reported.
    private var isLost = false
    /// What the file contains.
    private var saved: RestorePoint?
    /// The transform that the delegate knows of.
    private var reported: Transform?
    private var onSettled: (() -> Void)?
    /// Whether the last attempt to save failed, which was reported.
    private var cannotSave = false
    /// The same for the lock's file.
    private var cannotReport = false

    /// Takes the display that the environment names; throws if another process rotates it already.
    init(
        _ backend: BackendChoice,
        _ configuration: AgentConfiguration,
        loop: EventLoop,
        log: Log
    ) throws(SystemError) {
        output = configuration.output
        mapsInput = configuration.inputMapping == .auto
        self.log = log
        let backend = backend.resolved ?? .wlr
        display = DisplayServer.name(for: backend)
        lock = try AgentLock(display: display)
        file = RestoreFile(display: display)
        saved = file?.read { log.warning($0) }
        server = try DisplayServer(backend, loop: loop)
    }

    /// Connects to the display server.
    func begin() throws(SystemError) {
        server.delegate = self
        try server.connect()
    }

    /// Whether an earlier agent left something to restore.
    var hasLeftover: Bool { saved != nil }

    /// The output that is rotated; nil while it is missing or unknown.
    var panel: Output? { rotation?.panel }

    /// Whether the outputs are known.
    var isReady: Bool { rotation != nil }

    /// The output that is rotated, with the transform that was applied last; nil while it is missing or unknown.
    var shownPanel: Output? { rotation?.shownPanel }

    /// The process that provides the display; nil if unknown.
    var serverProcess: Int32? { server.outputs?.server }

    /// Says in the lock's file what the agent does.
    func report(_ activity: String) {
        do throws(SystemError) {
            try lock?.write(activity)
            cannotReport = false
        } catch {
            if !cannotReport { log.warning("\(error); orientctl status does not name this agent") }
            cannotReport = true
        }
    }

    /// Rotates the panel, now or as soon as it is there.
    func want(_ transform: OutputTransform) {
        target = transform
        isReleased = false
        guard var rotation else { return }
        let actions = rotation.want(transform)
        carryOut(actions, rotation)
    }

    /// Puts the outputs back; `completion` is called when that has ended, or at once if there is nothing to do.
    func release(completion: @escaping () -> Void = {}) {
        isReleased = true
        onSettled = completion
        guard var rotation else {
            // Nothing was rotated yet, but an earlier agent may have left something; a server that has gone shows nothing.
            if !hasLeftover || isLost { settle() }
            return
        }
        let actions = rotation.release()
        carryOut(actions, rotation)
    }

    /// Leaves the outputs as they are, with nothing to restore later.
    func keep() { save(nil) }

    /// Puts the outputs back, and then the devices that follow them.
    func release(with inputs: (any InputMapper)?, completion: @escaping () -> Void) {
        release { [self] in
            guard let inputs, let panel = shownPanel else { return completion() }
            inputs.end(with: panel, completion: completion)
        }
    }

    // MARK: - Reports

    /// Takes the lock again after the connection was lost; false if this session has ended meanwhile.
    private func isStillOurs() -> Bool {
        guard lock == nil else { return true }
        do throws(SystemError) {
            lock = try AgentLock(display: display)
        } catch {
            log.info("\(error); leaving the display to it")
            return false
        }
        guard Compositor.detected?.isSocketMissing ?? false else { return true }
        log.info("the compositor of this session has ended")
        return false
    }

    /// The compositor has read its configuration again.
    func configurationReloaded() {
        guard var rotation else { return }
        let actions = rotation.configurationReloaded()
        carryOut(actions, rotation)
    }

    func outputsChanged(_ outputs: [Output]) {
        guard let backend = server.outputs else { return }
        guard isStillOurs() else { return delegate?.displayLost(0) ?? () }
        server.outputsKnown()
        isLost = false
        let isNew = rotation == nil
        var rotation =
            rotation
            ?? PanelRotation(output: output, mayPlaceAutomatically: backend.mayPlaceAutomatically, leftover: saved)
        if isNew {
            if isReleased { _ = rotation.release() } else if let target { _ = rotation.want(target) }
        }
        let actions = rotation.take(outputs)
        carryOut(actions, rotation)
        if rotation.isSettled { reported = rotation.shownPanel?.transform }
        delegate?.outputsChanged()
    }

    func changeEnded(_ result: OutputResult) {
        guard var rotation else { return }
        let actions = rotation.take(result)
        carryOut(actions, rotation)
        // A second change may only have moved the neighbours.
        guard result == .applied, let shown = rotation.shownPanel?.transform, shown != reported else { return }
        reported = shown
        delegate?.rotated()
    }

    func windowChanged(_ window: FocusedWindow?) { delegate?.windowChanged(window) }

    func backendLost(_ reason: String) {
        if !isLost { log.warning("\(reason); trying to connect again") }
        isLost = true
        // What was saved is still to be restored if only the connection has gone.
        rotation = nil
        lock = nil
        server.connectionLost(reason)
        delegate?.outputsChanged()
        delegate?.windowChanged(nil)
        settle()
    }

    func serverGivenUp(_ problem: String) {
        log.error("\(problem); giving up")
        delegate?.displayLost(1)
    }

    private func carryOut(_ actions: PanelRotation.Actions, _ rotation: PanelRotation) {
        self.rotation = rotation
        if mapsInput, isReleased || target != nil, let panel { server.outputs?.mapInput(to: panel.name, !isReleased) }
        if let warning = actions.warning { log.warning(warning) }
        // Before the change, so that a crash during it leaves what is needed to undo it.
        save(rotation.restorePoint)
        if let change = actions.change {
            log.debug("rotating \(change.output) to \(change.transform)")
            server.outputs?.apply(change)
        }
        if rotation.isSettled { settle() }
    }

    private func settle() {
        let completion = onSettled
        onSettled = nil
        completion?()
    }

    private func save(_ point: RestorePoint?) {
        guard point != saved else { return }
        saved = point
        do throws(SystemError) {
            try file?.write(point)
            cannotSave = false
        } catch {
            if !cannotSave { log.warning("\(error); after a crash the display may not be restored") }
            cannotSave = true
        }
    }
}
