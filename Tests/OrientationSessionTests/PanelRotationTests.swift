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

    static func change(_ transform: OutputTransform, _ positions: [String: Position] = [:]) -> OutputChange {
        OutputChange(output: "eDP-1", transform: Transform(transform), positions: positions)
    }

    /// A rotation that knows the outputs.
    static func rotation(_ outputs: [Output] = outputs(), mayPlaceAutomatically: Bool = true) -> PanelRotation {
        var rotation = PanelRotation(output: nil, mayPlaceAutomatically: mayPlaceAutomatically)
        _ = rotation.report(outputs)
        return rotation
    }

    @Test func `nothing is asked before a transform is wanted, or if the panel has it`() {
        var rotation = PanelRotation(output: nil, mayPlaceAutomatically: true)
        #expect(rotation.report(Self.outputs()) == .init())
        #expect(rotation.want(.normal) == .init())
        #expect(rotation.restorePoint == nil)
    }

    @Test func `a transform that was wanted before the outputs were known is asked for with them`() {
        var rotation = PanelRotation(output: nil, mayPlaceAutomatically: true)
        #expect(rotation.want(.rotated90) == .init())
        #expect(rotation.report(Self.outputs()).change == Self.change(.rotated90))
    }

    @Test func `one change is pending at a time, and the last wanted transform is asked for next`() {
        var rotation = Self.rotation()
        #expect(rotation.want(.rotated90).change == Self.change(.rotated90))
        #expect(rotation.want(.rotated180) == .init())
        #expect(rotation.want(.rotated270) == .init())
        #expect(rotation.end(.applied).change == Self.change(.rotated270))
    }

    @Test(arguments: [true, false])
    func `the result and the report may come in either order`(reportFirst: Bool) {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        if reportFirst { #expect(rotation.report(Self.outputs(.rotated90)) == .init()) }
        #expect(rotation.end(.applied) == .init())
        if !reportFirst {
            // A report from before the change.
            #expect(rotation.report(Self.outputs()) == .init())
            #expect(rotation.report(Self.outputs(.rotated90)) == .init())
        }
        #expect(rotation.restorePoint?.outputs == Self.outputs())
        #expect(rotation.release().change == Self.change(.normal))
    }

    @Test func `neighbours that the compositor moves are left alone`() {
        var rotation = Self.rotation(Self.outputs(monitor: 1920))
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        #expect(rotation.report(Self.outputs(.rotated90, monitor: 1080)) == .init())
        #expect(rotation.want(.normal).change == Self.change(.normal))
    }

    @Test func `neighbours that the compositor leaves are moved, from the next change on together with the panel`() {
        var rotation = Self.rotation(Self.outputs(monitor: 1920))
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        let moved = ["DP-1": Position(x: 1080, y: 0)]
        #expect(rotation.report(Self.outputs(.rotated90, monitor: 1920)).change == Self.change(.rotated90, moved))
        _ = rotation.end(.applied)
        #expect(rotation.report(Self.outputs(.rotated90, monitor: 1080)) == .init())
        let back = ["DP-1": Position(x: 1920, y: 0)]
        #expect(rotation.want(.normal).change == Self.change(.normal, back))
    }

    @Test func `where nobody places automatically, neighbours move with the first change`() {
        var rotation = Self.rotation(Self.outputs(monitor: 1920), mayPlaceAutomatically: false)
        let moved = ["DP-1": Position(x: 1080, y: 0)]
        #expect(rotation.want(.rotated90).change == Self.change(.rotated90, moved))
    }

    @Test func `neighbours move back from where an applied change has put them, before it is reported`() {
        var rotation = Self.rotation(Self.outputs(monitor: 1920), mayPlaceAutomatically: false)
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        #expect(rotation.want(.normal).change == Self.change(.normal, ["DP-1": Position(x: 1920, y: 0)]))
    }

    @Test func `an outdated change is asked for again with the next report, three times`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        for _ in 0..<3 {
            #expect(rotation.end(.outdated) == .init())
            #expect(rotation.report(Self.outputs()).change == Self.change(.rotated90))
        }
        let last = rotation.end(.outdated)
        #expect(last.change == nil && last.warning != nil)
        #expect(rotation.isSettled)
        #expect(rotation.report(Self.outputs()) == .init())
        #expect(rotation.want(.rotated180).change == Self.change(.rotated180))
    }

    @Test func `an outdated change is asked for at once if the report came before the answer`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.report(Self.outputs())
        #expect(rotation.end(.outdated).change == Self.change(.rotated90))
    }

    @Test func `a refused change is reported, and asked for again only after a hotplug`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        let refused = rotation.end(.refused("the compositor refused it"))
        #expect(refused.warning == "eDP-1 is not rotated to 90: the compositor refused it")
        #expect(refused.change == nil)
        #expect(rotation.report(Self.outputs()) == .init())
        #expect(rotation.report(Self.outputs(monitor: 1920)).change == Self.change(.rotated90))
    }

    @Test func `a transform that somebody else sets stays until another one is wanted, and is restored`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        _ = rotation.report(Self.outputs(.rotated90))
        #expect(rotation.report(Self.outputs(.rotated180)) == .init())
        #expect(rotation.restorePoint == nil)
        #expect(rotation.want(.rotated90) == .init())
        #expect(rotation.want(.rotated270).change == Self.change(.rotated270))
        _ = rotation.end(.applied)
        _ = rotation.report(Self.outputs(.rotated270))
        #expect(rotation.release().change == Self.change(.rotated180))
    }

    @Test func `a panel that returns gets the present transform`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        _ = rotation.report(Self.outputs(.rotated90))
        let monitor = [Self.monitor]
        #expect(rotation.report(monitor).warning != nil)
        #expect(rotation.report(monitor).warning == nil)
        #expect(rotation.report(Self.outputs()).change == Self.change(.rotated90))
    }

    @Test func `a panel that disappears during a change ends the change`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.end(.outdated)
        _ = rotation.report([Self.monitor])
        #expect(rotation.isSettled)
        #expect(rotation.report(Self.outputs()).change == Self.change(.rotated90))
    }

    // The compositor cancelled the change with an answer behind both reports, and the agent waited for a third.
    @Test func `a panel that returns during a change is changed as soon as the answer says that it was outdated`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.report([Self.monitor])
        #expect(rotation.report(Self.outputs()).change == nil)
        #expect(rotation.end(.outdated).change == Self.change(.rotated90))
    }

    @Test func `what a crashed agent left is restored with its neighbours`() {
        let left = RestorePoint(outputs: Self.outputs(monitor: 1920), movesNeighbours: true)
        var rotation = PanelRotation(output: nil, mayPlaceAutomatically: true, leftover: left)
        _ = rotation.release()
        let back = ["DP-1": Position(x: 1920, y: 0)]
        #expect(rotation.report(Self.outputs(.rotated90, monitor: 1080)).change == Self.change(.normal, back))
        _ = rotation.end(.applied)
        _ = rotation.report(Self.outputs(monitor: 1920))
        #expect(rotation.restorePoint == nil)
    }

    @Test func `a monitor that is plugged in beside the rotated panel keeps touching it`() {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        _ = rotation.report(Self.outputs(.rotated90))
        #expect(rotation.report(Self.outputs(.rotated90, monitor: 1080)) == .init())
        _ = rotation.want(.normal)
        _ = rotation.end(.applied)
        let moved = ["DP-1": Position(x: 1920, y: 0)]
        #expect(rotation.report(Self.outputs(.normal, monitor: 1080)).change == Self.change(.normal, moved))
    }

    @Test(arguments: [true, false])
    func `a transform from a reloaded configuration is replaced by the wanted one`(reloadFirst: Bool) {
        var rotation = Self.rotation()
        _ = rotation.want(.rotated90)
        _ = rotation.end(.applied)
        _ = rotation.report(Self.outputs(.rotated90))
        if reloadFirst {
            #expect(rotation.handle(.configurationReloaded) == .init())
            #expect(rotation.report(Self.outputs()).change == Self.change(.rotated90))
        } else {
            #expect(rotation.report(Self.outputs()) == .init())
            #expect(rotation.handle(.configurationReloaded).change == Self.change(.rotated90))
        }
    }

    @Test func `a transform that was set after the crash of an agent is not restored over`() {
        let left = RestorePoint(outputs: Self.outputs(), movesNeighbours: false, applied: [Transform(.rotated90)])
        var rotation = PanelRotation(output: nil, mayPlaceAutomatically: true, leftover: left)
        _ = rotation.release()
        #expect(rotation.report(Self.outputs(.rotated180)) == .init())
        #expect(rotation.restorePoint == nil)
    }

    @Test func `a panel that is off is not reported as missing`() {
        var rotation = Self.rotation(Self.outputs(monitor: 1920))
        var off = Self.outputs(monitor: 1920)
        off[0].isEnabled = false
        #expect(rotation.report(off) == .init())
        #expect(rotation.report([Self.monitor]).warning != nil)
    }

    @Test(arguments: [("eDP-1", true), ("LVDS-1", true), ("DSI-2", true), ("DP-1", false), ("HDMI-A-1", false)])
    func `built-in panels are known by their connectors`(name: String, isBuiltIn: Bool) {
        #expect(Output(name: name).isBuiltIn == isBuiltIn)
    }

    @Test func `the configured output is rotated, whatever its connector`() {
        var rotation = PanelRotation(output: "DP-1", mayPlaceAutomatically: true)
        _ = rotation.report([Self.panel, Self.monitor])
        #expect(rotation.want(.rotated90).change?.output == "DP-1")
    }
}

extension PanelRotation {
    fileprivate mutating func want(_ transform: OutputTransform) -> Actions {
        handle(.goalChanged(.transform(transform)))
    }

    fileprivate mutating func release() -> Actions { handle(.goalChanged(.baseline)) }
    fileprivate mutating func report(_ outputs: [Output]) -> Actions { handle(.outputsReported(outputs)) }
    fileprivate mutating func end(_ result: OutputResult) -> Actions { handle(.changeEnded(result)) }
}
