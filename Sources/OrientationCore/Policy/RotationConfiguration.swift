// SPDX-License-Identifier: Apache-2.0

/// The part of the configuration that the policy uses.
public struct RotationConfiguration: Hashable, Sendable {
    /// The orientations that the device supports; requests can only narrow them.
    public var supported: InterfaceOrientationMask
    /// The device orientation in which the panel's own top is up.
    public var natural: DeviceOrientation
    /// The orientation shown in laptop mode.
    public var laptop: InterfaceOrientation
    /// The static application masks, by application id.
    public var applicationMasks: [String: InterfaceOrientationMask]

    public init(
        supported: InterfaceOrientationMask = .all,
        natural: DeviceOrientation = .portrait,
        laptop: InterfaceOrientation? = nil,
        applicationMasks: [String: InterfaceOrientationMask] = [:]
    ) {
        self.supported = supported
        self.natural = natural
        self.laptop = laptop ?? InterfaceOrientation(following: natural) ?? .portrait
        self.applicationMasks = applicationMasks
    }
}
