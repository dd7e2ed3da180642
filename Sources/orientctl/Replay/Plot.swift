// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

/// A picture of a trace: x, y and z over time, over bands coloured by orientation.
struct Plot {
    private let data: PlotData
    private let title: String
    private let vertical: Scale
    private let horizontal: Scale

    private static let size = (width: 1000.0, height: 440.0)
    private static let area = (left: 64.0, right: 976.0, top: 72.0, bottom: 388.0)

    /// Values past 100 g are drawn at the edge: they would leave nothing to see of the others.
    private static let limit = 980.665

    /// A gap as long as that shows as one.
    private static let leastGap = 1.0

    /// Okabe and Ito's palette, told apart with every kind of colour blindness.
    private static let lines: [(name: String, color: String, value: @Sendable (Vector3) -> Double)] = [
        ("x", "#d55e00", { $0.x }), ("y", "#0072b2", { $0.y }), ("z", "#009e73", { $0.z }),
    ]

    /// Tol's pale palette: made to lie behind text and lines.
    private static let bands: [(orientation: DeviceOrientation, color: String)] = [
        (.unknown, "#eeeeee"), (.portrait, "#bbccee"), (.landscapeLeft, "#ccddaa"),
        (.portraitUpsideDown, "#ffcccc"), (.landscapeRight, "#eeeebb"),
    ]

    init(_ data: PlotData, title: String) {
        self.data = data
        self.title = title
        var low = -10.0
        var high = 10.0
        for column in data.columns {
            guard let column else { continue }
            low = min(low, column.low.x, column.low.y, column.low.z)
            high = max(high, column.high.x, column.high.y, column.high.z)
        }
        let margin = 1.0
        vertical = Scale(
            from: max(low, -Self.limit) - margin,
            to: min(high, Self.limit) + margin,
            start: Self.area.bottom,
            end: Self.area.top
        )
        horizontal = Scale(
            from: data.start,
            to: data.start + max(data.duration, data.width),
            start: Self.area.left,
            end: Self.area.right
        )
    }

