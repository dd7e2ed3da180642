// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// A picture of a trace: x, y and z over time, over bands coloured by the device's orientation.
///
/// A lane below shows the interface's orientation, and vertical lines mark events, where the data have them.
struct Plot {
    private let data: PlotData
    private let title: String
    /// The names of the orientations by column; nil for a column without a sample or change.
    private let devices, interfaces: [String?]

    // Coordinates in pixels, from the picture's top left; the time axis is below the lane.
    private let left = 64.0
    private let right = 976.0
    private let top, bottom, axis: Double
    /// The values at bottom and top, in m/s².
    private let least, most: Double
    /// Larger values, in m/s², are drawn at the edge: they would flatten all others.
    private static let limit = 100 * AccelerometerSample.standardGravity
    /// By axis: Okabe and Ito's palette, distinguishable with every kind of colour blindness.
    private static let lines: KeyValuePairs = ["x": "#d55e00", "y": "#0072b2", "z": "#009e73"]

    /// By orientation: Tol's pale palette, made for backgrounds.
    private static let bands: KeyValuePairs = [
        "unknown": "#eeeeee", "portrait": "#bbccee", "landscape-left": "#ccddaa", "portrait-upside-down": "#ffcccc",
        "landscape-right": "#eeeebb",
    ]

    init(_ data: PlotData, title: String) {
        self.data = data
        self.title = title
        devices = data.columns.map { $0.device?.name }
        interfaces = data.columns.map { $0.interface?.name }
        top = data.columns.contains { $0.events > 0 } ? 112 : 72
        bottom = top + 316
        axis = interfaces.contains { $0 != nil } ? bottom + 24 : bottom
        least = max(data.columns.reduce(-10) { min($0, $1.low.x, $1.low.y, $1.low.z) }, -Self.limit) - 1
        most = min(data.columns.reduce(10) { max($0, $1.high.x, $1.high.y, $1.high.z) }, Self.limit) + 1
    }

    var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="1000" height="\(px(axis + 52))" \
        viewBox="0 0 1000 \(px(axis + 52))" font-family="sans-serif" font-size="12" fill="#222">
        <title>\(escapedMarkup(title))</title>
        <rect width="100%" height="100%" fill="#fff"/>

        """ + text(left, 24, title, #"font-size="15" font-weight="bold""#) + legend + bands(devices, top, bottom) + axes
            + line(0) { $0.x } + line(1) { $0.y } + line(2) { $0.z } + lane + marks + "</svg>\n"
    }

    // MARK: - Parts

    private func bands(_ names: [String?], _ top: Double, _ bottom: Double) -> String {
        var changes: [(name: String, x: Double)] = []
        for (index, name) in names.enumerated() {
            if let name, name != changes.last?.name { changes.append((name, x(Double(index)))) }
        }
        let bands = zip(changes, changes.dropFirst().map { $0.x } + [right]).map { change, end in
            let (name, start) = change
            let color = Self.bands.first { $0.key == name }?.value ?? "#fff"
            let band = rectangle(start, end, top, bottom, #"fill="\#(color)""#)
            // A character of this font is about 6 wide.
            guard end - start > 6 * Double(name.utf8.count) else { return band }
            let style = #"font-size="10" text-anchor="middle" fill="dimgray""#
            return band + text((start + end) / 2, bottom - 5, name, style)
        }
        return bands.joined() + rectangle(left, right, top, bottom, ##"fill="none" stroke="#222""##)
    }

    private var axes: String {
        let duration = data.width * Double(data.columns.count)
        let values = ticks(from: least, to: most, atMost: 8).map { value, label in
            path("M\(px(left)) \(px(y(value)))H\(px(right))", #"stroke="black" stroke-opacity="0.12""#)
                + text(left - 8, y(value), label, #"dy="0.35em" text-anchor="end""#)
        }
        let times = ticks(from: data.start, to: data.start + duration, atMost: 10).map { time, label in
            let x = left + (time - data.start) / duration * (right - left)
            return path("M\(px(x)) \(px(axis))v5", #"stroke="black""#)
                + text(x, axis + 20, label, #"text-anchor="middle""#)
        }
        let middle = (x: px((left + right) / 2), y: px((top + bottom) / 2))
        return values.joined() + times.joined()
            + """
            <text x="\(middle.x)" y="\(px(axis + 42))" text-anchor="middle">time (s)</text>
            <text transform="translate(18 \(middle.y)) rotate(-90)" text-anchor="middle">specific force (m/s²)</text>

