// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import POSIX
import SystemdBus

/// Why a call of orientd failed.
public struct OrientationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure; later versions may add kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The bus cannot be reached.
        public static let busUnavailable = Code("busUnavailable")

        /// The bus has closed the connection, or the program has released it; it does not return, so make another one.
        public static let disconnected = Code("disconnected")

        /// orientd does not run, and D-Bus cannot start it: perhaps it is not installed.
        public static let serviceNotRunning = Code("serviceNotRunning")

        /// orientd did not answer in time, or ended before it did.
        public static let noReply = Code("noReply")

        /// polkit refuses the call, or would have to ask a person and the call did not allow that.
        public static let notAllowed = Code("notAllowed")

        /// An argument is not valid: a text is too long, a set of orientations empty, or a request not held any more.
        public static let invalidArgument = Code("invalidArgument")

        /// The orientations of a request contradict each other, or none of them is allowed.
        public static let invalidInterfaceOrientation = Code("invalidInterfaceOrientation")

        /// The orientation is not allowed: for a lock, by the device; for a rotation, also by the application or the request
        /// that decides, as ``OrientationState/supportedInterfaceOrientations`` tells.
        public static let orientationNotSupported = Code("orientationNotSupported")

        /// There are too many claims, requests or waiting calls.
        public static let limitExceeded = Code("limitExceeded")

        /// The task that waited was cancelled; orientd may carry out a call that was made already.
        public static let cancelled = Code("cancelled")

        /// Anything else.
        public static let failed = Code("failed")

        public var description: String { name }
    }

    /// The kind of the failure.
    public let code: Code

    /// A sentence for people, such as `not authorized: polkit refuses org.orientd1.claim`.
    public let message: String

    /// For tests of programs; orientd's errors have its own sentences.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let ended = OrientationError(.noReply, "orientd has ended before it replied")
    static let notHeld = OrientationError(.invalidArgument, "the request is not held any more")
    static let cancelled = OrientationError(.cancelled, "the task was cancelled")
    static let disconnected = OrientationError(.disconnected, "the connection to the bus has ended")

    /// Converts the error of a call.
    init(_ error: BusError) {
        let standard = BusError.standard
        code =
            switch error.name {
            case _ where error.isServiceMissing: .serviceNotRunning
            case _ where error.isRefusal: .notAllowed
            case standard + "NoReply", standard + "Timeout", standard + "TimedOut": .noReply
            case standard + "Disconnected": .disconnected
            // A child has ended with its container.
            case standard + "InvalidArgs", standard + "UnknownObject": .invalidArgument
            case Names.errorPrefix + "InvalidInterfaceOrientation": .invalidInterfaceOrientation
            case Names.errorPrefix + "OrientationNotSupported": .orientationNotSupported
            case Names.limitError, standard + "LimitsExceeded": .limitExceeded
            default: .failed
            }
        let isGone = error.name == standard + "UnknownObject"
        message = isGone ? Self.notHeld.message : error.message.isEmpty ? error.name : error.message
    }

    public var description: String { "\(message) (\(code))" }
}
