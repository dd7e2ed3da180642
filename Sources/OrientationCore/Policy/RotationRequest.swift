// SPDX-License-Identifier: Apache-2.0

/// The orientations that a client's window or view supports; a node in a tree of requests.
///
/// The terms are those of UIViewController: a view is presented modally or pushed, and a container, such as a
/// navigation stack, can forward to the view that it shows.
public struct RotationRequest: Hashable, Sendable {
    public typealias ID = UInt32

    public enum Presentation: String, NamedValue {
        /// Full screen: becomes the topmost request, and the interface turns for it at once.
        case modal
        /// Inside its container: decides if the container forwards to it, and the interface turns for it later.
        case push
    }

    /// The application id, such as `org.example.Player`.
    public var appID: String
    public var supported: InterfaceOrientationMask
    /// The orientation in which the interface starts when the view is presented modally.
    public var preferred: InterfaceOrientation?
    /// Whether the interface follows the device while this request decides.
    public var shouldAutorotate: Bool
    public var presentation: Presentation
    /// The request that this one is a child of; nil for a window's root.
    public var parent: ID?
    /// The request that decides in place of this one, while it and its ancestors are active.
    public var forwardsTo: ID?
    /// False hides the request and its descendants: they are ignored.
    public var isActive: Bool
    /// Why the client made the request, for people to read.
    public var reason: String

    /// Creates a request; by default a root is modal and a child is pushed.
    public init(
        appID: String,
        supported: InterfaceOrientationMask,
        preferred: InterfaceOrientation? = nil,
        shouldAutorotate: Bool = true,
        presentation: Presentation? = nil,
        parent: ID? = nil,
        forwardsTo: ID? = nil,
        isActive: Bool = true,
        reason: String = ""
    ) {
        self.appID = appID
        self.supported = supported
        self.preferred = preferred
        self.shouldAutorotate = shouldAutorotate
        self.presentation = presentation ?? (parent == nil ? .modal : .push)
        self.parent = parent
        self.forwardsTo = forwardsTo
        self.isActive = isActive
        self.reason = reason
    }
}
