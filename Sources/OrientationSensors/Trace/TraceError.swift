// SPDX-License-Identifier: Apache-2.0

/// A line of a trace that is not what the format says; the description leaves out where it is.
package struct TraceError: Error, Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        /// The trace does not begin with its header.
        case missingHeader
        case wrongFieldCount(Int)
        case notANumber(Column)
        case timeNotFinite
        case lineTooLong
    }

    /// The fields of a line.
    package enum Column: String, Hashable, Sendable {
        case time = "t_seconds"
        case x
        case y
        case z
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
        case .notANumber(let column): "\(column.rawValue) is not a number"
        case .timeNotFinite: "the time is not finite"
        case .lineTooLong: "the line is longer than \(TraceFormat.longestLine) bytes"
        }
    }
}

/// The trace format: this header, then lines of `t,x,y,z` in seconds and m/s² in the device frame.
enum TraceFormat {
    static let header = "t_seconds,x,y,z"

    /// In bytes, without the line's end; four numbers written in full need about 100.
    static let longestLine = 1024
}
