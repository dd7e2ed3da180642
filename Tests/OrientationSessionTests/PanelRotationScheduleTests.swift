// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

@testable import OrientationSession

/// A rotation and a compositor that meet anything in any order.
@Suite struct PanelRotationScheduleTests {
    @Test(arguments: 0..<2000)
    func `after anything, the display shows the goal, or it is said who has the say`(seed: Int) {
        var world = World(SplitMix(state: UInt64(seed)))
        var history: [String] = []
        for _ in 0..<60 {
            history.append(world.step())
            guard Int.random(in: 0..<4, using: &world.random) == 0 else { continue }
            world.settle()
            #expect(world.complaint == nil, "seed \(seed): \(history.suffix(12))")
            if world.complaint != nil { return }
        }
        world.end()
        #expect(world.complaint == nil, "seed \(seed): at the end, \(history.suffix(12))")
    }
}

private struct World {
    var random: SplitMix
    private var scene: Scene
    private var outputs: [Output]
    /// What the compositor has sent, and the rotation has not received.
    private var messages: [PanelRotation.Event] = []
    private let (isAutomatic, reportsBeforeEnd, quirk): (Bool, Bool, Int)
    private var (refuses, isOff) = (false, false)
    private var goal: OutputTransform?
    /// What somebody else has set last, or the panel had at first; and whether places can be as they were.
    private var foreign: Transform
    private var first: [Output]
    private var isAsBefore = true
    /// Whether somebody else has the say.
    private var isOthers = false
    /// What was shown, and what was to be restored, before somebody else got the say.
    private var replaced: (shown: Transform, foreign: Transform) = (.normal, .normal)
    private var isRestored = false
    private(set) var requests = 0

    init(_ random: SplitMix) {
        var random = random
        isAutomatic = Bool.random(using: &random)
        reportsBeforeEnd = Bool.random(using: &random)
        quirk = reportsBeforeEnd ? Int.random(in: 0..<4, using: &random) : 0
        let scales: [Double] = [1, 1.25, 1.5, 2]
        let scale = scales[Int.random(in: scales.indices, using: &random)]
        var panel = Output(name: "eDP-1", width: 1920, height: 1200, scale: scale)
        panel.transform = Transform.normal.turned(by: quirk)
        let area = panel.area
        let places = [Position(x: area.width, y: 0), Position(x: -1280, y: 0), Position(x: 0, y: area.height)]
        var monitor = Output(name: "DP-1", width: 1280, height: 1024)
        monitor.position = isAutomatic ? places[0] : places.randomElement(using: &random) ?? places[0]
        outputs = [panel, monitor]
        (first, foreign) = (outputs, panel.transform)
        scene = Scene(PanelRotation(mayPlaceAutomatically: true))
        self.random = random
        report()
    }

    // MARK: - The compositor

    private mutating func report() { messages.append(.outputsReported(outputs)) }

    private mutating func arrange() {
        guard isAutomatic else { return }
        var x = 0
        for index in outputs.indices {
            outputs[index].position = Position(x: x, y: 0)
            x += outputs[index].area.width
        }
    }

    private mutating func apply(_ change: OutputChange?) {
        guard let change else { return }
        requests += 1
        if isOff, !change.appliesWhileOff { return messages.append(.changeEnded(.off)) }
        if refuses { return messages.append(.changeEnded(.refused("no"))) }
        if Int.random(in: 0..<8, using: &random) == 0 {
            messages.append(.changeEnded(.outdated))
            return report()
        }
        for index in outputs.indices {
            if let transform = change.transforms[outputs[index].name] {
                outputs[index].transform = transform.turned(by: quirk)
            }
            if let position = change.positions[outputs[index].name] { outputs[index].position = position }
        }
        arrange()
        let report = PanelRotation.Event.outputsReported(outputs)
        messages += reportsBeforeEnd ? [report, .changeEnded(.reported)] : [.changeEnded(.applied), report]
    }

