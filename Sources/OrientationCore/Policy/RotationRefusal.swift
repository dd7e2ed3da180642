// SPDX-License-Identifier: Apache-2.0

/// Why the policy refused a call; a refused call changes nothing.
public enum RotationRefusal: Error, Hashable, Sendable {
    /// A value is not valid; the text begins with the name of its field.
    case invalidArgument(String)
    /// The orientations contradict each other; the text names them.
    case invalidInterfaceOrientation(String)
    /// The orientation is not allowed now.
    case orientationNotSupported(String)
    /// The request belongs to another client.
    case notYourRequest
    case unknownRequest
    /// The client, or all clients together, hold as many requests or masks as they may; the text names the limit.
    case limitExceeded(String)
}

extension RotationRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidArgument(let text), .invalidInterfaceOrientation(let text), .orientationNotSupported(let text),
            .limitExceeded(let text):
            text
        case .notYourRequest: "the request belongs to another connection"
        case .unknownRequest: "there is no such request"
        }
    }
}
