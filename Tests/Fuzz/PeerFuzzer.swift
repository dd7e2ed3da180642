// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

@testable import OrientationDaemon
@testable import OrientationSession
@testable import SystemdBus

/// What other programs print or send: gsettings, and the service of the virtual tablet switch.
///
/// The first byte says which of them.
enum PeerFuzzer {
    static func run(_ bytes: [UInt8]) {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case UInt8(ascii: "g"): readLines(FuzzedBytes(rest))
        case UInt8(ascii: "t"): serveSwitch(rest)
        default: break
        }
    }

    /// Reads lines in pieces whose sizes the input says.
    private static func readLines(_ input: FuzzedBytes) {
        let longest = 16
        var (input, buffer, printed, lines) = (input, LineBuffer(longest: longest), [UInt8](), [[UInt8]]())
        while !input.isEmpty {
            let piece = input.take(input.number(below: 32))
            printed += piece
            let isTooLong = printed.split(separator: 0x0A, omittingEmptySubsequences: false).contains {
                $0.count > longest
            }
            let complete = buffer.add(piece[...])
            precondition((complete == nil) == isTooLong)
            guard let complete else { return }
            lines += complete
        }
        precondition(printed.starts(with: lines.flatMap { $0 + [0x0A] }))
        for line in lines { _ = GSettingsSwitch.isLocked(line) }
    }

    /// Each connection gets a part of the input, which zeros divide, and ends.
    private static func serveSwitch(_ bytes: [UInt8]) {
        do {
            let loop = try EventLoop()
            FuzzedCompositor.tabletSwitch.replies = bytes.split(separator: 0).map { Array($0) }
            let path = FuzzedCompositor.tabletSwitch.path
            let times = TabletSwitchLink.Times(firstDelay: 1e-6, lastDelay: 0.001)
            let link = try TabletSwitchLink(path: path, times: times, loop: loop, log: Log("fuzz", isVerbose: false))
            for mode in [.tablet, .laptop, .tablet, .unknown] as [TabletMode] {
                link.apply(mode)
                try FuzzedCompositor.serve(loop)
                precondition((times.firstDelay...times.lastDelay).contains(link.delay))
            }
        } catch {
            fatalError("\(error)")
        }
    }
}
