// SPDX-License-Identifier: Apache-2.0

import CXCB

/// The transformation that RandR applies to a rotated picture, as rows of 16.16 fixed-point numbers.
struct RandRTransformation: Hashable {
    private let matrix: [Double]

    static let identity = RandRTransformation([65536, 0, 0, 0, 65536, 0, 0, 0, 65536])

    init(_ fixed: [Int32]) {
        matrix = fixed.map { Double($0) / 65536 }
    }

    /// The size of the rectangle on the screen that a picture of this size covers.
    func covered(by size: Extent) -> Extent {
        let (width, height) = (Double(size.width), Double(size.height))
        let corners = [(0, 0), (width, 0), (0, height), (width, height)].map { x, y in
            let divisor = matrix[6] * x + matrix[7] * y + matrix[8]
            guard divisor != 0 else { return (x: x, y: y) }
            return (
                x: (matrix[0] * x + matrix[1] * y + matrix[2]) / divisor,
                y: (matrix[3] * x + matrix[4] * y + matrix[5]) / divisor
            )
        }
        return Extent(
            width: Self.span(corners.map { $0.x }),
            height: Self.span(corners.map { $0.y })
        )
    }

    /// Pixels are counted as a whole at both ends, as the server does.
    private static func span(_ values: [Double]) -> Int {
        guard let least = values.min(), let greatest = values.max(), abs(least) < 1e6, abs(greatest) < 1e6 else {
            return 0
        }
        return Int(greatest.rounded(.up)) - Int(least.rounded(.down))
    }
}

/// A new layout of a screen.
struct RandRLayout {
    private(set) var crtcs: [RandRState.Crtc]
    /// The smallest screen in which they fit, once the layout is normalized.
    var screen = Extent(width: 0, height: 0)
    private let modes: [xcb_randr_mode_t: Extent]

    /// Begins with the CRTCs that are on; nil if there are none.
    init?(_ state: RandRState) {
        crtcs = state.crtcs.filter { $0.isOn }
        modes = state.modes
        if crtcs.isEmpty { return nil }
    }

    /// Rotates a CRTC; returns whether it supports that.
    mutating func rotate(
        _ id: xcb_randr_crtc_t,
        to transform: Transform,
        _ transformation: (xcb_randr_crtc_t) -> RandRTransformation
    ) -> Bool {
        guard let index = crtcs.firstIndex(where: { $0.id == id }), let mode = modes[crtcs[index].mode] else {
            return false
        }
        let flags = transform.randrFlags
        guard crtcs[index].rotations & flags == flags else { return false }
        crtcs[index].rotation = flags
        let size = transform.isSideways ? Extent(width: mode.height, height: mode.width) : mode
        crtcs[index].size = transformation(id).covered(by: size)
        return true
    }

    mutating func move(_ id: xcb_randr_crtc_t, to position: Position) {
        guard let index = crtcs.firstIndex(where: { $0.id == id }) else { return }
        crtcs[index].position = position
    }

    /// Moves all so that the layout begins at 0, and computes the screen's size.
    mutating func normalize() {
        let left = crtcs.map { $0.position.x }.min() ?? 0
        let top = crtcs.map { $0.position.y }.min() ?? 0
        for index in crtcs.indices {
            crtcs[index].position.x -= left
            crtcs[index].position.y -= top
        }
        screen = Extent(width: crtcs.map { $0.right }.max() ?? 0, height: crtcs.map { $0.bottom }.max() ?? 0)
    }

    /// Whether a CRTC is within the screen.
    func contains(_ crtc: RandRState.Crtc) -> Bool {
        crtc.right <= screen.width && crtc.bottom <= screen.height
    }
}
