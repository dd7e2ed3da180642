// SPDX-License-Identifier: Apache-2.0

import OrientationSensors
import POSIX

/// A recording of the daemon's events, made by `orientd --record`, for a bug report.
struct EventRecording {
    /// The file's contents, which begin with the header of traces.
    let text: String
}

extension EventRecording {
    /// Reads a file; throws if it is not a trace.
    init(contentsOf path: String) throws(CommandError) {
        var reader = TraceReader(try systemCall(FileDescriptor.open(reading: path)), name: path)
        if case .malformed(let error)? = try systemCall(reader.next()) { try error.rejectOtherFile(path) }
        text = String(decoding: try systemCall(FileDescriptor.contents(of: path)), as: UTF8.self)
    }

    /// The lines, with pseudonyms for applications, clients and reasons; equal values have the same one.
    ///
    /// Nothing else in an event, `t,event,key=value...`, is personal: other values are numbers and fixed words.
    var anonymizedLines: [String] {
        var pseudonyms = ["app": [String: String](), "client": [:], "clients": [:], "reason": [:]]
        func anonymized(_ field: Substring.UTF8View) -> String {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard parts.count == 2, !parts[1].isEmpty, let known = pseudonyms[parts[0]] else {
                return String(Substring(field))
            }
            let pseudonym = known[parts[1]] ?? "\(parts[0])\(known.count + 1)"
            pseudonyms[parts[0]]?[parts[1]] = pseudonym
            return "\(parts[0])=\(pseudonym)"
        }
        return text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { line in
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            return printable(fields.map(anonymized).joined(separator: ","))
        }
    }
}
