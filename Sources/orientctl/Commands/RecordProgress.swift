// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationCore
import POSIX

/// The messages of `orientctl record` on standard error: an announcement, the count of samples, and the sum.
struct RecordProgress {
    private var count = 0
    private var first = 0.0
    private var last = 0.0
    private var shown = 0.0

    /// Whether the count is updated in place: not where the samples themselves appear.
    private let isLive = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) != 1

    init(_ announcement: String) {
        complain(announcement)
    }

    /// Counts a sample; shows the count once a second on a terminal.
    mutating func add(_ sample: AccelerometerSample) {
        if count == 0 { (first, shown) = (sample.time, sample.time) }
        count += 1
        last = sample.time
        guard isLive, last - shown >= 1 else { return }
        shown = last
        StandardError.write("\r\(sum)")
    }

    func finish() {
        if isLive { StandardError.write("\r") }
        complain(sum)
    }

    private var sum: String { "\(count) \(count == 1 ? "sample" : "samples") in \(decimal(last - first, places: 1)) s" }
}
