// SPDX-License-Identifier: Apache-2.0

import CLinux
public import OrientationCore
import POSIX
import SystemdBus

/// The connection of a program with orientd, for programs with `async`.
///
/// It connects again to each orientd that starts, claims again and makes requests again. It has a thread of its own,
/// which sleeps while nothing changes. The connection lasts as long as this object, its claims, requests and sequences.
/// Each call can also throw ``OrientationError/Code/disconnected``, ``OrientationError/Code/noReply`` or
/// ``OrientationError/Code/failed``, and ``OrientationError/Code/cancelled`` if its task is cancelled. A program with a
/// loop of its own uses ``OrientationConnection`` instead.
public final class OrientationService: Sendable {
    private let mailbox: Mailbox<OrientationConnection.Job>
    private let channel: StateChannel

    /// Connects to the bus, which takes a millisecond, and has D-Bus start orientd if it does not run.
    ///
    /// `busAddress` is a D-Bus address such as `unix:path=/run/bus`, nil for the system bus. `onProblem` is called, on
    /// the thread of this connection, when a restarted orientd refuses what its predecessor granted.
    ///
    /// - Throws: ``OrientationError/Code/busUnavailable``, or ``OrientationError/Code/failed`` if no thread can be
    ///   started. That orientd does not run is no error of this call.
    public init(
        busAddress: String? = nil,
        onProblem: @escaping @Sendable (OrientationError) -> Void = { _ in }
    ) throws(OrientationError) {
        let connection = try OrientationConnection(busAddress: busAddress)
        connection.onProblem = onProblem
        mailbox = connection.mailbox
        channel = connection.channel
        connection.service = self
        do throws(SystemError) {
            pthread_detach(try startThread("start a thread") { _ = try? connection.loop.run() })
        } catch {
            throw OrientationError(.failed, "\(error)")
        }
    }

    deinit { mailbox.send { $0.loop.exit() } }

    /// Runs `body` on the thread and returns what it completes with, unless the task is cancelled before.
    private func perform<Value: Sendable>(
        _ body:
            @escaping @Sendable (OrientationConnection, @escaping (Result<Value, OrientationError>) -> Void) -> Void
    ) async throws(OrientationError) -> Value {
        let (results, continuation) = AsyncStream.makeStream(of: Result<Value, OrientationError>.self)
        mailbox.send { connection in
            // A claim or a request that comes too late for the task is let go of here, which releases it.
            body(connection) { continuation.yield($0) }
        }
        var iterator = results.makeAsyncIterator()
        return try (await iterator.next() ?? .failure(.cancelled)).get()
    }

    /// The state now and after each change, without a claim: the device orientation may be an old one.
    public var states: OrientationStates { OrientationStates(channel, keeping: self) }

    /// Returns the state; has D-Bus start orientd if it does not run.
    ///
    /// - Throws: ``OrientationError/Code/serviceNotRunning``.
    public func state() async throws(OrientationError) -> OrientationState {
        try await perform { $0.readState(completion: $1) }
    }

    /// Keeps the sensor running as long as the returned claim exists; as `UIDevice`'s method of this name.
    ///
    /// Returns when the first orientation or face is known, or after one second. A machine without a sensor is no
    /// error; see ``OrientationState/hasAccelerometer``.
    ///
    /// - Throws: ``OrientationError/Code/notAllowed`` for users without an active local session, by default;
    ///   ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/limitExceeded``.
    public func beginGeneratingDeviceOrientationNotifications() async throws(OrientationError) -> OrientationClaim {
        try await perform { $0.beginGeneratingDeviceOrientationNotifications(completion: $1) }
    }

    /// Requests that the interface is shown in certain orientations, as long as the returned request exists.
    ///
    /// The interface turns at once if it has to; as `UIWindowScene.requestGeometryUpdate(_:)`. With
    /// `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// - Throws: ``OrientationError/Code/invalidInterfaceOrientation`` if no orientation would be allowed;
    ///   ``OrientationError/Code/invalidArgument``, ``OrientationError/Code/notAllowed``,
    ///   ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/limitExceeded``.
    public func requestGeometryUpdate(
        _ preferences: GeometryPreferences,
        allowsInteractiveAuthorization: Bool = false
    ) async throws(OrientationError) -> GeometryRequest {
        try await perform { [isInteractive = allowsInteractiveAuthorization] in
            $0.requestGeometryUpdate(preferences, allowsInteractiveAuthorization: isInteractive, completion: $1)
        }
    }

    /// Changes a request of this service; its application stays the same.
    ///
    /// A change that orientd refuses leaves the request as it was. While orientd does not run, the change takes effect
    /// when it starts again.
    ///
    /// - Throws: ``OrientationError/Code/invalidInterfaceOrientation`` if no orientation would be allowed;
    ///   ``OrientationError/Code/invalidArgument``, also for a request that was released or is another service's.
    public func update(_ request: GeometryRequest, to preferences: GeometryPreferences) async throws(OrientationError) {
        try await perform { $0.update(request, to: preferences, completion: $1) }
    }

