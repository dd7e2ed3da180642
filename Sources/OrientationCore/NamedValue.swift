// SPDX-License-Identifier: Apache-2.0

/// A value with a name of its own on the bus, on the command line and in files.
public protocol NamedValue: CaseIterable, CustomStringConvertible {
    /// The name, in lower case with hyphens; it never changes.
    var name: String { get }
}

extension NamedValue {
    /// Finds the value of that exact name.
    public init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    public var description: String { name }
}
