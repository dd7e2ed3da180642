// SPDX-License-Identifier: Apache-2.0

import CLibFuzzer
import CLinux
import POSIX

/// A program that libFuzzer drives; its name, a link's, says which of the fuzzers it is.
///
/// A fuzzer gets bytes that nobody has checked and hands them to the code that reads such bytes in the real programs.
/// It ends with a trap where a promise of that code is broken.
@main
enum Fuzz {
    private static let fuzzers: [String: @Sendable ([UInt8]) -> Void] = [
        "trace": { TraceFuzzer.run($0) },
        "recording": { RecordingFuzzer.run($0) },
        "configuration": { ConfigurationFuzzer.run($0) },
        "state": { StateFuzzer.run($0) },
        "attribute": { AttributeFuzzer.run($0) },
        "scan": { ScanFuzzer.run($0) },
        "ssc": { SSCFuzzer.run($0) },
        "bus": { BusFuzzer.run($0) },
        "peer": { PeerFuzzer.run($0) },
        "compositor": { CompositorFuzzer.run($0) },
    ]

    private static let name = String(
        decoding: (CommandLine.arguments.first ?? "").utf8.split(separator: UInt8(ascii: "/")).last ?? [],
        as: UTF8.self
    )

    static func main() {
        guard fuzzers[name] != nil else {
            let names = fuzzers.keys.sorted().joined(separator: ", ")
            StandardError.print("there is no fuzzer '\(name)': call the program by the name of one of \(names)")
            exit(2)
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, runOneInput))
    }

    fileprivate static func run(_ input: [UInt8]) {
        fuzzers[name]?(input)
    }
}

/// Under the name that libFuzzer's own entry refers to, which lld links as well.
@c(LLVMFuzzerTestOneInput)
func runOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    Fuzz.run(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
