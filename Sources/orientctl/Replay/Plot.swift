// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

/// A picture of a trace: x, y and z over time, over bands coloured by the device's orientation.
///
/// A lane below shows the interface's orientation, and vertical lines mark events, where the data have them.
struct Plot {
    private let data: PlotData
    private let title: String
    private let vertical: Scale
    private let area: (left: Double, right: Double, top: Double, bottom: Double)

    /// Where the time axis is: under the lane.
    private let axis: Double

    private static let width = 1000.0
    private static let ink = "#222"

    /// The rows for the labels of marks.
    private static let labelRows = (count: 3, height: 12.0)

    /// Larger values, in m/s², are drawn at the edge: they would flatten all others.
    private static let limit = 100 * AccelerometerSample.standardGravity

    /// The line is broken where no sample came for more than so many seconds.
    private static let leastGap = 1.0

    /// Okabe and Ito's palette, distinguishable with every kind of colour blindness.
    private static let lines: [(name: String, color: String, value: @Sendable (Vector3) -> Double)] = [
        ("x", "#d55e00", { $0.x }), ("y", "#0072b2", { $0.y }), ("z", "#009e73", { $0.z }),
    ]

    /// Tol's pale palette, made for backgrounds; by the names of device and interface orientations.
    private static let bands: [(orientation: String, color: String)] = [
        ("unknown", "#eeeeee"), ("portrait", "#bbccee"), ("landscape-left", "#ccddaa"),
        ("portrait-upside-down", "#ffcccc"), ("landscape-right", "#eeeebb"),
    ]

    init(_ data: PlotData, title: String) {
        self.data = data
        self.title = title
        let top = data.marks.isEmpty ? 72 : 76 + Double(Self.labelRows.count) * Self.labelRows.height
        area = (left: 64, right: 976, top: top, bottom: top + 316)
        axis = data.interfaces.isEmpty ? area.bottom : area.bottom + 24
        let columns = data.columns.compactMap { $0 }
        let low = columns.reduce(-10) { min($0, $1.low.x, $1.low.y, $1.low.z) }
        let high = columns.reduce(10) { max($0, $1.high.x, $1.high.y, $1.high.z) }
        let (least, most) = (max(low, -Self.limit) - 1, min(high, Self.limit) + 1)
        vertical = Scale(from: least, to: most, start: area.bottom, end: area.top)
    }

