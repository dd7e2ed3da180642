// SPDX-License-Identifier: Apache-2.0

/// A set of interface orientations; each bit is 1 shifted by the orientation's raw value, as in UIKit.
public struct InterfaceOrientationMask: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public init(_ orientation: InterfaceOrientation) { rawValue = 1 << UInt32(orientation.rawValue) }

    public static let portrait = InterfaceOrientationMask(.portrait)
    public static let portraitUpsideDown = InterfaceOrientationMask(.portraitUpsideDown)
    public static let landscapeRight = InterfaceOrientationMask(.landscapeRight)
    public static let landscapeLeft = InterfaceOrientationMask(.landscapeLeft)

    public static let landscape: InterfaceOrientationMask = [.landscapeRight, .landscapeLeft]
    public static let allButUpsideDown: InterfaceOrientationMask = [.portrait, .landscape]
    public static let all: InterfaceOrientationMask = [.allButUpsideDown, .portraitUpsideDown]

    /// Whether the mask has at least one orientation, and no other bits.
    public var isValid: Bool { problem == nil }

    /// What is wrong with the mask, as words that follow the name of an argument; nil if nothing is.
    package var problem: String? {
        isEmpty ? "is empty" : isSubset(of: .all) ? nil : "\(rawValue) has bits that are no orientation"
    }

    public func contains(_ orientation: InterfaceOrientation) -> Bool {
        contains(InterfaceOrientationMask(orientation))
    }

    /// The orientation with the lowest raw value, which is shown if nothing else decides.
    public var lowest: InterfaceOrientation? { InterfaceOrientation.allCases.first { contains($0) } }

    // MARK: - As text

    private static let composites: [(name: String, mask: InterfaceOrientationMask)] = [
        ("all", .all), ("all-but-upside-down", .allButUpsideDown), ("landscape", .landscape),
    ]

    /// The names of the sets that have one.
    package static let setNames = composites.map { $0.name }

    /// Parses `all`, `all-but-upside-down`, `landscape`, an orientation, or several of these separated by commas.
    public init?(_ text: String) {
        var mask: InterfaceOrientationMask = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let words = part.drop { $0 == UInt8(ascii: " ") }
            let end = words.lastIndex { $0 != UInt8(ascii: " ") } ?? words.startIndex
            guard !words.isEmpty else { return nil }
            let name = String(decoding: words[...end], as: UTF8.self)
            let set = Self.composites.first { $0.name == name }?.mask
            guard let set = set ?? InterfaceOrientation(name: name).map({ InterfaceOrientationMask($0) }) else {
                return nil
            }
            mask.formUnion(set)
        }
        self = mask
    }
}

extension InterfaceOrientationMask: CustomStringConvertible {
    /// The text that `init` parses; `none` for the empty set.
    public var description: String {
        if let composite = Self.composites.first(where: { $0.mask == self }) { return composite.name }
        let names = InterfaceOrientation.allCases.filter { contains($0) }.map { $0.name }
        return names.isEmpty ? "none" : names.joined(separator: ",")
    }
}
