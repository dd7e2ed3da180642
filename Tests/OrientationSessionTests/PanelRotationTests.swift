// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSession

/// What is asked of the outputs, and when.
@Suite struct PanelRotationTests {
    static let panel = Output(name: "eDP-1", width: 1920, height: 1080)
    static let monitor = Output(name: "DP-1", position: Position(x: 1920, y: 0), width: 1920, height: 1080)

    /// The panel in a transform, with its monitor at an x.
    static func outputs(_ transform: OutputTransform = .normal, monitor x: Int? = nil) -> [Output] {
        var panel = panel
        panel.transform = Transform(transform)
        guard let x else { return [panel] }
        var monitor = monitor
        monitor.position.x = x
        return [panel, monitor]
    }

    static func change(_ transform: OutputTransform, monitor x: Int? = nil) -> OutputChange {
        let positions = x.map { ["DP-1": Position(x: $0, y: 0)] } ?? [:]
        return OutputChange(transforms: ["eDP-1": Transform(transform)], positions: positions)
    }

    /// A rotation that knows the outputs.
    static func scene(_ outputs: [Output] = outputs(), mayPlaceAutomatically: Bool = true) -> Scene {
        var scene = Scene(PanelRotation(mayPlaceAutomatically: mayPlaceAutomatically))
        scene.report(outputs)
        return scene
    }

    /// One that has turned the panel.
    static func turned(_ transform: OutputTransform = .rotated90) -> Scene {
        var scene = scene()
        scene.want(transform)
        scene.end(.applied)
        scene.report(outputs(transform))
        return scene
    }

    @Test func `nothing is asked before a transform is wanted, or if the panel has it`() {
        var scene = Scene(PanelRotation(mayPlaceAutomatically: true))
        #expect(scene.report(Self.outputs()) == nil)
        #expect(scene.want(.normal) == nil)
        #expect(scene.rotation.restorePoint == nil)
    }

    @Test func `a transform that was wanted before the outputs were known is asked for with them`() {
        var scene = Scene(PanelRotation(mayPlaceAutomatically: true))
        #expect(scene.want(.rotated90) == nil)
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
    }

    @Test func `one change is pending at a time, and the last wanted transform is asked for next`() {
        var scene = Self.scene()
        #expect(scene.want(.rotated90) == Self.change(.rotated90))
        #expect(scene.want(.rotated180) == nil)
        #expect(scene.want(.rotated270) == nil)
        #expect(scene.end(.applied) == nil)
        #expect(scene.report(Self.outputs(.rotated90)) == Self.change(.rotated270))
    }

