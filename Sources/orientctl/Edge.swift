// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationBus
import OrientationCore
import POSIX

/// An EDGE of the command line.
enum Edge: NamedValue {
    case orientation(InterfaceOrientation)

    /// The edge of the display that is up, as net.hadess.SensorProxy names it; `portrait` is the display's own top.
    case upper(DeviceOrientation)

    static let allCases =
        InterfaceOrientation.allCases.map { Edge.orientation($0) }
        + [.upper(.portrait), .upper(.landscapeRight), .upper(.landscapeLeft), .upper(.portraitUpsideDown)]

    var name: String {
        switch self {
        case .orientation(let orientation): orientation.name
        case .upper(let edge): edge.proxiedName
        }
    }

    /// The orientation in which the interface is upright when this edge is up.
    ///
    /// `natural` is the device's name for the display's own top up, which is read only where it is needed.
    func orientation(
        natural: @autoclosure () throws(CommandError) -> DeviceOrientation
    ) throws(CommandError) -> InterfaceOrientation {
        switch self {
        case .orientation(let orientation): orientation
        // The device's name for an edge is that of an edge.
        case .upper(let edge): InterfaceOrientation(following: edge.named(natural: try natural())) ?? .portrait
        }
    }
}

extension InterfaceOrientationMask {
    /// Parses a MASK of the command line, the value of `--supported`.
    ///
    /// `natural` returns the device's name for the display's own top up.
    init(operand text: String, natural: () throws(CommandError) -> DeviceOrientation) throws(CommandError) {
        var mask: InterfaceOrientationMask = []
        var edges: [Edge] = []
        for bytes in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let part = String(decoding: bytes, as: UTF8.self)
            if let set = InterfaceOrientationMask(part) {
                mask.formUnion(set)
            } else if let edge = Edge(name: part) {
                edges.append(edge)
            } else {
                let hint = useInstead(of: part, among: Self.setNames + Edge.allCases.map { $0.name })
                let place = part == text ? "" : part.isEmpty ? ": a name is missing" : ": '\(part)' is unknown"
                let choices = (Self.setNames + Edge.allCases.map { $0.name }).joined(separator: ", ")
                throw CommandError("--supported=\(text)\(place)\(hint) one or more of: \(choices)", .usage)
            }
        }
        for edge in edges { mask.insert(InterfaceOrientationMask(try edge.orientation(natural: natural()))) }
        self = mask
    }
}

extension DeviceOrientation {
    /// The edge that is up, in words; nil unless one is.
    ///
    /// `natural` is the device's name for the display's own top up.
    func upperEdge(natural: DeviceOrientation) -> String? {
        switch sensed(natural: natural) {
        case .portrait: "top edge up"
        case .portraitUpsideDown: "bottom edge up"
        case .landscapeLeft: "right edge up"
        case .landscapeRight: "left edge up"
        case .unknown, .faceUp, .faceDown: nil
        }
    }
}
