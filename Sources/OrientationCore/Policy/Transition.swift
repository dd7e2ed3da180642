// SPDX-License-Identifier: Apache-2.0

/// A change of the interface orientation.
public struct Transition: Hashable, Sendable {
    public let from, to: InterfaceOrientation
    public let reason: InterfaceReason
}
