// SPDX-License-Identifier: Apache-2.0

import OrientationBus
public import OrientationCore
import SystemdBus

extension OrientationConnection {
    /// Sets the user's rotation lock, which survives restarts.
    ///
    /// With `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// Errors: ``OrientationError/Code/orientationNotSupported`` if the device's configuration does not allow the
    /// orientation; ``OrientationError/Code/notAllowed``, ``OrientationError/Code/serviceNotRunning``.
    public func setRotationLock(
        _ lock: RotationLock,
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        call("SetRotationLock", isInteractive: allowsInteractiveAuthorization, completion: completion) {
            $0.append(lock.name)
        }
    }

    /// Rotates the interface by hand, until the device turns to another orientation; a lock holds the new one.
    ///
    /// With `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// Errors: ``OrientationError/Code/orientationNotSupported`` for an orientation outside
    /// ``OrientationState/supportedInterfaceOrientations``; ``OrientationError/Code/notAllowed``,
    /// ``OrientationError/Code/serviceNotRunning``.
    public func rotate(
        to orientation: InterfaceOrientation,
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        call("Rotate", isInteractive: allowsInteractiveAuthorization, completion: completion) {
            $0.append(orientation.name)
        }
    }

    /// Turns the interface once to match the device, also under a lock, which holds the new orientation then.
    ///
    /// It does nothing where the masks forbid that or nothing is known of the device. With
    /// `allowsInteractiveAuthorization`, polkit may ask a person first.
    ///
    /// Errors: ``OrientationError/Code/notAllowed``, ``OrientationError/Code/serviceNotRunning``.
    public func alignToDevice(
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        call("AlignToDevice", isInteractive: allowsInteractiveAuthorization, completion: completion)
    }

    private func call(
        _ member: String,
        isInteractive: Bool,
        completion: @escaping (Result<Void, OrientationError>) -> Void,
        _ arguments: @escaping (BusMessage) -> Void = { _ in }
    ) {
        whenRunning { [weak self] error in
            guard let self, error == nil else { return completion(.failure(error ?? .disconnected)) }
            daemon.call(member, isInteractive: isInteractive, arguments) { result in
                completion(result.map { _ in }.mapError { OrientationError($0) })
            }
        }
    }
}
