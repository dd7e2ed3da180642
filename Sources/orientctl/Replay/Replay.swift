// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationCore
import OrientationSensors
import POSIX

/// `orientctl replay`: the daemon's classifier, run over a trace.
enum Replay {
    static let command = Command(
        "replay FILE|- [--classifier robust|base] [--json] [--plot FILE]",
        options: [.init("classifier", "c", takesValue: true), .init("plot", "p", takesValue: true)],
        operandCount: 1...1
    ) { invocation throws(CommandError) in
        let constants: OrientationClassifier.Constants
        switch invocation.value(of: "classifier") {
        case nil, "robust": constants = .robust
        case "base": constants = .base
        case let name?: throw CommandError("--classifier=\(name): takes robust or base", .usage)
        }
        return try calling { () throws(SystemError) in
            var replay = try Run(
                path: invocation.operands[0],
                constants: constants,
                isJSON: invocation.isJSON,
                plotPath: invocation.value(of: "plot")
            )
            return try replay.finish()
        }
    }
}

// MARK: - Replaying

extension Replay {
    /// One pass over a trace.
    private struct Run: ~Copyable {
        private let path: String
        private let isJSON: Bool
        private let plotPath: String?
        private var reader: TraceReader
        private var classifier: OrientationClassifier
        private var output = OutputFile.standardOutput()
        private var plot: PlotData?
        private var sawFault = false

        init(
            path: String,
            constants: OrientationClassifier.Constants,
            isJSON: Bool,
            plotPath: String?
        ) throws(SystemError) {
            self.path = path
            self.isJSON = isJSON
            self.plotPath = plotPath
            reader = try TraceReader(operand: path)
            classifier = OrientationClassifier(constants: constants)
            if plotPath != nil { plot = PlotData() }
        }

        /// Replays to the end and says how it went.
        mutating func finish() throws(SystemError) -> ExitCode {
            while let record = try reader.next() {
                switch record {
                case .sample(let sample): try take(sample)
                case .malformed(let error):
                    sawFault = true
                    complain("\(path):\(error.line): \(error)")
                }
            }
            try output.flush()
            if let plot, let plotPath {
                try Plot(plot, title: path).write(to: plotPath)
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
                complain("\(path):\(reader.line): the scale looks wrong: 1 g reads \(classifier.reference) g")
            }
            plot?.add(sample, in: classifier.edge)
        }

        private mutating func print(_ orientation: DeviceOrientation, at time: Double) throws(SystemError) {
            if isJSON {
                try output.write(json(orientation, at: time) + "\n")
            } else {
                try output.write("\(reader.timeText) \(orientation)\n")
            }
            if output.isTerminal { try output.flush() }
        }

        /// A change as a JSON object, with the time as it was read where JSON can have it so.
        private func json(_ orientation: DeviceOrientation, at time: Double) -> String {
            let text = reader.timeText
            let object = JSONObject()
            object.set("time", time, text: isJSONNumber(text) ? text : nil)
            object.set("orientation", orientation.name)
            return object.line
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

extension TraceReader {
    /// Opens a trace as the command line names it: `-` is standard input.
    init(operand path: String) throws(SystemError) {
        if path == "-" {
            self.init(FileDescriptor(owning: STDIN_FILENO), name: "standard input")
        } else {
            self.init(try FileDescriptor.open(reading: path), name: path)
        }
    }
}
