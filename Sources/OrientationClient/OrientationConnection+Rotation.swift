// SPDX-License-Identifier: Apache-2.0

import OrientationBus
public import OrientationCore
import SystemdBus

extension OrientationConnection {
    /// As ``OrientationService/setRotationLock(_:allowsInteractiveAuthorization:)``, with the same errors.
    public func setRotationLock(
        _ lock: RotationLock,
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        call("SetRotationLock", isInteractive: allowsInteractiveAuthorization, completion: completion) {
            $0.append(lock.name)
        }
    }

    /// As ``OrientationService/rotate(to:allowsInteractiveAuthorization:)``, with the same errors.
    public func rotate(
        to orientation: InterfaceOrientation,
        allowsInteractiveAuthorization: Bool = false,
        completion: @escaping (Result<Void, OrientationError>) -> Void
    ) {
        call("Rotate", isInteractive: allowsInteractiveAuthorization, completion: completion) {
            $0.append(orientation.name)
        }
    }

    /// As ``OrientationService/alignToDevice(allowsInteractiveAuthorization:)``, with the same errors.
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
        whenRunning(completion) { connection in
            connection.daemon.call(member, isInteractive: isInteractive, arguments) { result in
                completion(result.map { _ in }.mapError { OrientationError($0) })
            }
        }
    }
}