            """
    }

    /// Draws one axis of the sensor, from each column's one end to its other, the nearer one first.
    private func line(_ axis: Int, _ value: (Vector3) -> Double) -> String {
        var points = ""
        var last: (index: Int, value: Double)?
        for (index, column) in data.columns.enumerated() where column.device != nil {
            var ends = [value(column.low), value(column.high)].map { min(max($0, -Self.limit), Self.limit) }
            if let last, abs(last.value - ends[1]) < abs(last.value - ends[0]) { ends.swapAt(0, 1) }
            // The line is broken where no sample came for more than a second.
            let isJoined = last.map { Double(index - $0.index - 1) * data.width <= 1 } ?? false
            points += "\(isJoined ? "L" : "M")\(px(x(Double(index) + 0.5))) \(px(y(ends[0])))"
            // A single point is a line of no length, drawn by its round ends.
            if ends[0] != ends[1] || !isJoined { points += "V\(px(y(ends[1])))" }
            last = (index, ends[1])
        }
        let style = #"fill="none" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round""#
        return path(points, #"stroke="\#(Self.lines[axis].value)" \#(style)"#)
    }

    private var lane: String {
        guard axis > bottom else { return "" }
        return bands(interfaces, bottom + 6, axis)
            + text(left - 8, axis - 5, "interface", #"font-size="10" text-anchor="end""#)
    }

    /// A labelled line for each event, or a tick where the label would overlap another or be crossed by a line.
    private var marks: String {
        // Where the last label of each row ends.
        var rows = [0.0, 0.0, 0.0]
        var marks = ""
        for (index, column) in data.columns.enumerated() where column.events > 0 {
            let x = x(Double(index))
            let label = column.label + (column.events > 1 ? " +\(column.events - 1)" : "")
            let width = 5.5 * Double(label.unicodeScalars.count)
            let start = x + 3 + width <= right ? x + 3 : x - 3 - width
            var (upper, lower) = (top - 4, top + 4)
            if let row = rows.indices.first(where: { row in rows[row...].allSatisfy { $0 < start } }) {
                rows[row] = max(x, start + width) + 4
                upper = top - 39 + 12 * Double(row)
                lower = axis
                marks += text(start, upper + 9, label, #"font-size="10""#)
            }
            let style = #"stroke="dimgray" stroke-width="0.8" stroke-opacity="0.7""#
            marks += path("M\(px(x)) \(px(upper))V\(px(lower))", style)
        }
        return marks
    }

    private var legend: String {
        let bands = Self.bands.filter { (devices + interfaces).contains($0.key) }
        let symbols = Self.lines.map { ($0, $1, 3.0) } + bands.map { ($0, $1, 14) }
        var x = left
        return symbols.map { name, color, height in
            let symbol = rectangle(x, x + 18, 50 - height / 2, 50 + height / 2, #"fill="\#(color)""#)
            defer { x += 40 + 6.5 * Double(name.utf8.count) }
            return symbol + text(x + 24, 54, name)
        }.joined()
    }

    // MARK: - Coordinates

    /// The coordinate of a column's start; times themselves may be too large to multiply.
    private func x(_ column: Double) -> Double { left + column / Double(data.columns.count) * (right - left) }

    private func y(_ value: Double) -> Double { bottom - (value - least) / (most - least) * (bottom - top) }
}

/// Round numbers in a range, with labels; none where the range is too narrow or too far from 0.
private func ticks(from low: Double, to high: Double, atMost count: Int) -> [(value: Double, label: String)] {
    let least = (high - low) / Double(count)
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
    return (0...count).map { (first + Double($0)) * step }.filter { $0 <= high }
        .map { ($0, shortDecimal($0, places: min(places, 6))) }
}

private func px(_ value: Double) -> String { shortDecimal(value, places: 1) }

private func path(_ points: String, _ style: String) -> String { #"<path d="\#(points)" \#(style)/>"# + "\n" }

private func rectangle(_ left: Double, _ right: Double, _ top: Double, _ bottom: Double, _ style: String) -> String {
    path("M\(px(left)) \(px(top))H\(px(right))V\(px(bottom))H\(px(left))Z", style)
}

private func text(_ x: Double, _ y: Double, _ text: String, _ style: String = "") -> String {
    #"<text x="\#(px(x))" y="\#(px(y))" \#(style)>\#(escapedMarkup(text))</text>"# + "\n"
}