    /// Writes the plot as SVG.
    func write(to path: String) throws(SystemError) {
        var file = try OutputFile.create(path)
        let (width, height) = (text(Self.size.width), text(Self.size.height))
        try file.write(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="sans-serif" font-size="12" fill="#222">
            <title>\(escaped(title))</title>
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="\(text(Self.area.left))" y="24" font-size="15" font-weight="bold">\(escaped(title))</text>

            """
        )
        try writeBands(to: &file)
        try writeAxes(to: &file)
        for line in Self.lines { try writeLine(line.color, line.value, to: &file) }
        try writeLegend(to: &file)
        try file.write("</svg>\n")
        try file.flush()
    }
}

// MARK: - Parts

extension Plot {
    /// A stretch of time in one orientation.
    private struct Band {
        let orientation: DeviceOrientation
        let start: Double
        var end: Double
    }

    /// The bands from left to right, in the picture's units.
    private var visibleBands: [Band] {
        var bands: [Band] = []
        for (index, column) in data.columns.enumerated() {
            guard let column else { continue }
            let start = index == 0 ? Self.area.left : horizontal(data.start + Double(index) * data.width)
            if let last = bands.indices.last {
                bands[last].end = start
                if bands[last].orientation == column.orientation { continue }
            }
            bands.append(Band(orientation: column.orientation, start: start, end: Self.area.right))
        }
        if let last = bands.indices.last { bands[last].end = Self.area.right }
        return bands
    }

    private func writeBands(to file: inout OutputFile) throws(SystemError) {
        let (top, height) = (text(Self.area.top), text(Self.area.bottom - Self.area.top))
        for band in visibleBands {
            let width = band.end - band.start
            let color = Self.bands.first { $0.orientation == band.orientation }?.color ?? "#fff"
            try file.write(
                #"<rect x="\#(text(band.start))" y="\#(top)" width="\#(text(width))" height="\#(height)""#
                    + #" fill="\#(color)"/>"# + "\n"
            )
            // About as wide as the name in 10 units' type.
            guard width > 6 * Double(band.orientation.name.utf8.count) else { continue }
            let middle = text((band.start + band.end) / 2)
            try file.write(
                #"<text x="\#(middle)" y="\#(text(Self.area.bottom - 6))" font-size="10" text-anchor="middle""#
                    + #" fill="dimgray">\#(band.orientation)</text>"# + "\n"
            )
        }
    }

    private func writeAxes(to file: inout OutputFile) throws(SystemError) {
        let area = Self.area
        for (value, label) in vertical.ticks(atMost: 8) {
            let y = text(vertical(value))
            try file.write(
                #"<path d="M\#(text(area.left)) \#(y)H\#(text(area.right))" stroke="black" stroke-opacity="0.12"/>"#
                    + #"<text x="\#(text(area.left - 8))" y="\#(y)" dy="0.35em" text-anchor="end">\#(label)</text>"#
                    + "\n"
            )
        }
        for (value, label) in horizontal.ticks(atMost: 10) {
            let x = text(horizontal(value))
            try file.write(
                #"<path d="M\#(x) \#(text(area.bottom))v5" stroke="black"/>"#
                    + #"<text x="\#(x)" y="\#(text(area.bottom + 20))" text-anchor="middle">\#(label)</text>"# + "\n"
            )
        }
        let middle = (x: text((area.left + area.right) / 2), y: text((area.top + area.bottom) / 2))
        try file.write(
            """
            <rect x="\(text(area.left))" y="\(text(area.top))" width="\(text(area.right - area.left))" \
            height="\(text(area.bottom - area.top))" fill="none" stroke="#222"/>
            <text x="\(middle.x)" y="\(text(area.bottom + 42))" text-anchor="middle">time (s)</text>
            <text transform="translate(18 \(middle.y)) rotate(-90)" text-anchor="middle">specific force (m/s²)</text>

            """
        )
    }

    /// Draws one axis of the sensor, from each column's one end to its other, whichever is nearer first.
    private func writeLine(
        _ color: String,
        _ value: (Vector3) -> Double,
        to file: inout OutputFile
    ) throws(SystemError) {
        try file.write(#"<path fill="none" stroke="\#(color)" stroke-width="1.5" stroke-linejoin="round""#)
        try file.write(#" stroke-linecap="round" d=""#)
        var last: (index: Int, value: Double)?
        for (index, column) in data.columns.enumerated() {
            guard let column else { continue }
            let x = text(horizontal(data.start + (Double(index) + 0.5) * data.width))
            let (low, high) = (clamped(value(column.low)), clamped(value(column.high)))
            let isFalling = last.map { abs($0.value - high) < abs($0.value - low) } ?? false
            let (first, second) = isFalling ? (high, low) : (low, high)
            let isJoined = last.map { Double(index - $0.index - 1) * data.width <= Self.leastGap } ?? false
            try file.write("\(isJoined ? "L" : "M")\(x) \(text(vertical(first)))")
            // A point alone is a line of no length, drawn by its round ends.
            if first != second || !isJoined { try file.write("V\(text(vertical(second)))") }
            last = (index, second)
        }
        try file.write("\"/>\n")
    }

    private func writeLegend(to file: inout OutputFile) throws(SystemError) {
        var x = Self.area.left
        func advance(_ name: String) { x += 34 + 6.5 * Double(name.utf8.count) }
        for line in Self.lines {
            try file.write(
                #"<path d="M\#(text(x)) 50h18" stroke="\#(line.color)" stroke-width="3"/>"#
                    + #"<text x="\#(text(x + 24))" y="54">\#(line.name)</text>"# + "\n"
            )
            advance(line.name)
        }
        x += 16
        let shown = visibleBands.map(\.orientation)
        for band in Self.bands where shown.contains(band.orientation) {
            try file.write(
                #"<rect x="\#(text(x))" y="43" width="18" height="14" fill="\#(band.color)" stroke="gray"/>"#
                    + #"<text x="\#(text(x + 24))" y="54">\#(band.orientation)</text>"# + "\n"
            )
            advance(band.orientation.name)
        }
    }

    private func clamped(_ value: Double) -> Double { min(max(value, -Self.limit), Self.limit) }
}

// MARK: - Scales

/// A linear scale from values to places in the picture.
private struct Scale {
    let from: Double
    let to: Double
    let start: Double
    let end: Double

    func callAsFunction(_ value: Double) -> Double {
        start + (value - from) / (to - from) * (end - start)
    }

    /// The round values in the scale's range, with their labels.
    func ticks(atMost count: Int) -> [(value: Double, label: String)] {
        let least = (to - from) / Double(count)
        guard least.isNormal, to < 1e15, from > -1e15 else { return [] }
        var power = 1.0
        var decimals = 0
        while power * 10 <= least { power *= 10 }
        while power > least {
            power /= 10
            decimals += 1
        }
        let step = [2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power
        let first = (from / step).rounded(.up)
        return (0...count).compactMap { index in
            let value = (first + Double(index)) * step
            return value <= to ? (value, text(value, decimals: decimals)) : nil
        }
    }
}

// MARK: - Text

/// A number with at most so many decimals, for coordinates and labels.
private func text(_ value: Double, decimals: Int = 1) -> String {
    var power = 1
    for _ in 0..<min(decimals, 6) { power *= 10 }
    guard abs(value) < 9e18 / Double(power) else { return "\(value)" }
    let scaled = Int((value * Double(power)).rounded())
    var fraction = "\(power + abs(scaled % power))".dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    let whole = "\(scaled < 0 ? "-" : "")\(abs(scaled / power))"
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
}

/// A text as XML can have it.
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
