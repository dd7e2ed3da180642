// SPDX-License-Identifier: Apache-2.0

/// What a client's window or view says about the orientations that it can be shown in; a node of a tree of such.
///
/// The words are those of UIViewController: a view is presented modally or pushed, and a container, such as a
/// navigation stack, forwards the questions that it is asked to the view it shows.
public struct RotationRequest: Hashable, Sendable {
    public typealias ID = UInt32

    public enum Presentation: UInt8, NamedValue, Hashable, Sendable {
        /// Full screen: it is asked from now on, and the interface turns for it at once.
        case modal
        /// Inside its container: asked where that forwards to it, and the interface turns for it at the next occasion.
        case push

        /// The name on the bus.
        public var name: String {
            switch self {
            case .modal: "modal"
            case .push: "push"
            }
        }
    }

    /// The application's id, such as `org.example.Player`.
    public var appID: String
    public var supported: InterfaceOrientationMask

    /// Where the interface starts when the view is presented modally.
    public var preferred: InterfaceOrientation?

    /// Whether the interface follows the device while this request is asked.
    public var shouldAutorotate: Bool
    public var presentation: Presentation

    /// The request that this one is a child of; nil for a window's root.
    public var parent: ID?

    /// The request that is asked in place of this one while it is active.
    public var forwardsTo: ID?

    /// An inactive request, and all below it, takes no part in anything.
    public var isActive: Bool

    /// Why the client asks, for people to read.
    public var reason: String

    /// Creates a request; without a `presentation` a root is modal and a child is pushed.
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
