// SPDX-License-Identifier: Apache-2.0

/// A change of the interface.
public struct Transition: Hashable, Sendable {
    public let from: InterfaceOrientation
    public let to: InterfaceOrientation
    public let reason: InterfaceReason

    public init(from: InterfaceOrientation, to: InterfaceOrientation, reason: InterfaceReason) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}

/// What the policy made of an event.
public struct Decision: Hashable, Sendable {
    /// The change of the interface; nil where it stays.
    public let transition: Transition?

    /// The rule that keeps it where it is now.
    public let rule: RotationRule
}
