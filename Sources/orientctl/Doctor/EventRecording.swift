// SPDX-License-Identifier: Apache-2.0

import OrientationSensors
import POSIX

/// Recordings of the daemon's events, made by `orientd --record`, for a bug report.
enum EventRecording {
    /// In bytes: the events of some hours.
    private static let largest = 1 << 24

    /// The lines of a recording, anonymized; throws if the file is not a trace.
    static func lines(of path: String) throws(CommandError) -> [String] {
        let bytes = try systemCall(FileDescriptor.contents(of: path, limit: largest))
        var reader = TraceReader(try systemCall(FileDescriptor.open(reading: path)), name: path)
        if case .malformed(let error)? = try systemCall(reader.next()) { try error.rejectOtherFile(path) }
        return anonymized(String(decoding: bytes, as: UTF8.self))
    }

    /// The lines of a text, with pseudonyms for applications, clients and reasons; equal values have the same one.
    ///
    /// Nothing else in an event, `t,event,key=value...`, is personal: other values are numbers and fixed words.
    static func anonymized(_ text: String) -> [String] {
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
