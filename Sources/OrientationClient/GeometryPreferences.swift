// SPDX-License-Identifier: Apache-2.0

public import OrientationCore

/// The orientations that a window of an application supports, as `UIWindowScene.GeometryPreferences`.
public struct GeometryPreferences: Hashable, Sendable {
    /// The application's id, such as `org.example.Player`: 1 to 255 bytes, and constant for a request.
    public var appID: String

    /// The orientations in which the interface may be shown; at least one.
    public var interfaceOrientations: InterfaceOrientationMask

    /// The orientation in which the interface starts, one of ``interfaceOrientations``; nil for no preference.
    public var preferredInterfaceOrientationForPresentation: InterfaceOrientation?

    /// Whether the interface follows the device while this request decides.
    public var shouldAutorotate: Bool

    /// Whether the request is taken into account; false for a window that is hidden.
    ///
    /// When it becomes true, the request is presented again: that of a window or a modal child becomes the topmost.
    public var isActive: Bool

    /// Why the application asks, for people to read; at most 1024 bytes.
    public var reason: String

    /// Creates the preferences of a window; only the application and its orientations are needed.
    public init(
        appID: String,
        interfaceOrientations: InterfaceOrientationMask,
        preferredInterfaceOrientationForPresentation: InterfaceOrientation? = nil,
        shouldAutorotate: Bool = true,
        isActive: Bool = true,
        reason: String = ""
    ) {
        self.appID = appID
        self.interfaceOrientations = interfaceOrientations
        self.preferredInterfaceOrientationForPresentation = preferredInterfaceOrientationForPresentation
        self.shouldAutorotate = shouldAutorotate
        self.isActive = isActive
        self.reason = reason
    }

    var request: RotationRequest {
        RotationRequest(
            appID: appID,
            supported: interfaceOrientations,
            preferred: preferredInterfaceOrientationForPresentation,
            shouldAutorotate: shouldAutorotate,
            isActive: isActive,
            reason: reason
        )
    }
}
