// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationSession

/// The arithmetic of RandR's layouts.
@Suite struct RandRTests {
    static let reflectX: UInt16 = 16, reflectY: UInt16 = 32

    @Test(arguments: [
        (1, "normal"), (2, "90"), (4, "180"), (8, "270"),
        (1 | reflectX, "flipped"), (2 | reflectX, "flipped-90"), (4 | reflectX, "flipped-180"),
        (8 | reflectX, "flipped-270"), (1 | reflectY, "flipped-180"), (2 | reflectY, "flipped-270"),
        (1 | reflectX | reflectY, "180"), (8 | reflectX | reflectY, "90"), (0, "normal"),
    ])
    func `flags are transforms of wl_output`(flags: UInt16, name: String) {
        #expect(Transform(randr: flags).name == name)
    }

    @Test(arguments: Transform.allCases)
    func `every transform has flags`(transform: Transform) {
        #expect(Transform(randr: transform.randrFlags) == transform)
    }

    @Test(arguments: ["eDP-1", "eDP1", "eDP", "LVDS", "LVDS-1", "LVDS1", "DSI-1", "DSI1"])
    func `connectors of panels are known by every driver's name`(name: String) {
        #expect(Output(name: name).isBuiltIn)
    }

    @Test(arguments: ["DP-1", "HDMI-1", "DP1", "eDPx", "VGA", "", "DUMMY0", "default"])
    func `other connectors are not built in unless the server says so`(name: String) {
        #expect(!Output(name: name).isBuiltIn)
        #expect(Output(name: name, isPanel: true).isBuiltIn)
    }

    // MARK: - Layouts

    static let panel: UInt32 = 1, monitor: UInt32 = 2

    static func layout(_ crtcs: RandRState.Crtc...) -> RandRLayout? {
        RandRLayout(crtcs, [70: Extent(width: 1200, height: 1920), 71: Extent(width: 1920, height: 1080)])
    }

    static func crtc(
        _ id: UInt32,
        _ position: Position,
        _ size: Extent,
        mode: UInt32,
        rotations: UInt16 = 15
    ) -> RandRState.Crtc {
        RandRState.Crtc(
            id: id,
            area: Area(x: position.x, y: position.y, width: size.width, height: size.height),
            mode: mode,
            rotation: 1,
            rotations: rotations,
            outputs: [id + 10]
        )
    }

    static let both = layout(
        crtc(panel, Position(x: 0, y: 0), Extent(width: 1200, height: 1920), mode: 70),
        crtc(monitor, Position(x: 1200, y: 840), Extent(width: 1920, height: 1080), mode: 71)
    )

    @Test func `the screen is as large as what it shows`() throws {
        var layout = try #require(Self.both)
        let isRotated = layout.rotate(Self.panel, to: .init(.rotated90))
        #expect(isRotated)
        layout.move(Self.monitor, to: Position(x: 1920, y: 120))
        layout.normalize()
        #expect(layout.screen == Extent(width: 3840, height: 1200))
        let sizes = [Extent(width: 1920, height: 1200), Extent(width: 1920, height: 1080)]
        #expect(layout.crtcs.map { $0.area.size } == sizes)
        #expect(layout.crtcs.map { $0.rotation } == [2, 1])
        #expect(!layout.contains(try #require(Self.both).crtcs[0]))
    }

    @Test func `positions begin at zero`() throws {
        var layout = try #require(Self.both)
        layout.move(Self.monitor, to: Position(x: -1920, y: -40))
        layout.normalize()
        #expect(layout.crtcs.map { $0.area.position } == [Position(x: 1920, y: 40), Position(x: 0, y: 0)])
        #expect(layout.screen == Extent(width: 3120, height: 1960))
    }

    @Test(arguments: [(600, 960, 960, 600), (1200, 1920, 1920, 1200), (1800, 1920, 2880, 1200), (601, 960, 962, 600)])
    func `a scale stays`(width: Int, height: Int, rotatedWidth: Int, rotatedHeight: Int) throws {
        let size = Extent(width: width, height: height)
        var layout = try #require(Self.layout(Self.crtc(Self.panel, Position(x: 0, y: 0), size, mode: 70)))
        let isRotated = layout.rotate(Self.panel, to: .init(.rotated270))
        #expect(isRotated)
        #expect(layout.crtcs[0].area.size == Extent(width: rotatedWidth, height: rotatedHeight))
    }

    @Test func `a rotation that is not offered is refused`() throws {
        let crtc = Self.crtc(Self.panel, .init(x: 0, y: 0), Extent(width: 1200, height: 1920), mode: 70, rotations: 1)
        var layout = try #require(Self.layout(crtc))
        let isRotated = layout.rotate(Self.panel, to: .init(.rotated90))
        #expect(!isRotated)
        #expect(layout.crtcs == [crtc])
    }

    @Test func `a screen without anything on it has no layout`() {
        let off = Self.crtc(Self.panel, .init(x: 0, y: 0), Extent(width: 0, height: 0), mode: 0)
        #expect(Self.layout(off) == nil)
    }
}
