// SPDX-License-Identifier: Apache-2.0

import OrientationCore

/// A line of a trace that is not what the format says; the description leaves out where it is.
package struct TraceError: Error, Hashable, Sendable {
    package enum Fault: Error, Hashable, Sendable {
        /// The trace does not begin with its header.
        case missingHeader
        case wrongFieldCount(Int)
        /// What the column begins with instead.
        case notANumber(Column, String)
        case timeNotFinite
        case lineTooLong
        case unknownEvent(String)
        /// An argument of an event is no `key=value`, or its value is invalid.
        case malformedArgument(String)
        case missingArgument(String)
    }

    /// The fields of a line.
    package enum Column: String, Hashable, Sendable {
        case time = "t_seconds"
        case x, y, z
    }

    /// Counted from 1, the header's.
    package let line: Int
    package let fault: Fault

    package init(line: Int, fault: Fault) {
        self.line = line
        self.fault = fault
    }
}

extension TraceError: CustomStringConvertible {
    package var description: String {
        switch fault {
        case .missingHeader: "the header \(TraceFormat.header) is missing"
        case .wrongFieldCount(let count): "\(count) \(count == 1 ? "field" : "fields") instead of 4"
        case .notANumber(let column, let text): "\(column.rawValue) is not a number: '\(text)'"
        case .timeNotFinite: "the time is not finite"
        case .unknownEvent(let name): "there is no event '\(name)'"
        case .malformedArgument(let text): "the argument '\(text)' is malformed"
        case .missingArgument(let key): "the argument '\(key)' is missing"
        case .lineTooLong: "the line is longer than \(TraceFormat.longestLine) bytes"
        }
    }
}

/// The trace format: this header, then lines of `t,x,y,z` in seconds and m/s² in the device frame, and in recordings of
/// orientd lines of `t,event,arguments`.
enum TraceFormat {
    static let header = "t_seconds,x,y,z"

    /// In bytes, without the line's end: the longest request, with every byte percent-encoded, needs less.
    static let longestLine = 4096

    /// The shortest text that reads back as the same number; Swift's own shows a NaN's payload, which no reader knows.
    static func text(_ number: Double) -> String { number.isNaN ? "nan" : "\(number)" }

    static func text(_ vector: Vector3) -> String { "\(text(vector.x)),\(text(vector.y)),\(text(vector.z))" }
}
