// SPDX-License-Identifier: Apache-2.0

/// The places of several outputs after one of them was rotated.
enum OutputLayout {
    /// A side on which one output touches another.
    fileprivate enum Side { case left, right, top, bottom }

    /// How many outputs are moved at most; the time grows with the cube of their number.
    private static let most = 64

    /// Returns the outputs with `panel` in another transform, and the others moved with its edges.
    ///
    /// The panel's top left corner stays. Every other output keeps touching the same side of its neighbour towards the
    /// panel, at the same offset if possible. Outputs that do not touch the panel, directly or over others, move only
    /// if they would overlap others. Disabled outputs, and those that show the same part of the screen as the panel,
    /// are returned unchanged.
    static func rotating(_ panel: String, to transform: Transform, in outputs: [Output]) -> [Output] {
        guard let panelIndex = outputs.firstIndex(where: { $0.name == panel && $0.isShown }) else { return outputs }
        var result = outputs
        result[panelIndex].transform = transform
        var placed = [panelIndex]
        let others = outputs.indices.filter { index in
            index != panelIndex && outputs[index].isShown && !outputs[index].area.overlaps(outputs[panelIndex].area)
        }
        var waiting = others.prefix(most)

        var next = 0
        while next < placed.count {
            let anchor = placed[next]
            next += 1
            for index in waiting {
                guard let side = side(of: outputs[index].area, at: outputs[anchor].area) else { continue }
                waiting.removeAll { $0 == index }
                result[index].position = position(
                    of: outputs[index].area,
                    on: side,
                    from: outputs[anchor].area,
                    to: result[anchor].area
                )
                push(index, to: side, clearOf: placed, in: &result)
                placed.append(index)
            }
        }
        for index in waiting {
            push(index, to: .right, clearOf: placed, in: &result)
            placed.append(index)
        }
        return result
    }

    /// The side of `anchor` that `area` touches with more than a corner.
    private static func side(of area: Area, at anchor: Area) -> Side? {
        let isBeside = area.y < anchor.bottom && anchor.y < area.bottom
        let isAboveOrBelow = area.x < anchor.right && anchor.x < area.right
        if isBeside && area.x == anchor.right { return .right }
        if isBeside && area.right == anchor.x { return .left }
        if isAboveOrBelow && area.y == anchor.bottom { return .bottom }
        if isAboveOrBelow && area.bottom == anchor.y { return .top }
        return nil
    }

    /// The place at the same side of an anchor whose area has changed from `old` to `new`.
    private static func position(of area: Area, on side: Side, from old: Area, to new: Area) -> Position {
        var moved = area
        switch side {
        case .left, .right: moved.y = along(area.y, area.height, (old.y, old.height), (new.y, new.height))
        case .top, .bottom: moved.x = along(area.x, area.width, (old.x, old.width), (new.x, new.width))
        }
        moved.touch(side, of: new)
        return Position(x: moved.x, y: moved.y)
    }

    /// The start along the side: ends that were aligned stay aligned; otherwise the same distance from the side's
    /// start, but so near that the two still touch.
    private static func along(
        _ start: Int,
        _ length: Int,
        _ old: (start: Int, length: Int),
        _ new: (start: Int, length: Int)
    ) -> Int {
        if start != old.start, start + length == old.start + old.length { return new.start + new.length - length }
        let offset = start - old.start
        return new.start + max(1 - length, min(offset, new.length - 1))
    }

    /// Moves an output away to `side` until it overlaps none of the placed ones.
    private static func push(_ index: Int, to side: Side, clearOf placed: [Int], in outputs: inout [Output]) {
        while let other = placed.first(where: { outputs[$0].area.overlaps(outputs[index].area) }) {
            var area = outputs[index].area
            area.touch(side, of: outputs[other].area)
            outputs[index].position = Position(x: area.x, y: area.y)
        }
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
