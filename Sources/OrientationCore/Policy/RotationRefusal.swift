// SPDX-License-Identifier: Apache-2.0

/// Why the policy refused a call; whatever was asked then changed nothing.
public enum RotationRefusal: Error, Hashable, Sendable {
    /// A value makes no sense; the text begins with the name of its field.
    case invalidArgument(String)
    /// The orientations contradict each other; the text tells which.
    case invalidInterfaceOrientation(String)
    /// The orientation is not allowed at present.
    case orientationNotSupported(String)
    /// The request belongs to another client.
    case notYourRequest
    case unknownRequest
}

extension RotationRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidArgument(let text), .invalidInterfaceOrientation(let text), .orientationNotSupported(let text):
            text
        case .notYourRequest: "the request belongs to another connection"
        case .unknownRequest: "there is no such request"
        }
    }
}
