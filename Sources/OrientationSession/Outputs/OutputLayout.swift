// SPDX-License-Identifier: Apache-2.0

/// The places of several outputs before and after some of them, the panels, are rotated together.
enum OutputLayout {
    /// How many logical pixels outputs may be apart, or overlap, and still touch: compositors round sizes.
    static let tolerance = 3

    /// A side on which one output touches another, clockwise.
    fileprivate enum Side: Int {
        case top, right, bottom, left

        var isVertical: Bool { self == .top || self == .bottom }
    }

    /// Returns `outputs` with the places that keep the relations of `reference`, an earlier state of the same outputs.
    ///
    /// The panels are a rigid body, whose top left corner stays: they turn around each other as the first one turns.
    /// Every other output keeps touching the same side of its neighbour towards the panels, at the same offset if
    /// possible. Outputs that touch nothing move only if they would overlap others. Outputs that are not in
    /// `reference`, disabled ones, and those that show the same part of the screen as a panel stay.
    static func arranged(_ outputs: [Output], like reference: [Output], panels: [String]) -> [Output] {
        var result = outputs
        let pairs = outputs.enumerated().compactMap { index, output -> (index: Int, old: Output)? in
            guard output.isShown, let old = reference.named(output.name), old.isShown else { return nil }
            return (index, old)
        }
        let bodies = panels.compactMap { name in pairs.first { outputs[$0.index].name == name } }
        guard let root = bodies.first else { return outputs }
        let turns = outputs[root.index].transform.quarterTurns - root.old.transform.quarterTurns & 3
        let isSame = pairs.allSatisfy { $0.old.area.size == outputs[$0.index].area.size }
        let corner = Area(bodies.map { outputs[$0.index].area })
        if isSame, turns == 0 || bodies.count == 1 {
            let (from, to) = (Area(bodies.map { $0.old.area }), corner)
            for pair in pairs {
                let old = pair.old.position
                result[pair.index].position = Position(x: old.x + to.x - from.x, y: old.y + to.y - from.y)
            }
            return result
        }

        var placed = [(old: root.old.area, new: result[root.index].area)]
        for body in bodies.dropFirst() {
            if let place = place(of: body.old.area, outputs[body.index].area.size, at: placed, turns: turns) {
                result[body.index].position = place.area.position
            }
            placed.append((body.old.area, result[body.index].area))
        }
        let shift = Area(placed.map { $0.new })
        for body in bodies {
            result[body.index].position.x += corner.x - shift.x
            result[body.index].position.y += corner.y - shift.y
        }

        let bodyArea = (old: Area(bodies.map { $0.old.area }), new: Area(bodies.map { result[$0.index].area }))
        placed = [bodyArea]
        var waiting = pairs.filter { pair in
            !bodies.contains { $0.index == pair.index || $0.old.area.overlaps(pair.old.area, tolerance: tolerance) }
        }
        var next = 0
        while next < placed.count {
            let anchor = placed[next]
            next += 1
            for pair in waiting {
                let size = outputs[pair.index].area.size
                guard let place = place(of: pair.old.area, size, at: [anchor], turns: 0) else { continue }
                waiting.removeAll { $0.index == pair.index }
                let area = pushed(place.area, to: place.side, clearOf: placed.map { $0.new })
                result[pair.index].position = area.position
                placed.append((pair.old.area, area))
            }
        }
        for pair in waiting {
            var area = outputs[pair.index].area
            area.x = pair.old.position.x + bodyArea.new.x - bodyArea.old.x
            area.y = pair.old.position.y + bodyArea.new.y - bodyArea.old.y
            area = pushed(area, to: .right, clearOf: placed.map { $0.new })
            result[pair.index].position = area.position
            placed.append((pair.old.area, area))
        }
        return result
    }

    static func touches(_ output: Output, in outputs: [Output]) -> Bool {
        outputs.contains { $0.isShown && $0.name != output.name && side(of: output.area, at: $0.area) != nil }
    }

    /// The panels and what touches them, directly or by way of others.
    static func connected(to panels: [Output], in outputs: [Output]) -> [Output] {
        var result = panels
        var waiting = outputs.filter { panels.named($0.name) == nil }
        var next = 0
        while next < result.count {
            let anchor = [result[next]]
            next += 1
            result += waiting.filter { touches($0, in: anchor) }
            waiting.removeAll { touches($0, in: anchor) }
        }
        return result
    }

    /// The side of `anchor` that `area` touches with more than a corner.
    private static func side(of area: Area, at anchor: Area) -> Side? {
        let isBeside = area.y + tolerance < anchor.bottom && anchor.y + tolerance < area.bottom
        let isAboveOrBelow = area.x + tolerance < anchor.right && anchor.x + tolerance < area.right
        let meets = { (one: Int, other: Int) in abs(one - other) <= tolerance }
        if isBeside && meets(area.x, anchor.right) { return .right }
        if isBeside && meets(area.right, anchor.x) { return .left }
        if isAboveOrBelow && meets(area.y, anchor.bottom) { return .bottom }
        if isAboveOrBelow && meets(area.bottom, anchor.y) { return .top }
        return nil
    }

    /// The place of an output of a size that touched one of the anchors; nil if it touched none.
    ///
    /// `turns` are the counter-clockwise quarter turns of the picture, with which the device turns clockwise.
    private static func place(
        of old: Area,
        _ size: Extent,
        at anchors: [(old: Area, new: Area)],
        turns: Int
    ) -> (side: Side, area: Area)? {
        for anchor in anchors {
            guard let before = side(of: old, at: anchor.old), let side = Side(rawValue: (before.rawValue + turns) & 3)
            else { continue }
            var distances =
                before.isVertical
                ? (start: old.x - anchor.old.x, end: anchor.old.right - old.right)
                : (start: old.y - anchor.old.y, end: anchor.old.bottom - old.bottom)
            // A turn can exchange the ends of a side.
            if turns == 2 || turns == 1 && !before.isVertical || turns == 3 && before.isVertical {
                distances = (distances.end, distances.start)
            }
            var area = Area(x: anchor.new.x, y: anchor.new.y, width: size.width, height: size.height)
            if side.isVertical {
                area.x += offset(distances, of: area.width, along: anchor.new.width)
            } else {
                area.y += offset(distances, of: area.height, along: anchor.new.height)
            }
            area.touch(side, of: anchor.new)
            return (side, area)
        }
        return nil
    }

    /// The offset along a side: ends that were aligned stay aligned; otherwise the same distance from the side's start,
    /// but so near that the two still touch.
    private static func offset(_ distances: (start: Int, end: Int), of length: Int, along side: Int) -> Int {
        if abs(distances.start) <= tolerance { return 0 }
        if abs(distances.end) <= tolerance { return side - length }
        return max(1 - length, min(distances.start, side - 1))
    }

    /// An area, moved away to `side` until it overlaps none of the others.
    private static func pushed(_ area: Area, to side: Side, clearOf others: [Area]) -> Area {
        var area = area
        while let other = others.first(where: { $0.overlaps(area) }) { area.touch(side, of: other) }
        return area
    }
}

extension Area {
    /// Moves it to the outside of a side of another one.
    fileprivate mutating func touch(_ side: OutputLayout.Side, of other: Area) {
        switch side {
        case .left: x = other.x - width
        case .right: x = other.right
        case .top: y = other.y - height
        case .bottom: y = other.bottom
        }
    }
}
