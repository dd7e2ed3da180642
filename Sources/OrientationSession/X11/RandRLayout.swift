// SPDX-License-Identifier: Apache-2.0

import CXCB

/// A new layout of a screen.
struct RandRLayout {
    private(set) var crtcs: [RandRState.Crtc]
    /// The smallest screen that contains all CRTCs; set by ``normalize()``.
    var screen = Extent(width: 0, height: 0)
    private let modes: [xcb_randr_mode_t: Extent]

    /// Begins with the CRTCs that are on; nil if there are none.
    init?(_ crtcs: [RandRState.Crtc], _ modes: [xcb_randr_mode_t: Extent]) {
        self.crtcs = crtcs.filter { $0.isOn }
        self.modes = modes
        if self.crtcs.isEmpty { return nil }
    }

    /// Rotates a CRTC; returns whether it supports that.
    mutating func rotate(_ id: xcb_randr_crtc_t, to transform: Transform) -> Bool {
        guard let index = crtcs.firstIndex(where: { $0.id == id }), let mode = modes[crtcs[index].mode] else {
            return false
        }
        let flags = transform.randrFlags
        guard crtcs[index].rotations & flags == flags else { return false }
        let before = mode.transformed(Transform(randr: crtcs[index].rotation)), after = mode.transformed(transform)
        crtcs[index].rotation = flags
        crtcs[index].area.width = Self.scaled(after.width, as: crtcs[index].area.width, before.width)
        crtcs[index].area.height = Self.scaled(after.height, as: crtcs[index].area.height, before.height)
        return true
    }

    /// Scales a length as `scaled` is to `original`: users can set a scale between a CRTC and the screen.
    private static func scaled(_ length: Int, as scaled: Int, _ original: Int) -> Int {
        original > 0 ? (length * scaled + original - 1) / original : length
    }

    mutating func move(_ id: xcb_randr_crtc_t, to position: Position) {
        guard let index = crtcs.firstIndex(where: { $0.id == id }) else { return }
        crtcs[index].area.x = position.x
        crtcs[index].area.y = position.y
    }

    /// Moves all CRTCs so that the layout begins at 0, and computes the screen's size.
    mutating func normalize() {
        let whole = Area(crtcs.map { $0.area })
        for index in crtcs.indices {
            crtcs[index].area.x -= whole.x
            crtcs[index].area.y -= whole.y
        }
        screen = whole.size
    }

    func contains(_ crtc: RandRState.Crtc) -> Bool {
        crtc.area.right <= screen.width && crtc.area.bottom <= screen.height
    }
}
