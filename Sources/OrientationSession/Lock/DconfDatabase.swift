// SPDX-License-Identifier: Apache-2.0

/// A database of dconf: a file in the format GVDB, which is checked as if anybody had written it.
///
/// The header is the signature, version, options, and start and end of the root table. A table has two counts, as many
/// words of a filter and of hash buckets, and its items; an item has the last part of its key, and the index of the
/// item with the part before it. Numbers are little-endian, places are offsets in the file.
struct DconfDatabase {
    /// In bytes.
    private static let itemSize = 24
    /// The parent of an item whose key has no part before it.
    private static let noParent = 0xffff_ffff

    private let bytes: [UInt8]
    private var root = 0..<0

    /// Throws for a file that is damaged, or of another version.
    init(_ bytes: [UInt8]) throws(MessageError) {
        self.bytes = bytes
        // The second is that of a big-endian machine, which differs in the values only; a Boolean has one byte.
        let signature = bytes.prefix(8)
        guard signature.elementsEqual("GVariant".utf8) || signature.elementsEqual("raVGtnai".utf8) else {
            throw MessageError("is no dconf database")
        }
        guard let version = number(at: 8) else { throw MessageError("is cut off") }
        guard version == 0 else { throw MessageError("has version \(version) of the format, not 0") }
        guard let root = range(at: 16) else { throw MessageError("is cut off") }
        self.root = root
    }

    /// Returns the Boolean of a key; nil if it has none.
    ///
    /// Throws where the file is damaged: a key that is not found there may have a value.
    func value(of key: String) throws(MessageError) -> Bool? {
        guard let item = try find(key, "v", in: root) else { return nil }
        guard let place = range(at: item + 16) else { throw MessageError("is damaged at \(key)") }
        // A variant: the value, a zero, and the type.
        switch Array(bytes[place]) {
        case [0, 0, UInt8(ascii: "b")]: return false
        case [1, 0, UInt8(ascii: "b")]: return true
        default: throw MessageError("has no Boolean for \(key)")
        }
    }

    /// Whether this database, one of the system's, forbids other values of a key than its own.
    func isLocked(_ key: String) throws(MessageError) -> Bool {
        guard let locks = try find(".locks", "H", in: root) else { return false }
        guard let table = range(at: locks + 16) else { throw MessageError("is damaged at .locks") }
        return try find(key, "v", in: table) != nil
    }

    // MARK: - Tables

    /// Returns the place of the item with a key; nil if the table has none.
    private func find(_ key: String, _ kind: Unicode.Scalar, in table: Range<Int>) throws(MessageError) -> Int? {
        guard !table.isEmpty else { return nil }
        let damage = MessageError("has a damaged table")
        guard table.count >= 8, let filter = number(at: table.lowerBound),
            let buckets = number(at: table.lowerBound + 4)
        else { throw damage }
        // The high bits of the first count are a parameter of the filter.
        let start = table.lowerBound + 8 + 4 * ((filter & 0x7ff_ffff) + buckets)
        guard start <= table.upperBound else { throw damage }
        let items = (start: start, count: (table.upperBound - start) / Self.itemSize)
        let key = Array(key.utf8)
        for item in (0..<items.count).map({ start + $0 * Self.itemSize }) where bytes[item + 14] == UInt8(ascii: kind) {
            guard let isFound = hasKey(key, item: item, items) else { throw damage }
            if isFound { return item }
        }
        return nil
    }

    /// Whether the parts of an item's key, each of a byte at least, make up `key`; nil where they are damaged.
    private func hasKey(_ key: [UInt8], item: Int, _ items: (start: Int, count: Int)) -> Bool? {
        var (rest, item) = (key[...], item)
        while let start = number(at: item + 8), let parent = number(at: item + 4) {
            let size = Int(bytes[item + 12]) | Int(bytes[item + 13]) << 8
            guard start + size <= bytes.count, size > 0 || parent == Self.noParent else { return nil }
            guard rest.suffix(size).elementsEqual(bytes[start..<start + size]) else { return false }
            rest = rest.dropLast(size)
            if parent == Self.noParent { return rest.isEmpty }
            guard parent < items.count else { return nil }
            item = items.start + parent * Self.itemSize
        }
        return nil
    }

    /// Reads a start and an end; nil if these are not in the file.
    private func range(at place: Int) -> Range<Int>? {
        guard let start = number(at: place), let end = number(at: place + 4), start <= end, end <= bytes.count else {
            return nil
        }
        return start..<end
    }

    private func number(at place: Int) -> Int? {
        guard place + 4 <= bytes.count else { return nil }
        return bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: - Changes

    /// Returns a change of one key as ca.desrt.dconf.Writer takes it: a GVariant of type `a{smv}`.
    ///
    /// The key has fewer than 240 bytes: each offset of the framing is one byte then.
    static func change(of key: String, to value: Bool) -> [UInt8] {
        var bytes = Array(key.utf8) + [0]
        let keySize = UInt8(bytes.count)
        while bytes.count % 8 != 0 { bytes.append(0) }
        bytes += [value ? 1 : 0, 0, UInt8(ascii: "b"), 0, keySize]
        return bytes + [UInt8(bytes.count)]
    }
}