    private mutating func deliver(_ count: Int) {
        for _ in 0..<count where !messages.isEmpty { apply(scene.handle(messages.removeFirst())) }
    }

    // MARK: - Events

    /// Lets one thing happen, and delivers some of what was sent before; returns what it was.
    mutating func step() -> String {
        deliver(Int.random(in: 0...3, using: &random))
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            let next = OutputTransform.allCases.randomElement(using: &random) ?? .normal
            if next != goal { isOthers = false }
            goal = next
            apply(scene.want(next))
            return "turn to \(next)"
        case 4:
            guard let goal else { return "" }
            isOthers = false
            apply(scene.want(goal, isCommand: true))
            return "command"
        case 5:
            // Somebody who changes outputs while a change is under way is not told from it, nor soon after a hotplug from
            // a program that remembers transforms.
            settle()
            apply(scene.wait(PanelRotation.resetTime + 0.1))
            guard let panel = outputs.firstIndex(where: { $0.name == "eDP-1" }) else { return "" }
            let found = outputs[panel].transform
            let next = found.turned(by: Int.random(in: 1...3, using: &random))
            outputs[panel].transform = next
            isAsBefore = false
            if !isOthers { replaced = (found, foreign) }
            foreign = isOthers && next == replaced.shown ? replaced.foreign : next
            isOthers = true
            arrange()
            report()
            deliver(1)
            return "somebody sets \(next)"
        case 6:
            refuses.toggle()
            return refuses ? "refusals" : "no refusals"
        case 7:
            isOff.toggle()
            return isOff ? "off" : "on"
        case 8:
            settle()
            isAsBefore = false
            if outputs.count > 1 {
                outputs.removeAll { $0.name == "DP-1" }
            } else {
                var monitor = first[1]
                // Beside the panel as it is, or as it was before it was rotated.
                let width = Bool.random(using: &random) ? outputs[0].area.width : first[0].area.width
                monitor.position = Position(x: outputs[0].position.x + width, y: outputs[0].position.y)
                outputs.append(monitor)
            }
            arrange()
            report()
            return outputs.count > 1 ? "plugged" : "unplugged"
        case 9:
            report()
            return "report"
        case 10:
            apply(scene.handle(.mayBeAccepted))
            return "session is active"
        default:
            // What was applied is reported in time.
            deliver(messages.count)
            apply(scene.wait(Double.random(in: 0...2, using: &random)))
            return "wait"
        }
    }

    /// Lets everything be on and accepted, and waits until nothing happens any more.
    mutating func settle() {
        (refuses, isOff) = (false, false)
        for _ in 0..<40 {
            deliver(messages.count)
            guard messages.isEmpty else { continue }
            guard scene.deadline != nil else { return }
            apply(scene.wait())
        }
    }

    mutating func end() {
        isRestored = true
        apply(scene.release())
        settle()
    }

    /// What is wrong; nil if nothing is.
    var complaint: String? {
        let panel = outputs[0]
        if isRestored {
            if panel.transform != foreign { return "\(panel.transform) is left instead of \(foreign)" }
            if scene.rotation.restorePoint != nil { return "something is left to restore" }
            return isAsBefore && outputs != first ? "places are not restored: \(outputs)" : nil
        }
        if let goal, panel.transform != Transform(goal) {
            guard isOthers else { return "\(panel.transform) is shown instead of \(goal): \(scene.rotation.activity)" }
            if scene.rotation.activity != "leaves eDP-1 as another program has set it" {
                return scene.rotation.activity
            }
        } else if !scene.rotation.isSettled {
            return "not settled"
        }
        if requests > 1000 { return "\(requests) requests" }
        // What somebody else has rotated has the places that they have left it with.
        guard !isOthers, goal != nil, outputs.count > 1 else { return nil }
        if outputs[0].area.overlaps(outputs[1].area, tolerance: OutputLayout.tolerance) { return "overlap \(outputs)" }
        return OutputLayout.touches(outputs[1], in: outputs) ? nil : "gap \(outputs)"
    }
}