    /// Requests orientations for a view inside a window or another container, as `UIViewController.addChild(_:)`.
    ///
    /// A child that is pushed does not turn the interface, and decides while its container forwards to it. A modal one
    /// covers the window, and decides until it is released. A child ends with its container at the latest.
    ///
    /// - Throws: as ``requestGeometryUpdate(_:allowsInteractiveAuthorization:)``, and
    ///   ``OrientationError/Code/invalidArgument`` if the container was released or is another service's.
    public func addChild(
        _ preferences: GeometryPreferences,
        to container: GeometryRequest,
        presentation: RotationRequest.Presentation = .push
    ) async throws(OrientationError) -> GeometryRequest {
        try await perform { $0.addChild(preferences, to: container, presentation: presentation, completion: $1) }
    }

    /// Lets a child decide in place of its container, as a navigation stack its top and a tab bar its selected tab.
    ///
    /// If the child is pushed, the interface turns with the next rotation of the device that may turn it (none under a
    /// lock, with ``AutorotateMode/never`` or in laptop mode), or by
    /// ``setNeedsUpdateOfSupportedInterfaceOrientations(_:)``. Nil lets the container decide again; if that is modal, as
    /// a window is by default, the interface turns at once if it has to.
    ///
    /// - Throws: as ``update(_:to:)``.
    public func forward(_ container: GeometryRequest, to child: GeometryRequest?) async throws(OrientationError) {
        try await perform { $0.forward(container, to: child, completion: $1) }
    }

    /// Turns the interface now if what a request supports demands it; as `UIViewController`'s method of this name.
    ///
    /// It has no effect while orientd does not run.
    ///
    /// - Throws: as ``update(_:to:)``.
    public func setNeedsUpdateOfSupportedInterfaceOrientations(
        _ request: GeometryRequest
    ) async throws(OrientationError) {
        try await perform { $0.setNeedsUpdateOfSupportedInterfaceOrientations(request, completion: $1) }
    }

    /// Sets the user's rotation lock, which survives restarts.
    ///
    /// With `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// - Throws: ``OrientationError/Code/orientationNotSupported`` if the device's configuration does not allow the
    ///   orientation; ``OrientationError/Code/notAllowed``, ``OrientationError/Code/serviceNotRunning``,
    ///   ``OrientationError/Code/limitExceeded``.
    public func setRotationLock(
        _ lock: RotationLock,
        allowsInteractiveAuthorization: Bool = false
    ) async throws(OrientationError) {
        try await perform {
            $0.setRotationLock(lock, allowsInteractiveAuthorization: allowsInteractiveAuthorization, completion: $1)
        }
    }

    /// Rotates the interface by hand; a lock holds the new orientation.
    ///
    /// Without a lock, it lasts until the device turns to another edge, a request turns the interface or the deciding
    /// one ends, the mode of autorotation changes, laptop mode begins or ends, the lock is set, the interface is aligned
    /// to the device, or the first reading comes after the start of orientd, a closed lid or sleep. With
    /// `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// - Throws: ``OrientationError/Code/orientationNotSupported`` for an orientation outside
    ///   ``OrientationState/supportedInterfaceOrientations``; ``OrientationError/Code/notAllowed``,
    ///   ``OrientationError/Code/serviceNotRunning``, ``OrientationError/Code/limitExceeded``.
    public func rotate(
        to orientation: InterfaceOrientation,
        allowsInteractiveAuthorization: Bool = false
    ) async throws(OrientationError) {
        try await perform {
            $0.rotate(to: orientation, allowsInteractiveAuthorization: allowsInteractiveAuthorization, completion: $1)
        }
    }

    /// Turns the interface once to match the device, also under a lock, which holds the new orientation then.
    ///
    /// It turns nothing if nothing is known of the device: after sleep or a closed lid, until a claimed sensor was read,
    /// although ``OrientationState/deviceOrientation`` keeps its value. Nor does it if the deciding request does not
    /// autorotate; under a lock or with the mode `never`, also not to an orientation that the masks forbid. In laptop
    /// mode it returns to the laptop orientation, and a lock stays as it is. With `allowsInteractiveAuthorization`,
    /// polkit may ask a person first.
    ///
    /// - Throws: ``OrientationError/Code/notAllowed``, ``OrientationError/Code/serviceNotRunning``,
    ///   ``OrientationError/Code/limitExceeded``.
    public func alignToDevice(allowsInteractiveAuthorization: Bool = false) async throws(OrientationError) {
        try await perform {
            $0.alignToDevice(allowsInteractiveAuthorization: allowsInteractiveAuthorization, completion: $1)
        }
    }
}
