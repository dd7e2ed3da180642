// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix
import Testing

@testable import OrientationSession

/// Where outputs are after one of them was rotated.
@Suite struct OutputLayoutTests {
    enum Side: CaseIterable {
        case left, right, top, bottom
    }

    static let transforms = (Int32(0)...7).compactMap { Transform(rawValue: $0) }
    static let scales = [1, 1.25, 1.5, 2]

    static func panel(_ scale: Double) -> Output {
        Output(name: "eDP-1", width: 1920, height: 1200, scale: scale)
    }

    /// A monitor whose start is aligned with the panel's.
    static func monitor(at side: Side, of panel: Output) -> Output {
        let size = (width: 2560, height: 1440)
        let position =
            switch side {
            case .left: Position(x: -size.width, y: 0)
            case .right: Position(x: panel.area.width, y: 0)
            case .top: Position(x: 0, y: -size.height)
            case .bottom: Position(x: 0, y: panel.area.height)
            }
        return Output(name: "DP-1", position: position, width: size.width, height: size.height)
    }

    static func touches(_ monitor: Area, _ side: Side, of panel: Area) -> Bool {
        switch side {
        case .left: monitor.right == panel.x && monitor.y == panel.y
        case .right: monitor.x == panel.right && monitor.y == panel.y
        case .top: monitor.bottom == panel.y && monitor.x == panel.x
        case .bottom: monitor.y == panel.bottom && monitor.x == panel.x
        }
    }

    @Test(arguments: transforms, scales)
    func `a neighbour on any side keeps touching the panel`(transform: Transform, scale: Double) {
        for side in Side.allCases {
            let before = [Self.panel(scale), Self.monitor(at: side, of: Self.panel(scale))]
            let after = OutputLayout.rotating("eDP-1", to: transform, in: before)
            #expect(after[0].position == before[0].position)
            #expect(after[0].transform == transform)
            #expect(Self.touches(after[1].area, side, of: after[0].area), "\(side)")
            #expect(after[1].area.width == 2560 && after[1].area.height == 1440)
        }
    }

    @Test(arguments: [(1920, 1080, 1.0, 1920, 1080), (1920, 1200, 1.25, 1536, 960), (1366, 768, 1.5, 911, 512)])
    func `an area is the mode divided by the scale, in whole pixels`(
        width: Int,
        height: Int,
        scale: Double,
        logicalWidth: Int,
        logicalHeight: Int
    ) {
        for transform in Self.transforms {
            let area = Output(name: "eDP-1", width: width, height: height, scale: scale, transform: transform).area
            let size = [area.width, area.height]
            #expect(size == (transform.isSideways ? [logicalHeight, logicalWidth] : [logicalWidth, logicalHeight]))
        }
    }

    @Test func `a monitor that is aligned with the panel's end stays aligned with it`() {
        let before = [
            Output(name: "eDP-1", width: 1920, height: 1200),
            Output(name: "DP-1", position: Position(x: 1920, y: 120), width: 1920, height: 1080),
        ]
        let after = OutputLayout.rotating("eDP-1", to: .init(.rotated90), in: before)
        #expect(after[1].area == Area(x: 1200, y: 840, width: 1920, height: 1080))
    }

    @Test func `a neighbour of a neighbour moves along`() {
        let before = [
            Output(name: "DP-2", position: Position(x: 3840, y: 0), width: 1920, height: 1080),
            Output(name: "eDP-1", width: 1920, height: 1080),
            Output(name: "DP-1", position: Position(x: 1920, y: 0), width: 1920, height: 1080),
        ]
        let after = OutputLayout.rotating("eDP-1", to: .init(.rotated270), in: before)
        #expect(after.map { $0.position.x } == [3000, 0, 1080])
    }

    @Test func `outputs that would overlap are pushed away`() {
        let before = [
            Output(name: "eDP-1", width: 1920, height: 1080),
            Output(name: "DP-1", position: Position(x: 1920, y: 0), width: 1920, height: 2160),
            Output(name: "DP-2", position: Position(x: 0, y: 1080), width: 1920, height: 1080),
        ]
        let after = OutputLayout.rotating("eDP-1", to: .init(.rotated90), in: before)
        #expect(after[1].area == Area(x: 1080, y: 0, width: 1920, height: 2160))
        #expect(after[2].area == Area(x: 0, y: 2160, width: 1920, height: 1080))
    }

    @Test func `disabled outputs stay as they are`() {
        let before = [
            Output(name: "eDP-1", width: 1920, height: 1080),
            Output(name: "DP-1", isEnabled: false, position: Position(x: 1920, y: 0), width: 1920, height: 1080),
        ]
        #expect(OutputLayout.rotating("eDP-1", to: .init(.rotated90), in: before)[1] == before[1])
        #expect(OutputLayout.rotating("DP-1", to: .init(.rotated90), in: before) == before)
    }

    @Test(arguments: transforms)
    func `an output that shows the same as the panel stays`(transform: Transform) {
        let before = [Self.panel(1), Output(name: "DP-1", width: 1920, height: 1080)]
        #expect(OutputLayout.rotating("eDP-1", to: transform, in: before)[1] == before[1])
    }

    // The time grew with the cube of their number: it never ended.
    @Test func `of thousands of outputs only some are moved`() {
        let place = Position(x: 1920, y: 0)
        let others = (0..<5000).map { Output(name: "DP-\($0)", position: place, width: 800, height: 600) }
        let before = [Output(name: "eDP-1", width: 1920, height: 1080)] + others
        let after = OutputLayout.rotating("eDP-1", to: .init(.rotated90), in: before)
        #expect(after[1].position == Position(x: 1080, y: 0))
        #expect(zip(after, before).count { $0.position != $1.position } == 64)
    }

    @Test func `outputs never overlap, wherever they were`() {
        var random = SplitMix(state: 12)
        for _ in 0..<2000 {
            var outputs: [Output] = []
            for number in 0..<Int.random(in: 1...5, using: &random) {
                let output = Output(
                    name: "DP-\(number)",
                    position: Position(
                        x: Int.random(in: -30...30, using: &random) * 100,
                        y: Int.random(in: -30...30, using: &random) * 100
                    ),
                    width: Int.random(in: 1...40, using: &random) * 100,
                    height: Int.random(in: 1...40, using: &random) * 100,
                    scale: [1, 1.5, 2].randomElement(using: &random) ?? 1
                )
                if !outputs.contains(where: { $0.area.overlaps(output.area) }) { outputs.append(output) }
            }
            let transform = Self.transforms.randomElement(using: &random) ?? .normal
            let after = OutputLayout.rotating(outputs[0].name, to: transform, in: outputs)
            for (index, output) in after.enumerated() {
                for other in after[..<index] {
                    #expect(!output.area.overlaps(other.area), "\(outputs) \(transform)")
                }
            }
        }
    }
}
