// SPDX-License-Identifier: Apache-2.0

/// What outlives the process: the user's choices, and the orientation that was shown.
public struct SavedState: Hashable, Sendable {
    public var lock: RotationLock
    /// The orientation that the lock holds.
    public var held: InterfaceOrientation
    /// Nil: never set at run time.
    public var autorotate: AutorotateMode?
    public var shown: InterfaceOrientation

    public init(
        lock: RotationLock,
        held: InterfaceOrientation,
        autorotate: AutorotateMode? = nil,
        shown: InterfaceOrientation
    ) {
        self.lock = lock
        self.held = held
        self.autorotate = autorotate
        self.shown = shown
    }
}