    /// The picture as SVG.
    var svg: String {
        let (width, height) = (text(Self.width), text(axis + 52))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="sans-serif" font-size="12" fill="\(Self.ink)">
            <title>\(escaped(title))</title>
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="\(text(area.left))" y="24" font-size="15" font-weight="bold">\(escaped(title))</text>

            """ + segments(deviceBands, top: area.top, height: area.bottom - area.top, labelBottom: 6)
                + axes + Self.lines.map { line($0.color, $0.value) }.joined() + lane + marks + legend + "</svg>\n"
    }
}

// MARK: - Parts

extension Plot {
    /// A stretch of time in one orientation, in the picture's units.
    private struct Band {
        let orientation: String
        let start: Double
        var end: Double
    }

    /// The device's orientation; nothing is known before the first sample.
    private var deviceBands: [Band] {
        bands(data.columns.enumerated().compactMap { index, column in column.map { (index, $0.orientation.name) } })
    }

    private var interfaceBands: [Band] {
        bands(data.interfaces.keys.sorted().compactMap { key in data.interfaces[key].map { (key, $0.name) } })
    }

    private func bands(_ changes: [(column: Int, orientation: String)]) -> [Band] {
        var bands: [Band] = []
        for (column, orientation) in changes {
            if bands.last?.orientation == orientation { continue }
            let start = x(Double(column))
            if let last = bands.indices.last { bands[last].end = start }
            bands.append(Band(orientation: orientation, start: start, end: area.right))
        }
        return bands
    }

    private func segments(_ bands: [Band], top: Double, height: Double, labelBottom: Double) -> String {
        bands.map { band in
            let color = Self.bands.first { $0.orientation == band.orientation }?.color ?? "#fff"
            let rectangle = rectangle(from: band.start, to: band.end, top: top, height: height, #"fill="\#(color)""#)
            // A character of this font is about 6 wide.
            guard band.end - band.start > 6 * Double(band.orientation.utf8.count) else { return rectangle }
            let (x, y) = (text((band.start + band.end) / 2), text(top + height - labelBottom))
            return rectangle
                + #"<text x="\#(x)" y="\#(y)" font-size="10" text-anchor="middle" fill="dimgray">"#
                + "\(band.orientation)</text>\n"
        }.joined()
    }

    private var axes: String {
        let values = vertical.ticks(atMost: 8).map { place, label in
            #"<path d="M\#(text(area.left)) \#(text(place))H\#(text(area.right))" stroke="black" stroke-opacity="0.12"/>"#
                + #"<text x="\#(text(area.left - 8))" y="\#(text(place))" dy="0.35em" text-anchor="end">\#(label)</text>"#
                + "\n"
        }
        let horizontal = Scale(from: 0, to: max(data.duration, data.width), start: area.left, end: area.right)
        let times = horizontal.ticks(atMost: 10, origin: data.start).map { place, label in
            #"<path d="M\#(text(place)) \#(text(axis))v5" stroke="black"/>"#
                + #"<text x="\#(text(place))" y="\#(text(axis + 20))" text-anchor="middle">\#(label)</text>"# + "\n"
        }
        let middle = (x: text((area.left + area.right) / 2), y: text((area.top + area.bottom) / 2))
        return values.joined() + times.joined() + frame(top: area.top, bottom: area.bottom)
            + """
            <text x="\(middle.x)" y="\(text(axis + 42))" text-anchor="middle">time (s)</text>
            <text transform="translate(18 \(middle.y)) rotate(-90)" text-anchor="middle">specific force (m/s²)</text>

            """
    }

    private func frame(top: Double, bottom: Double) -> String {
        let style = #"fill="none" stroke="\#(Self.ink)""#
        return rectangle(from: area.left, to: area.right, top: top, height: bottom - top, style)
    }

    private func rectangle(from left: Double, to end: Double, top: Double, height: Double, _ style: String) -> String {
        #"<rect x="\#(text(left))" y="\#(text(top))" width="\#(text(end - left))" height="\#(text(height))" \#(style)/>"#
            + "\n"
    }

    /// Draws one axis of the sensor, from each column's one end to its other, the nearer one first.
    private func line(_ color: String, _ value: (Vector3) -> Double) -> String {
        var path = ""
        var last: (index: Int, value: Double)?
        for (index, column) in data.columns.enumerated() {
            guard let column else { continue }
            let x = text(x(Double(index) + 0.5))
            let (low, high) = (clamped(value(column.low)), clamped(value(column.high)))
            let isFalling = last.map { abs($0.value - high) < abs($0.value - low) } ?? false
            let (first, second) = isFalling ? (high, low) : (low, high)
            let isJoined = last.map { Double(index - $0.index - 1) * data.width <= Self.leastGap } ?? false
            path += "\(isJoined ? "L" : "M")\(x) \(text(vertical(first)))"
            // A single point is a line of no length, drawn by its round ends.
            if first != second || !isJoined { path += "V\(text(vertical(second)))" }
            last = (index, second)
        }
        return #"<path fill="none" stroke="\#(color)" stroke-width="1.5" stroke-linejoin="round""#
            + #" stroke-linecap="round" d="\#(path)"/>"# + "\n"
    }

    /// The interface's orientation over time.
    private var lane: String {
        guard !data.interfaces.isEmpty else { return "" }
        let top = area.bottom + 6
        return segments(interfaceBands, top: top, height: axis - top, labelBottom: 5) + frame(top: top, bottom: axis)
            + #"<text x="\#(text(area.left - 8))" y="\#(text(axis - 5))" font-size="10" text-anchor="end">interface</text>"#
            + "\n"
    }

    /// A labelled line for each mark, or a tick where the label would overlap another or be crossed by a line.
    private var marks: String {
        var ends = [Double](repeating: 0, count: Self.labelRows.count)
        return data.marks.keys.sorted().map { column in
            guard let mark = data.marks[column] else { return "" }
            let x = x(Double(column))
            let label = mark.label + (mark.count > 1 ? " +\(mark.count - 1)" : "")
            let width = 5.5 * Double(label.unicodeScalars.count)
            let start = x + 3 + width <= area.right ? x + 3 : x - 3 - width
            var (top, bottom, name) = (area.top - 4, area.top + 4, "")
            if let row = ends.indices.first(where: { row in ends[row...].allSatisfy { $0 < start } }) {
                ends[row] = max(x, start + width) + 4
                let y = area.top - 6 - Double(ends.count - 1 - row) * Self.labelRows.height
                (top, bottom) = (y - 9, axis)
                name = #"<text x="\#(text(start))" y="\#(text(y))" font-size="10">\#(escaped(label))</text>"#
            }
            return #"<path d="M\#(text(x)) \#(text(top))V\#(text(bottom))" stroke="dimgray" stroke-width="0.8""#
                + #" stroke-opacity="0.7"/>\#(name)"# + "\n"
        }.joined()
    }

    /// The coordinate of a column's start; times themselves may be too large to multiply.
    private func x(_ column: Double) -> Double {
        let columns = max(data.duration, data.width) / data.width
        return area.left + column / columns * (area.right - area.left)
    }

    private var legend: String {
        var (x, svg) = (area.left, "")
        func add(_ name: String, _ symbol: String) {
            svg += symbol + #"<text x="\#(text(x + 24))" y="54">\#(name)</text>"# + "\n"
            x += 34 + 6.5 * Double(name.utf8.count)
        }
        for line in Self.lines {
            add(line.name, #"<path d="M\#(text(x)) 50h18" stroke="\#(line.color)" stroke-width="3"/>"#)
        }
        x += 16
        let shown = (deviceBands + interfaceBands).map { $0.orientation }
        for (name, color) in Self.bands where shown.contains(name) {
            add(name, #"<rect x="\#(text(x))" y="43" width="18" height="14" fill="\#(color)" stroke="gray"/>"#)
        }
        return svg
    }

    private func clamped(_ value: Double) -> Double { min(max(value, -Self.limit), Self.limit) }
}

// MARK: - Scales

/// A linear scale from values to coordinates.
private struct Scale {
    let from, to: Double
    let start, end: Double

    func callAsFunction(_ value: Double) -> Double {
        start + (value / (to - from) - from / (to - from)) * (end - start)
    }

    /// The coordinates of round values, with their labels, which count from `origin`.
    func ticks(atMost count: Int, origin: Double = 0) -> [(place: Double, label: String)] {
        let (low, high) = (origin + from, origin + to)
        let least = (to - from) / Double(count)
        let largest = max(abs(low), abs(high))
        guard least.isNormal, largest < 1e15, least > largest.ulp else { return [] }
        var power = 1.0
        var places = 0
        while power * 10 <= least { power *= 10 }
        while power > least {
            power /= 10
            places += 1
        }
        let step = [2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power
        let first = (low / step).rounded(.up)
        return (0...count).compactMap { index in
            let value = (first + Double(index)) * step
            return value <= high ? (self(value - origin), shortDecimal(value, places: min(places, 6))) : nil
        }
    }
}

/// Formats a coordinate.
private func text(_ value: Double) -> String { shortDecimal(value, places: 1) }

/// Escapes a text for XML.
private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "&": escaped += "&amp;"
        case _ where scalar.value < 0x20 || scalar.value >= 0xfffe && scalar.value <= 0xffff: escaped += "?"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
