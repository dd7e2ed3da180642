// SPDX-License-Identifier: Apache-2.0

/// What a machine's configuration says about the interface.
public struct RotationConfiguration: Hashable, Sendable {
    /// The orientations that the device as a whole supports; no request can widen them.
    public var supported: InterfaceOrientationMask

    /// What the display's own top up is called.
    public var natural: DeviceOrientation

    /// What is shown while the machine is a laptop.
    public var laptop: InterfaceOrientation

    /// The orientations that applications support, by their ids.
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
