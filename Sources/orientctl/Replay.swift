// SPDX-License-Identifier: Apache-2.0

import CJSON
import OrientationCore
import OrientationIIO
import SystemdBus

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

/// `orientctl replay`: the daemon's classifier, run over a trace.
enum Replay {
    static let usage = "orientctl replay FILE|- [--classifier robust|base] [--json] [--plot OUT.svg]"

    static func run(_ arguments: [String]) -> ExitCode {
        guard let options = Options(arguments) else { return .usage }
        do throws(SystemError) {
            var replay = try Run(options)
            return try replay.finish()
        } catch {
            complain("\(error)")
            return .failed
        }
    }
}

// MARK: - Options

extension Replay {
    private struct Options {
        var path = ""
        var constants = OrientationClassifier.Constants.robust
        var isJSON = false
        var plotPath: String?

        init?(_ arguments: [String]) {
            let allowed = [
                CommandOption(name: "classifier", takesValue: true), CommandOption(name: "json"),
                CommandOption(name: "plot", takesValue: true),
            ]
            guard let parsed = ParsedArguments(arguments, of: "replay", allowing: allowed) else { return nil }
            for (name, value) in parsed.options {
                switch (name, value) {
                case ("classifier", "robust"): constants = .robust
                case ("classifier", "base"): constants = .base
                case ("classifier", let value?):
                    complain("no classifier is called \(value); there are robust and base")
                    return nil
                case ("plot", let value?): plotPath = value
                default: isJSON = true
                }
            }
            guard parsed.operands.count == 1 else {
                complain("usage: \(Replay.usage)")
                return nil
            }
            path = parsed.operands[0]
        }
    }
}

// MARK: - Replaying

extension Replay {
    /// One pass over a trace.
    private struct Run: ~Copyable {
        private let options: Options
        private var reader: TraceReader
        private var classifier: OrientationClassifier
        private var output = OutputFile.standardOutput()
        private var plot: PlotData?
        private var sawFault = false

        init(_ options: Options) throws(SystemError) {
            self.options = options
            let isStandardInput = options.path == "-"
            let file =
                try isStandardInput
                ? FileDescriptor(owning: STDIN_FILENO) : FileDescriptor.open(reading: options.path)
            reader = TraceReader(file, name: isStandardInput ? "standard input" : options.path)
            classifier = OrientationClassifier(constants: options.constants)
            if options.plotPath != nil { plot = PlotData() }
        }

        /// Replays to the end and says how it went.
        mutating func finish() throws(SystemError) -> ExitCode {
            while let record = try reader.next() {
                switch record {
                case .sample(let sample): try take(sample)
                case .malformed(let error):
                    sawFault = true
                    complain("\(options.path):\(error.line): \(error)")
                }
            }
            try output.flush()
            if let plot, let path = options.plotPath {
                try Plot(plot, title: options.path).write(to: path)
            }
            return sawFault ? .failed : .done
        }

        private mutating func take(_ sample: AccelerometerSample) throws(SystemError) {
            let (edge, reference) = (classifier.edge, classifier.reference)
            classifier.update(gravity: sample.gravity, at: sample.time)
            if classifier.edge != edge {
                try print(classifier.edge, at: sample.time)
            }
            if classifier.reference != reference {
                complain("\(options.path):\(reader.line): the scale looks wrong: 1 g reads \(classifier.reference) g")
            }
            plot?.add(sample, in: classifier.edge)
        }

        private mutating func print(_ orientation: DeviceOrientation, at time: Double) throws(SystemError) {
            if options.isJSON {
                try output.write(json(orientation, at: time) + "\n")
            } else {
                try output.write("\(reader.timeText) \(orientation)\n")
            }
            if output.isTerminal { try output.flush() }
        }

        /// A change as a JSON object, with the time as it was read where JSON can have it so.
        private func json(_ orientation: DeviceOrientation, at time: Double) -> String {
            let text = reader.timeText
            let object = json_object_new_object()
            defer { json_object_put(object) }
            json_object_object_add(
                object,
                "time",
                json_object_new_double_s(time, isJSONNumber(text) ? text : "\(time)")
            )
            json_object_object_add(object, "orientation", json_object_new_string(orientation.name))
            return String(cString: json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN))
        }
    }
}

/// Whether a number, as C writes it, is one in JSON too: no plus, no leading zeros, digits around the point.
private func isJSONNumber(_ number: String) -> Bool {
    var rest = Substring(number).utf8
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.count == 1 || digits.count > 1 && digits.first != UInt8(ascii: "0") else { return false }
    rest = rest.dropFirst(digits.count)
    guard rest.first == UInt8(ascii: ".") else { return true }
    guard let decimal = rest.dropFirst().first else { return false }
    return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(decimal)
}
