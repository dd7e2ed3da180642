// SPDX-License-Identifier: Apache-2.0

/// A change of the interface orientation.
public struct Transition: Hashable, Sendable {
    public let from, to: InterfaceOrientation
    public let reason: InterfaceReason

    public init(from: InterfaceOrientation, to: InterfaceOrientation, reason: InterfaceReason) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}
