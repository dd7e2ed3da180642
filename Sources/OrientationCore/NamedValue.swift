// SPDX-License-Identifier: Apache-2.0

/// A value with a name on the bus, on the command line and in files.
public protocol NamedValue: CaseIterable, Hashable, LosslessStringConvertible, Sendable {
    /// The name, in lower case with hyphens; it never changes.
    var name: String { get }
}

extension NamedValue {
    /// Returns the value with exactly this name, nil if there is none.
    public init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    public init?(_ description: String) { self.init(name: description) }

    public var description: String { name }

    /// The names of all values, for messages.
    package static var names: String { allCases.map { $0.name }.joined(separator: ", ") }

    /// The names of all values as a choice, for configuration files and their manual pages.
    package static var choice: String { asChoice(names) }
}

extension NamedValue where Self: RawRepresentable<String> {
    public var name: String { rawValue }
}

/// Replaces the last comma between names by "or"; not generic, as each type would have its own copy.
@inline(never)
private func asChoice(_ names: String) -> String {
    guard let comma = names.utf8.lastIndex(of: UInt8(ascii: ",")) else { return names }
    return String(Substring(names.utf8[..<comma])) + " or" + String(Substring(names.utf8[comma...].dropFirst()))
}