    @Test(arguments: [true, false])
    func `the result and the report may come in either order`(reportFirst: Bool) {
        var scene = Self.scene()
        scene.want(.rotated90)
        if reportFirst { #expect(scene.report(Self.outputs(.rotated90)) == nil) }
        #expect(scene.end(.applied) == nil)
        if !reportFirst {
            // A report from before the change.
            #expect(scene.report(Self.outputs()) == nil)
            #expect(scene.report(Self.outputs(.rotated90)) == nil)
        }
        #expect(scene.rotation.restorePoint?.outputs == Self.outputs())
        #expect(scene.release()?.transforms == Self.change(.normal).transforms)
    }

    // A busy Hyprland: its transform counted as somebody else's, and was what the agent restored at its end.
    @Test func `a change that has its effect too late is ours`() {
        var scene = Self.scene()
        scene.want(.rotated180)
        scene.end(.applied)
        scene.wait(PanelRotation.reportTime)
        #expect(scene.rotation.problem != nil)
        #expect(scene.report(Self.outputs(.rotated180)) == nil)
        #expect(scene.rotation.say == .device && scene.rotation.baseline == Self.outputs())
        #expect(scene.want(.rotated90) == Self.change(.rotated90))
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90))
        #expect(scene.release()?.transforms == Self.change(.normal).transforms)
    }

    // A busy Hyprland again, whose monitor stayed where it was.
    @Test func `neighbours that a change leaves, which has its effect too late, are moved`() {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        scene.want(.rotated90)
        scene.end(.applied)
        scene.wait(PanelRotation.reportTime)
        let move = OutputChange(positions: ["DP-1": Position(x: 1080, y: 0)])
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1920)) == move)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90, monitor: 1080))
        #expect(scene.rotation.say == .device && scene.rotation.baseline == Self.outputs(monitor: 1920))
        #expect(scene.rotation.isSettled)
    }

    @Test func `a change that has its effect too late, for an earlier goal, is followed by the next`() {
        var scene = Self.scene()
        scene.want(.rotated180)
        scene.end(.applied)
        scene.wait(PanelRotation.reportTime)
        scene.want(.normal)
        #expect(scene.report(Self.outputs(.rotated180)) == Self.change(.normal))
        #expect(scene.rotation.say == .device && scene.rotation.baseline == Self.outputs())
    }

    @Test func `a change that is applied and has no effect is tried again`() throws {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.end(.applied)
        #expect(scene.wait(PanelRotation.reportTime) == nil)
        #expect(scene.rotation.problem == "eDP-1 is not rotated to 90: it has no effect")
        #expect(scene.wait() == Self.change(.rotated90))
    }

    // MARK: - Neighbours

    @Test func `neighbours that the compositor moves are left alone`() {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        scene.want(.rotated90)
        scene.end(.applied)
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1080)) == nil)
        #expect(scene.want(.normal) == Self.change(.normal))
    }

    @Test func `neighbours that the compositor leaves are moved, from the next change on together with the panel`() {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        scene.want(.rotated90)
        scene.end(.applied)
        let moved = OutputChange(positions: ["DP-1": Position(x: 1080, y: 0)])
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1920)) == moved)
        scene.end(.applied)
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1080)) == nil)
        #expect(scene.want(.normal) == Self.change(.normal, monitor: 1920))
    }

    @Test func `where nobody places automatically, neighbours move with the first change`() {
        var scene = Self.scene(Self.outputs(monitor: 1920), mayPlaceAutomatically: false)
        #expect(scene.want(.rotated90) == Self.change(.rotated90, monitor: 1080))
    }

    @Test func `places that the compositor does not accept are left to it`() {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90, monitor: 1920))
        scene.end(.applied)
        #expect(scene.wait(PanelRotation.reportTime) == nil)
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1920)) == nil)
        #expect(scene.rotation.isSettled)
    }

    @Test func `refused places do not prevent rotations`() {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90, monitor: 1920))
        scene.end(.refused("no"))
        #expect(scene.want(.rotated180) == Self.change(.rotated180))
    }

    @Test(arguments: [(1920, 1920), (1080, 1920), (5000, 5000)])
    func `a monitor that is plugged in beside the rotated panel, or the panel as it was, is beside it afterwards`(
        x: Int,
        unrotated: Int
    ) {
        var scene = Self.turned()
        let plugged = scene.report(Self.outputs(.rotated90, monitor: x))
        // At 1920 it was placed beside the unrotated panel, and would leave a gap; at 5000 somebody wants the gap.
        #expect(plugged == (x == 1920 ? OutputChange(positions: ["DP-1": Position(x: 1080, y: 0)]) : nil))
        if plugged != nil {
            scene.end(.applied)
            scene.report(Self.outputs(.rotated90, monitor: 1080))
        }
        #expect(scene.rotation.baseline.last?.position == Position(x: unrotated, y: 0))
    }

    @Test func `a scale that changes while the panel is rotated keeps the neighbour beside it`() {
        var scene = Self.scene(Self.outputs(monitor: 1920), mayPlaceAutomatically: false)
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90, monitor: 1080))
        var scaled = Self.outputs(.rotated90, monitor: 540)
        scaled[0].scale = 2
        #expect(scene.report(scaled) == nil)
        #expect(scene.want(.normal) == Self.change(.normal, monitor: 960))
    }

    @Test func `a mode that changes while the panel is rotated keeps a row of neighbours together`() {
        func outputs(_ transform: OutputTransform, width: Int, neighbours x: Int) -> [Output] {
            var outputs = Self.outputs(transform, monitor: x)
            outputs[0].width = width
            return outputs + [Output(name: "DP-2", position: Position(x: x + 1920, y: 0), width: 1920, height: 1080)]
        }
        var scene = Self.scene(outputs(.normal, width: 1920, neighbours: 1920), mayPlaceAutomatically: false)
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(outputs(.rotated90, width: 1920, neighbours: 1080))
        #expect(scene.report(outputs(.rotated90, width: 1600, neighbours: 1080)) == nil)
        var change = Self.change(.normal, monitor: 1600)
        change.positions["DP-2"] = Position(x: 3520, y: 0)
        #expect(scene.want(.normal) == change)
    }

    @Test func `places that somebody else sets stay until the next rotation`() {
        var scene = Self.scene(Self.outputs(monitor: 1920), mayPlaceAutomatically: false)
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90, monitor: 1080))
        // It would overlap the unrotated panel.
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1500)) == nil)
        #expect(scene.report(Self.outputs(.rotated90, monitor: 1500)) == nil)
        #expect(scene.want(.normal) == Self.change(.normal, monitor: 1920))
    }

    // The time grew with the cube of their number: it never ended.
    @Test func `of thousands of outputs only some are moved`() {
        let place = Position(x: 1920, y: 0)
        let others = (0..<5000).map { Output(name: "DP-\($0)", position: place, width: 800, height: 600) }
        var scene = Scene(PanelRotation(mayPlaceAutomatically: false))
        scene.report(others + [Self.panel])
        let change = scene.want(.rotated90)
        #expect(change?.positions["DP-0"] == Position(x: 1080, y: 0))
        #expect(change?.positions.count == OutputReport.most)
    }

    // MARK: - Refusals

    @Test func `an outdated change is asked for again with the next report, and with back-off after three times`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        for _ in 0..<3 {
            #expect(scene.end(.outdated) == nil)
            #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
        }
        #expect(scene.rotation.problem == nil)
        #expect(scene.end(.outdated) == nil)
        #expect(scene.rotation.problem != nil)
        #expect(scene.report(Self.outputs()) == nil)
        #expect(scene.wait() == Self.change(.rotated90))
        scene.end(.outdated)
        #expect(scene.want(.rotated180) == Self.change(.rotated180))
    }

    @Test func `an outdated change is asked for at once if the report came before the answer`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.report(Self.outputs())
        #expect(scene.end(.outdated) == Self.change(.rotated90))
    }

    // A compositor whose session is not active refuses everything; nothing was rotated until the device turned twice.
    @Test func `a refused change is asked for again, ever more rarely, until it is applied`() throws {
        var scene = Self.scene()
        scene.want(.rotated90)
        var waits: [Double] = []
        for _ in 0..<12 {
            #expect(scene.end(.refused("the compositor refused it")) == nil)
            #expect(scene.rotation.problem == "eDP-1 is not rotated to 90: the compositor refused it")
            let deadline = try #require(scene.deadline)
            waits.append(deadline - scene.time)
            #expect(scene.wait() == Self.change(.rotated90))
        }
        #expect(waits[..<4] == [0.5, 1, 2, 4] && waits.max() == 300)
        scene.end(.applied)
        #expect(scene.report(Self.outputs(.rotated90)) == nil)
        #expect(scene.rotation.problem == nil && scene.deadline == nil)
    }

    @Test func `reports and an active session bring the next attempt forward`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        for _ in 0..<8 {
            scene.end(.refused("no"))
            scene.wait()
        }
        scene.end(.refused("no"))
        #expect(scene.wait(1) == nil)
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
        scene.end(.refused("no"))
        #expect(scene.wait(1) == nil)
        #expect(scene.handle(.mayBeAccepted) == Self.change(.rotated90))
        // A compositor that reports after each refusal is not asked all the time.
        scene.end(.refused("no"))
        #expect(scene.report(Self.outputs()) == nil)
    }

    // MARK: - Others

    @Test func `a transform that somebody else sets stays until another one is wanted, and is restored`() {
        var scene = Self.turned()
        #expect(scene.report(Self.outputs(.rotated180)) == nil)
        #expect(scene.rotation.restorePoint == nil)
        #expect(scene.rotation.activity == "leaves eDP-1 as another program has set it")
        #expect(scene.want(.rotated90) == nil)
        #expect(scene.want(.rotated270) == Self.change(.rotated270))
        scene.end(.applied)
        scene.report(Self.outputs(.rotated270))
        #expect(scene.rotation.activity == "rotates eDP-1")
        #expect(scene.release()?.transforms == Self.change(.rotated180).transforms)
    }

    // nexus511/gpd-ubuntu-packages#15: at the end the display was left as a game had found it, turned.
    @Test func `a transform that somebody sets and then puts back is not restored at the end`() {
        var scene = Self.turned()
        scene.report(Self.outputs())
        #expect(scene.rotation.isOverruled)
        #expect(scene.report(Self.outputs(.rotated90)) == nil)
        #expect(scene.release()?.transforms == Self.change(.normal).transforms)
    }

    @Test func `somebody who puts back the transform that they have found changes nothing that is restored`() {
        for other in [OutputTransform.rotated90, .rotated270] {
            var scene = Self.scene(Self.outputs(.rotated180, monitor: 1920), mayPlaceAutomatically: false)
            scene.want(.rotated180)
            scene.report(Self.outputs(other, monitor: 1920))
            scene.report(Self.outputs(.normal, monitor: 1920))
            #expect(scene.report(Self.outputs(.rotated180, monitor: 1920)) == nil)
            #expect(scene.rotation.restorePoint == nil)
            #expect(scene.release() == nil)
        }
        var scene = Self.turned()
        scene.report(Self.outputs(.rotated180))
        scene.report(Self.outputs(.rotated90, monitor: -1920))
        #expect(scene.want(.normal) == Self.change(.normal))
    }

    @Test func `the second panel that somebody turns and puts back is as it was at the end`() {
        let lower = Output(name: "eDP-2", position: Position(x: 0, y: 1080), width: 1920, height: 1080)
        let outputs = { (first: Transform, second: Transform) in
            var outputs = [Self.panel, lower]
            (outputs[0].transform, outputs[1].transform) = (first, second)
            return outputs
        }
        var scene = Self.scene(outputs(.normal, .normal))
        let turned = scene.want(.rotated90)
        #expect(turned?.transforms.count == 2)
        scene.end(.applied)
        var shown = outputs(.rotated90, .rotated90)
        for index in shown.indices {
            if let position = turned?.positions[shown[index].name] { shown[index].position = position }
        }
        scene.report(shown)
        scene.report([shown[0], lower])
        #expect(scene.rotation.isOverruled)
        scene.report(shown)
        #expect(scene.release()?.transforms == ["eDP-1": .normal, "eDP-2": .normal])
    }

    // `orientctl align` and `lock` returned 0 and changed nothing.
    @Test func `a command applies although somebody else has set a transform, and the goal is the same`() {
        var scene = Self.turned()
        #expect(scene.report(Self.outputs()) == nil)
        #expect(scene.want(.rotated90, isCommand: true) == Self.change(.rotated90))
    }

    @Test(arguments: [true, false])
    func `a transform from a reloaded configuration is replaced by the wanted one`(reloadFirst: Bool) {
        var scene = Self.turned()
        if reloadFirst {
            #expect(scene.handle(.configurationReloaded) == nil)
            #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
        } else {
            #expect(scene.report(Self.outputs()) == nil)
            #expect(scene.handle(.configurationReloaded) == Self.change(.rotated90))
        }
    }

    // The display ended upside down, although the configuration has it upright.
    @Test func `a transform that a reloaded configuration replaces is not restored at the end`() {
        var scene = Self.turned()
        scene.report(Self.outputs(.rotated180))
        scene.wait(5)
        #expect(scene.handle(.configurationReloaded) == nil)
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90))
        #expect(scene.release()?.transforms == Self.change(.normal).transforms)
    }

    @Test func `a reload that is followed by no report is not waited for`() {
        var scene = Self.turned()
        scene.report(Self.outputs(.rotated180))
        scene.wait(5)
        #expect(scene.handle(.configurationReloaded) == nil)
        #expect(scene.wait(PanelRotation.reportTime) == Self.change(.rotated90))
    }

    // After a sleep, river and wayfire reset a panel that has come back, which then stayed upright.
    @Test(arguments: [[], [Output(name: "eDP-1", isEnabled: false)]])
    func `a transform that a panel gets soon after it has come back is replaced by the wanted one`(off: [Output]) {
        for monitor in [nil, 1080] {
            var scene = Self.turned()
            scene.report(Self.outputs(.rotated90, monitor: monitor))
            scene.report(off + Self.outputs(.rotated90, monitor: monitor).dropFirst())
            scene.wait(10)
            #expect(scene.report(Self.outputs(.rotated90, monitor: monitor)) == nil)
            scene.wait(PanelRotation.resetTime - 0.1)
            let change = scene.report(Self.outputs(monitor: monitor))
            #expect(change?.transforms == Self.change(.rotated90).transforms)
            #expect(scene.rotation.say == .device)
        }
    }

    // ValveSoftware/SteamOS#2396, stockmind/gpd-pocket-ubuntu-respin#48: COSMIC and XFCE remember the transform for each
    // set of outputs, also what an agent had set, and the display stayed wrong after a monitor was plugged in or out.
    @Test(arguments: [0, 1], [OutputTransform.normal, .rotated180])
    func `a transform that comes with a monitor is replaced, and not restored`(delay: Double, shown: OutputTransform) {
        for isUnplugged in [true, false] {
            let (before, after) = isUnplugged ? (1920, nil) : (nil, 1080)
            var scene = Self.scene(Self.outputs(monitor: before))
            scene.want(.rotated90)
            scene.end(.applied)
            scene.report(Self.outputs(.rotated90, monitor: before.map { _ in 1080 }))
            scene.wait(10)
            if delay > 0 {
                #expect(scene.report(Self.outputs(.rotated90, monitor: after)) == nil)
                scene.wait(delay)
            }
            let change = scene.report(Self.outputs(shown, monitor: after))
            #expect(change?.transforms == Self.change(.rotated90).transforms)
            scene.end(.applied)
            scene.report(Self.outputs(.rotated90, monitor: after))
            #expect(scene.release()?.transforms == Self.change(.normal).transforms)
        }
    }

    @Test func `a transform that comes with a monitor stays where nothing decides`() {
        var scene = Self.scene()
        #expect(scene.report(Self.outputs(.rotated180, monitor: 1920)) == nil)
        #expect(scene.release() == nil)
    }

    // The agent fought the program that it stood aside for.
    @Test func `a transform that another program sets after a monitor or a panel has come stays without a goal`() {
        for monitor in [nil, 1920] {
            var scene = Self.turned()
            scene.release()
            scene.end(.applied)
            scene.report(Self.outputs())
            scene.report([Output(name: "eDP-1", isEnabled: false)])
            scene.wait(10)
            #expect(scene.report(Self.outputs(monitor: monitor)) == nil)
            #expect(scene.report(Self.outputs(.rotated180, monitor: monitor)) == nil)
            #expect(scene.rotation.restorePoint == nil)
        }
    }

    @Test func `a panel that is kept, and gets a transform with a monitor, turns when the monitor is gone`() {
        var scene = Scene(PanelRotation(keepsWithMonitor: true, mayPlaceAutomatically: true))
        scene.report(Self.outputs())
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90))
        scene.wait(10)
        #expect(scene.report(Self.outputs(monitor: 1920)) == nil)
        #expect(scene.rotation.activity == "keeps eDP-1 as it is while a monitor is connected")
        scene.wait(10)
        #expect(scene.report(Self.outputs(.rotated180)) == Self.change(.rotated90))
    }

    // Each wake left another transform to be restored, where the last one is remembered.
    @Test func `a transform that comes with a panel is not restored`() {
        var scene = Self.turned()
        scene.report([Output(name: "eDP-1", isEnabled: false)])
        scene.wait(10)
        #expect(scene.report(Self.outputs(.rotated90)) == nil)
        #expect(scene.report(Self.outputs(.rotated180)) == Self.change(.rotated90))
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90))
        #expect(scene.release()?.transforms == Self.change(.normal).transforms)
    }

    @Test func `a program that sets its own transform again soon after a panel has come back has the say`() {
        var scene = Self.turned()
        scene.report([])
        scene.report(Self.outputs(.rotated90))
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
        scene.handle(.changeEnded(.applied))
        scene.report(Self.outputs(.rotated90))
        #expect(scene.report(Self.outputs()) == nil)
        #expect(scene.rotation.isOverruled)
    }

    @Test func `a transform that somebody sets long after a panel has come back is kept`() {
        var scene = Self.turned()
        scene.report([])
        #expect(scene.report(Self.outputs(.rotated90)) == nil)
        scene.wait(PanelRotation.resetTime + 0.1)
        #expect(scene.report(Self.outputs()) == nil)
        #expect(scene.rotation.isOverruled)
    }

    @Test func `a transform that somebody sets long after a reload is kept`() {
        var scene = Self.turned()
        scene.handle(.configurationReloaded)
        #expect(scene.wait(2) == nil)
        #expect(scene.report(Self.outputs()) == nil)
    }

    @Test func `a transform that somebody else sets during a change is kept`() {
        var scene = Self.turned()
        scene.want(.rotated180)
        scene.report(Self.outputs(.normal))
        #expect(scene.end(.outdated) == nil)
        #expect(scene.wait(10) == nil)
    }

    // MARK: - Frames

    // niri adds the kernel's panel orientation to what it is given, and reports the sum.
    @Test(arguments: 1...3)
    func `what the compositor adds to a requested transform is learnt once`(quirk: Int) {
        var scene = Scene(PanelRotation(mayPlaceAutomatically: false))
        var shown = Transform.normal.turned(by: quirk)
        var requests = 0
        /// Delivers what niri answers to a change, and to those that follow from it.
        func settle(_ change: OutputChange?) {
            var change = change
            while let transform = change?.transforms["eDP-1"] {
                requests += 1
                shown = transform.turned(by: quirk)
                let next = [Output(name: "eDP-1", width: 1920, height: 1080, transform: shown)]
                change = scene.report(next) ?? scene.end(.reported)
            }
        }
        settle(scene.report([Output(name: "eDP-1", width: 1920, height: 1080, transform: shown)]))
        let initial = shown
        let transforms = [OutputTransform.normal, .rotated90, .rotated180, .rotated270, .normal]
        for transform in transforms {
            settle(scene.want(transform))
            #expect(shown == Transform(transform))
        }
        settle(scene.release())
        #expect(shown == initial && scene.rotation.restorePoint == nil)
        #expect(requests == transforms.count + 2)
    }

    @Test func `somebody else's transform at the same moment is not mistaken for the compositor's frame for long`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.end(.applied)
        // Taken for an addition of a quarter turn.
        #expect(scene.report(Self.outputs(.rotated180)) == Self.change(.normal))
        scene.end(.applied)
        #expect(scene.report(Self.outputs(.normal)) == Self.change(.rotated90))
        scene.end(.applied)
        #expect(scene.report(Self.outputs(.rotated90)) == nil)
        #expect(scene.want(.rotated180) == Self.change(.rotated180))
    }

    // The request for 90 became one for 270, which the panel had already: it had no effect however often it was made.
    @Test func `a frame is forgotten when a change has no effect`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.end(.applied)
        #expect(scene.report(Self.outputs(.rotated270)) == Self.change(.rotated270))
        scene.end(.applied)
        #expect(scene.wait(PanelRotation.reportTime) == nil)
        #expect(scene.wait() == Self.change(.rotated90))
    }

    // MARK: - Power and monitors

    // labwc reports an output that is off as disabled, from the next change of any output on.
    @Test func `a disabled panel is turned when it is on again`() {
        var scene = Self.turned()
        var outputs = Self.outputs(.normal, monitor: 1920)
        outputs[0].isEnabled = false
        #expect(scene.report(outputs) == nil)
        #expect(scene.rotation.activity == "rotates eDP-1 when it is on again")
        #expect(scene.rotation.problem == nil)
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
    }

    // On labwc, a monitor that was lit right after the panel was dark again.
    @Test(arguments: [true, false], [true, false])
    func `a panel that is on again is turned when the monitor is on too, or stays off`(
        isReportedAsOff: Bool,
        isMonitorLit: Bool
    ) {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        var outputs = Self.outputs(monitor: 1920)
        if isReportedAsOff {
            for index in outputs.indices { outputs[index].isEnabled = false }
            scene.report(outputs)
            #expect(scene.want(.rotated90) == nil)
            outputs[0].isEnabled = true
        } else {
            scene.want(.rotated90)
            scene.end(.off)
            outputs[1].isEnabled = false
        }
        for _ in 0..<2 { #expect(scene.report(outputs) == nil) }
        guard isMonitorLit else {
            #expect(scene.wait(Attempts.pause)?.transforms == Self.change(.rotated90).transforms)
            return
        }
        outputs[1].isEnabled = true
        #expect(scene.report(outputs)?.transforms == Self.change(.rotated90).transforms)
    }

    // labwc lit a blanked panel that was turned.
    @Test func `a panel that is off is turned when it is on again`() {
        var scene = Self.scene()
        #expect(scene.want(.rotated90) == Self.change(.rotated90))
        for _ in 0..<10 {
            #expect(scene.end(.off) == nil)
            #expect(scene.rotation.activity == "rotates eDP-1 when it is on again")
            #expect(scene.rotation.isSettled && scene.rotation.problem == nil)
            #expect(scene.wait(1) == Self.change(.rotated90))
        }
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90))
        #expect(scene.rotation.activity == "rotates eDP-1")
        #expect(scene.release()?.appliesWhileOff == true)
    }

    @Test func `a panel that is kept while a monitor is connected turns by command, and when the monitor is gone`() {
        var scene = Scene(PanelRotation(keepsWithMonitor: true, mayPlaceAutomatically: true))
        scene.report(Self.outputs(monitor: 1920))
        #expect(scene.want(.normal) == nil)
        #expect(scene.rotation.activity == "keeps eDP-1 as it is while a monitor is connected")
        #expect(scene.want(.rotated90) == nil)
        #expect(scene.rotation.activity == "keeps eDP-1 as it is while a monitor is connected")
        #expect(scene.want(.rotated180, isCommand: true) == Self.change(.rotated180))
        scene.end(.applied)
        scene.report(Self.outputs(.rotated180, monitor: 1920))
        #expect(scene.want(.rotated90) == nil)
        #expect(scene.report(Self.outputs(.rotated180)) == Self.change(.rotated90))
    }

    // Sharing the screen stopped the rotation.
    @Test(arguments: ["HEADLESS-1", "Virtual-1"])
    func `a virtual output is no monitor that a panel is kept for`(name: String) {
        var scene = Scene(PanelRotation(keepsWithMonitor: true, mayPlaceAutomatically: true))
        var virtual = Self.monitor
        virtual.name = name
        scene.report([Self.panel, virtual])
        #expect(scene.want(.rotated90) == Self.change(.rotated90))
    }

    @Test func `a panel that returns gets the present transform`() {
        var scene = Self.turned()
        scene.report([Self.monitor])
        // Whose name was advised as that of the panel.
        #expect(scene.rotation.problem == "eDP-1 will be rotated again when connected: the outputs are DP-1")
        #expect(scene.rotation.activity == "rotates eDP-1 when it is on again")
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
    }

    @Test func `a panel that disappears during a change ends the change`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.end(.outdated)
        scene.report([Self.monitor])
        #expect(scene.rotation.isSettled)
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
    }

    // The compositor cancelled the change with an answer behind both reports, and the agent waited for a third.
    @Test func `a panel that returns during a change is changed`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.report([Self.monitor])
        #expect(scene.report(Self.outputs()) == Self.change(.rotated90))
    }

    @Test func `a panel that is off is not reported as missing`() {
        var scene = Self.scene(Self.outputs(monitor: 1920))
        var off = Self.outputs(monitor: 1920)
        off[0].isEnabled = false
        scene.report(off)
        #expect(scene.rotation.problem == nil)
        scene.report([Self.monitor])
        #expect(scene.rotation.problem != nil)
    }

    // MARK: - What an earlier agent left

    @Test func `what a crashed agent left is restored with its neighbours`() {
        let left = RestorePoint(outputs: Self.outputs(monitor: 1920), movesNeighbours: true)
        var scene = Scene(PanelRotation(mayPlaceAutomatically: true, leftover: left))
        scene.release()
        let change = scene.report(Self.outputs(.rotated90, monitor: 1080))
        #expect(change?.transforms == ["eDP-1": .normal])
        #expect(change?.positions == ["DP-1": Position(x: 1920, y: 0)])
        scene.end(.applied)
        scene.report(Self.outputs(monitor: 1920))
        #expect(scene.rotation.restorePoint == nil)
    }

    @Test func `a transform that was set after the crash of an agent is not restored over`() {
        let left = RestorePoint(outputs: Self.outputs(), movesNeighbours: false, applied: [Transform(.rotated90)])
        var scene = Scene(PanelRotation(mayPlaceAutomatically: true, leftover: left))
        scene.release()
        #expect(scene.report(Self.outputs(.rotated180)) == nil)
        #expect(scene.rotation.restorePoint == nil)
    }

    // MARK: - Panels

    @Test(arguments: [
        ("eDP-1", true), ("LVDS-1", true), ("DSI-2", true), ("DPI-1", true), ("DP-1", false), ("HDMI-A-1", false),
    ])
    func `built-in panels are known by their connectors`(name: String, isBuiltIn: Bool) {
        #expect(Output(name: name).isBuiltIn == isBuiltIn)
    }

    @Test func `the configured output is rotated, whatever its connector`() {
        var scene = Scene(PanelRotation(outputs: ["DP-1"], mayPlaceAutomatically: true))
        scene.report([Self.panel, Self.monitor])
        #expect(scene.want(.rotated90)?.transforms == ["DP-1": Transform(.rotated90)])
    }

    @Test(arguments: [[], ["eDP-1", "eDP-2"]])
    func `two panels turn with one change, each from its own transform`(names: [String]) {
        var scene = Scene(PanelRotation(outputs: names, mayPlaceAutomatically: true))
        var second = Self.panel
        (second.name, second.position.y, second.transform) = ("eDP-2", 1080, Transform(.rotated180))
        scene.report([Self.panel, second])
        let change = scene.want(.rotated90)
        #expect(change?.transforms == ["eDP-1": Transform(.rotated90), "eDP-2": Transform(.rotated270)])
        #expect(change?.positions == ["eDP-1": Position(x: 1080, y: 0), "eDP-2": Position(x: 0, y: 0)])
        scene.end(.applied)
        var turned = [Self.panel, second]
        (turned[0].transform, turned[0].position) = (Transform(.rotated90), Position(x: 1080, y: 0))
        (turned[1].transform, turned[1].position) = (Transform(.rotated270), Position(x: 0, y: 0))
        #expect(scene.report(turned) == nil)
        let back = scene.release()
        #expect(back?.transforms == ["eDP-1": .normal, "eDP-2": Transform(.rotated180)])
        #expect(back?.positions == ["eDP-1": Position(x: 0, y: 0), "eDP-2": Position(x: 0, y: 1080)])
    }

    // It was turned to 180, and stayed turned at the end: wlroots keeps the transform of an output that is off.
    @Test func `a second panel that was off meanwhile keeps its own transform`() {
        var (second, turned) = (Self.panel, [Self.panel, Self.panel])
        (second.name, second.position.y) = ("eDP-2", 1080)
        var scene = Self.scene([Self.panel, second])
        scene.want(.rotated90)
        scene.end(.applied)
        turned[1].name = "eDP-2"
        for index in turned.indices { turned[index].transform = .rotated90 }
        turned[0].position = Position(x: 1080, y: 0)
        scene.report(turned)
        var off = turned
        off[1].isEnabled = false
        scene.report(off)
        #expect(scene.report(turned) == nil)
        #expect(scene.release()?.transforms["eDP-2"] == .normal)
    }

    // alesya-h/zenbook-duo-2024-ux8406ma-linux#21: below an attached keyboard the lower panel is off. When it came back as
    // it was before, or at its usual place although all is turned, it was beside the upper one from then on.
    @Test(arguments: ["eDP-1", "eDP-2"], [true, false])
    func `a panel that was off is where it was beside the other one`(name: String, isUsualPlace: Bool) {
        func outputs(_ transform: OutputTransform, _ positions: [Position], off: String = "") -> [Output] {
            zip(["eDP-1", "eDP-2"], positions).map { name, position in
                var output = Self.panel
                (output.name, output.position, output.isEnabled) = (name, position, name != off)
                output.transform = Transform(transform)
                return output
            }
        }
        let usual = [Position(x: 0, y: 0), Position(x: 0, y: 1080)]
        var scene = Self.scene(outputs(.normal, usual))
        var now = outputs(.normal, usual)
        func settle(_ change: OutputChange?) {
            var change = change
            while let next = change {
                for index in now.indices {
                    now[index].transform = next.transforms[now[index].name] ?? now[index].transform
                    now[index].position = next.positions[now[index].name] ?? now[index].position
                }
                change = scene.end(.applied) ?? scene.report(now)
            }
        }
        settle(scene.want(.rotated90))
        let turned = [Position(x: 1080, y: 0), Position(x: 0, y: 0)]
        #expect(now == outputs(.rotated90, turned))
        let index = name == "eDP-1" ? 0 : 1
        now[index].isEnabled = false
        settle(scene.report(now))
        settle(scene.want(isUsualPlace ? .rotated180 : .normal))
        settle(scene.want(isUsualPlace ? .rotated90 : .normal))
        now[index].isEnabled = true
        if isUsualPlace { (now[index].transform, now[index].position) = (.normal, usual[index]) }
        settle(scene.report(now))
        let places = isUsualPlace ? turned : usual
        let shift = (x: now[0].position.x - places[0].x, y: now[0].position.y - places[0].y)
        let expected = places.map { Position(x: $0.x + shift.x, y: $0.y + shift.y) }
        #expect(now == outputs(isUsualPlace ? .rotated90 : .normal, expected))
    }

    // A gap stayed until the next turn.
    @Test func `a monitor that is plugged in while others move is joined`() {
        var (below, second) = (Self.monitor, Self.monitor)
        below.position = Position(x: 0, y: 1080)
        second.name = "DP-2"
        var scene = Self.scene([Self.panel, below], mayPlaceAutomatically: false)
        scene.want(.rotated90)
        below.position.y = 1920
        scene.report(Self.outputs(.rotated90) + [below, second])
        let change = scene.end(.reported) ?? scene.wait(1)
        #expect(change?.positions == ["DP-2": Position(x: 1080, y: 0)])
    }

    // It was requested for ever, without a pause.
    @Test func `a baseline that is never shown is requested ever more rarely`() {
        var scene = Self.scene()
        scene.want(.rotated90)
        scene.end(.applied)
        scene.report(Self.outputs(.rotated90))
        scene.release()
        var requests = 1
        while requests < 20, (scene.report(Self.outputs(.rotated180)) ?? scene.end(.reported)) != nil { requests += 1 }
        #expect(requests < 5)
    }
}

