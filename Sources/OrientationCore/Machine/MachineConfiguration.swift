// SPDX-License-Identifier: Apache-2.0

/// The settings that ``OrientationMachine`` follows, with their defaults.
public struct MachineConfiguration: Hashable, Sendable {
    /// Nil: the chassis decides.
    public var idiom: Idiom?
    /// Nil: the built-in display decides; portrait where nothing is known of it.
    public var naturalOrientation: DeviceOrientation?
    /// Nil: the idiom decides.
    public var supportedOrientations: InterfaceOrientationMask?
    /// Nil: the idiom decides.
    public var autorotate: AutorotateMode?
    /// Nil: ``laptopEdge`` decides.
    public var laptopOrientation: InterfaceOrientation?
    /// The edge that is up while the machine stands as a laptop does, in the frame of the panel: the hinge is opposite.
    public var laptopEdge = DeviceOrientation.portrait
    public var reportsFace = false
    /// Whether a virtual tablet switch is wanted where the kernel has none.
    public var virtualTabletSwitch = false
    public var classifier = ClassifierChoice.robust
    public var power = PowerMode.auto
    /// Only changes what net.hadess.SensorProxy reports, so recordings do not have it.
    public var proxiedOrientation = ProxiedOrientation.interface

    /// The orientations that applications support, by application id.
    public var applicationMasks: [String: InterfaceOrientationMask] = [:]

    public init() {}
}

/// The two classifiers.
public enum ClassifierChoice: String, NamedValue {
    case robust, base

    public var constants: OrientationClassifier.Constants { self == .robust ? .robust : .base }
}

// MARK: - Defaults that depend on the machine

// `chassis` is what hostnamed calls the machine; a configured idiom takes precedence, and an unknown machine counts as
// a tablet.

extension MachineConfiguration {
    /// Returns the policy's configuration on a machine of that chassis.
    public func rotation(chassis: Idiom?) -> RotationConfiguration {
        let natural = naturalOrientation ?? .portrait
        return RotationConfiguration(
            supported: supportedOrientations ?? idiom(chassis).supportedOrientations,
            natural: natural,
            laptop: laptopOrientation ?? InterfaceOrientation(following: laptopEdge.named(natural: natural)),
            applicationMasks: applicationMasks
        )
    }

    /// Returns the mode of autorotation that holds until one is set at run time.
    ///
    /// `hasTabletMode`: something has told how the machine is used. This counts more than the chassis, as many
    /// convertibles have the chassis `laptop`, and tablets with a keyboard the chassis `tablet`.
    public func autorotateMode(chassis: Idiom?, hasTabletMode: Bool) -> AutorotateMode {
        autorotate ?? (hasTabletMode ? .tabletMode : idiom(chassis).autorotate)
    }

    private func idiom(_ chassis: Idiom?) -> Idiom { idiom ?? chassis ?? .tablet }
}
