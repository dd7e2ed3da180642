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

    static let transforms = Transform.allCases
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

    @Test(arguments: [(1920, 1080, 1.0, 1920, 1080), (1920, 1200, 1.25, 1536, 960), (1366, 768, 1.5, 910, 512)])
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
        #expect(
            OutputLayout.rotating("DP-1", to: .init(.rotated90), in: before).map { $0.position }
                == before.map { $0.position }
        )
    }

    @Test(arguments: transforms)
    func `an output that shows the same as the panel stays`(transform: Transform) {
        let before = [Self.panel(1), Output(name: "DP-1", width: 1920, height: 1080)]
        #expect(OutputLayout.rotating("eDP-1", to: transform, in: before)[1] == before[1])
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

extension OutputLayout {
    /// The outputs with one panel in another transform, and the others in the same relations to it.
    fileprivate static func rotating(_ panel: String, to transform: Transform, in outputs: [Output]) -> [Output] {
        let turned = outputs.map { output in
            var output = output
            if output.name == panel { output.transform = transform }
            return output
        }
        return arranged(turned, like: outputs, panels: [panel])
    }
}

/// Two panels of one device, which turn around each other.
@Suite struct PanelBodyTests {
    static func panels(
        _ transform: Transform,
        second: Position,
        size: Extent = Extent(width: 1920, height: 1200)
    ) -> [Output] {
        [
            Output(name: "eDP-1", width: 1920, height: 1200, transform: transform),
            Output(name: "eDP-2", position: second, width: size.width, height: size.height, transform: transform),
        ]
    }

    // The counter-clockwise quarter turns of the picture are clockwise ones of the device.
    @Test(arguments: [
        (OutputTransform.normal, Position(x: 0, y: 0), Position(x: 0, y: 1200)),
        (.rotated90, Position(x: 1200, y: 0), Position(x: 0, y: 0)),
        (.rotated180, Position(x: 0, y: 1200), Position(x: 0, y: 0)),
        (.rotated270, Position(x: 0, y: 0), Position(x: 1200, y: 0)),
    ])
    func `a panel below is left of, above or right of the first one after a turn`(
        transform: OutputTransform,
        first: Position,
        second: Position
    ) {
        let before = Self.panels(.normal, second: Position(x: 0, y: 1200))
        let turned = Self.panels(Transform(transform), second: Position(x: 0, y: 1200))
        let after = OutputLayout.arranged(turned, like: before, panels: ["eDP-1", "eDP-2"])
        #expect(after.map { $0.position } == [first, second])
        // And back.
        let normal = Self.panels(.normal, second: second)
        let back = OutputLayout.arranged(normal, like: after, panels: ["eDP-1", "eDP-2"])
        #expect(back.map { $0.position } == before.map { $0.position })
    }

    @Test func `a smaller panel stays at the same end of the other one`() {
        let size = Extent(width: 1000, height: 400)
        let before = Self.panels(.normal, second: Position(x: 920, y: 1200), size: size)
        let place = { (transform: OutputTransform) in
            let turned = Self.panels(Transform(transform), second: Position(x: 920, y: 1200), size: size)
            return OutputLayout.arranged(turned, like: before, panels: ["eDP-1", "eDP-2"]).map { $0.area }
        }
        #expect(place(.rotated90)[1] == Area(x: 0, y: 920, width: 400, height: 1000))
        #expect(place(.rotated180)[1] == Area(x: 0, y: 0, width: 1000, height: 400))
        #expect(place(.rotated270)[1] == Area(x: 1200, y: 0, width: 400, height: 1000))
    }

    @Test(arguments: OutputLayoutTests.transforms.filter { !$0.isMirrored })
    func `a monitor stays beside both panels together`(transform: Transform) {
        let monitor = Output(name: "DP-1", position: Position(x: 1920, y: 0), width: 2560, height: 1440)
        let before = Self.panels(.normal, second: Position(x: 0, y: 1200)) + [monitor]
        let turned = Self.panels(transform, second: Position(x: 0, y: 1200)) + [monitor]
        let after = OutputLayout.arranged(turned, like: before, panels: ["eDP-1", "eDP-2"])
        #expect(after[2].position == Position(x: transform.isSideways ? 2400 : 1920, y: 0))
    }
}

/// Sizes that compositors report.
@Suite struct LogicalSizeTests {
    static let modes = [
        (1920, 1200), (3840, 2160), (2256, 1504), (2560, 1600), (2880, 1800), (1200, 1920), (1366, 768),
    ]

    /// The size that sway (a float of the exact scale, or one from the protocol) and labwc (the latter) compute.
    static func logical(_ mode: (Int, Int), _ scale: Float) -> Extent {
        Extent(width: Int(Float(mode.0) / scale), height: Int(Float(mode.1) / scale))
    }

    // 24.8 fixed point rounds 1.2 to 1.1992: a monitor was a pixel away from where it seemed to touch, and was left alone.
    @Test(arguments: 120...360)
    func `a monitor stays beside the panel at any scale, whatever rounding the compositor has`(step: Int) {
        let exact = Float(step) / 120
        let fixed = Float(Int(exact * 256)) / 256
        for mode in Self.modes {
            for real in [exact, fixed, Float(Int((exact * 256).rounded())) / 256] {
                var panel = Output(name: "eDP-1", width: mode.0, height: mode.1, scale: Double(fixed))
                panel.setLogicalSize(Self.logical(mode, real))
                let size = Self.logical(mode, real)
                #expect(panel.area.size == size, "\(mode) \(real)")
                for offset in -1...1 {
                    let monitor = Output(
                        name: "DP-1",
                        position: Position(x: size.width + offset, y: 0),
                        width: 1920,
                        height: 1080
                    )
                    let after = OutputLayout.rotating("eDP-1", to: .init(.rotated90), in: [panel, monitor])
                    #expect(after[1].position == Position(x: size.height, y: 0))
                }
            }
        }
    }

    @Test func `a size of another transform, mode or scale is not accepted`() {
        var panel = Output(name: "eDP-1", width: 1920, height: 1200, transform: .init(.rotated90))
        panel.setLogicalSize(Extent(width: 1920, height: 1200))
        #expect(panel.logical == nil)
        panel.setLogicalSize(Extent(width: 600, height: 960))
        #expect(panel.logical == nil)
        panel.setLogicalSize(Extent(width: 1200, height: 1919))
        #expect(panel.logical == Extent(width: 1919, height: 1200))
    }
}
