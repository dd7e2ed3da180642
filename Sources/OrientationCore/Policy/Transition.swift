// SPDX-License-Identifier: Apache-2.0

/// A change of the interface orientation.
public struct Transition: Hashable, Sendable {
    public let from, to: InterfaceOrientation
    public let reason: InterfaceReason
}

/// An explicit command of a person, after which the interface orientation is the same as before.
public struct Confirmation: Hashable, Sendable {
    public let orientation: InterfaceOrientation
    /// What would have been the reason of a transition.
    public let reason: InterfaceReason
}
