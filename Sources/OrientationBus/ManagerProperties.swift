// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import SystemdBus

/// All values of `org.orientd1.Manager` at one moment.
package struct ManagerSnapshot: Hashable {
    package var version = ""
    package var status = ManagerStatus(naturalOrientation: .portrait)
    /// In g; (0, 0, 0) while unknown.
    package var gravity = Vector3.zero

    /// Every property of the interface, in the order in which changes are listed.
    package static let properties: [Property<ManagerSnapshot>] = [
        .text("Version", .constant) { $1(&$0.version) },
        .flag("HasAccelerometer") { $1(&$0.status.hasAccelerometer) },
        .name("SensorState") { $1(&$0.status.sensorState) },
        .name("DeviceOrientation") { $1(&$0.status.deviceOrientation) },
        .name("FaceOrientation") { $1(&$0.status.faceOrientation) },
        .name("InterfaceOrientation") { $1(&$0.status.interfaceOrientation) },
        .name("InterfaceReason") { $1(&$0.status.interfaceReason) },
        .name("InterfaceRule") { $1(&$0.status.interfaceRule) },
        .request("AskedRequest") { $1(&$0.status.askedRequest) },
        .mask("SupportedOrientations") { $1(&$0.status.supportedOrientations) },
        .maskNames("SupportedOrientationNames") { $1(&$0.status.supportedOrientations) },
        .name("OutputTransform") { $1(&$0.status.outputTransform) },
        .name("NaturalOrientation") { $1(&$0.status.naturalOrientation) },
        .name("RotationLock") { $1(&$0.status.rotationLock) },
        .name("Autorotate") { $1(&$0.status.autorotate) },
        .name("AutorotateSource") { $1(&$0.status.autorotateSource) },
        .name("TabletMode") { $1(&$0.status.tabletMode) },
        .name("TabletModeSource") { $1(&$0.status.tabletModeSource) },
        .decimal("HingeAngle") { $1(&$0.status.hingeAngle) },
        .flag("TabletSwitchContradicted") { $1(&$0.status.isSwitchContradicted) },
        .silentVector("Gravity") { $1(&$0.gravity) },
        .number("Claims") { $1(&$0.status.claims) },
        .texts("SensorProxyClients") { $1(&$0.status.sensorProxyClients) },
    ]
}

extension ManagerStatus {
    /// The announced properties that differ from those of `old`, in the order of ``ManagerSnapshot/properties``.
    package func changes(from old: ManagerStatus) -> [PropertyChange] {
        ManagerSnapshot.properties.changes(from: ManagerSnapshot(status: old), to: ManagerSnapshot(status: self))
    }
}