/// A rotation with a clock.
struct Scene {
    var rotation: PanelRotation
    var time = 100.0
    private(set) var deadline: Double?

    init(_ rotation: PanelRotation) { self.rotation = rotation }

    @discardableResult
    mutating func handle(_ event: PanelRotation.Event) -> OutputChange? {
        let actions = rotation.handle(event, at: time)
        deadline = actions.deadline
        return actions.change
    }

    @discardableResult
    mutating func want(_ transform: OutputTransform, isCommand: Bool = false) -> OutputChange? {
        handle(.goalSet(.transform(transform), isCommand: isCommand))
    }

    @discardableResult
    mutating func release() -> OutputChange? { handle(.goalSet(.baseline, isCommand: false)) }

    @discardableResult
    mutating func report(_ outputs: [Output]) -> OutputChange? { handle(.outputsReported(outputs)) }

    @discardableResult
    mutating func end(_ result: OutputResult) -> OutputChange? { handle(.changeEnded(result)) }

    /// Lets time pass until the deadline, or for some seconds, in which the deadline may come.
    @discardableResult
    mutating func wait(_ seconds: Double? = nil) -> OutputChange? {
        let end = seconds.map { time + $0 } ?? deadline ?? time
        if let deadline, deadline <= end {
            time = deadline
            if let change = handle(.timePassed) { return change }
        }
        time = end
        return nil
    }
}
