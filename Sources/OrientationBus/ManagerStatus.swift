// SPDX-License-Identifier: Apache-2.0

package import OrientationCore

/// The values that `org.orientd1.Manager` publishes: of the sensor, the device and the interface.
package struct ManagerStatus: Hashable {
    package var hasAccelerometer = false
    package var sensorState = SensorState.none
    package var deviceOrientation = DeviceOrientation.unknown
    package var faceOrientation = FaceOrientation.none
    package var naturalOrientation: DeviceOrientation

    package var interfaceOrientation: InterfaceOrientation
    package var interfaceReason = InterfaceReason.startup
    package var interfaceRule = RotationRule.unknown
    /// Nil where no request is asked.
    package var askedRequest: RotationRequest.ID?
    /// How an output is turned that shows the interface so.
    package var outputTransform = OutputTransform.normal
    package var supportedOrientations = InterfaceOrientationMask.all
    package var rotationLock = RotationLock.off
    package var autorotate = AutorotateMode.always
    package var tabletMode = TabletMode.unknown

    /// Creates the status of a device that nothing is known of, shown in its natural position.
    package init(naturalOrientation: DeviceOrientation) {
        self.naturalOrientation = naturalOrientation
        interfaceOrientation = InterfaceOrientation(following: naturalOrientation) ?? .portrait
    }

    /// Creates the status of a machine whose sensors nothing is known of.
    package init(_ policy: RotationPolicy) {
        self.init(naturalOrientation: policy.configuration.natural)
        take(policy)
    }

    /// Takes what the policy says.
    package mutating func take(_ policy: RotationPolicy) {
        naturalOrientation = policy.configuration.natural
        interfaceOrientation = policy.shown
        interfaceReason = policy.reason
        interfaceRule = policy.rule
        askedRequest = policy.askedRequest?.id
        outputTransform = OutputTransform(following: policy.shown.device, natural: naturalOrientation) ?? .normal
        supportedOrientations = policy.effectiveMask
        rotationLock = policy.lock
        autorotate = policy.autorotate
        tabletMode = policy.tabletMode
    }
}
