// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import JSON
import OrientationBus
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl replay`: the daemon's machine, run over a trace or a recording.
enum Replay {
    static let command = Command(
        name: "replay",
        operands: "FILE",
        summary: "run the daemon's decisions over a trace or recording",
        description: "Decides as orientd would for the samples and events in FILE, and prints each change of the "
            + "device orientation. - is standard input.",
        options: [
            .init("all", "a", help: "print every change of orientd's properties, such as the interface and the lock"),
            .init("devices", "d", help: "print every change of a sensor's state"),
            .init("classifier", "c", value: "NAME", help: "use robust or base instead of what the recording used"),
            .init("rest", "r", value: "SENSOR", help: "simulate how orientd reads SENSOR (hub or polled) at rest"),
            .init("plot", "p", value: "FILE", help: "draw the trace as an SVG picture; - prints it instead"),
        ]
    ) { invocation throws(CommandError) in
        let classifier: ClassifierChoice? = try invocation.choice(of: "classifier")
        let sensor: RestingSensor.Kind? = try invocation.choice(of: "rest")
        guard invocation.value(of: "plot") != "-" || !["json", "all", "devices"].contains(where: invocation.has) else {
            throw CommandError("--plot=- prints only the picture: leave out --json, --all and --devices", .usage)
        }
        guard !invocation.has("devices") || classifier == nil && sensor == nil else {
            throw CommandError("--devices cannot be combined with --classifier or --rest", .usage)
        }
        try invocation.rejectInput(invocation.operands[0], as: "plot")
        let reader = try systemCall(TraceReader(operand: invocation.operands[0]))
        var replay = Run(reader, invocation, classifier, sensor)
        try replay.finish()
    }
}

// MARK: - Replaying

extension Replay {
    /// One pass over a trace.
    private struct Run: ~Copyable {
        /// How many malformed lines are reported one by one.
        private static let mostFaults = 100

        private let invocation: Invocation
        private let classifier: ClassifierChoice?
        private var reader: TraceReader
        private var machine: OrientationMachine
        private var applicationMasks: [String: InterfaceOrientationMask] = [:]
        private var output = OutputFile.standardOutput()
        private var plot: PlotData?
        private var faults = 0
        private var restingSensor: RestingSensor?
        /// Nil unless the changes of the sensors are printed.
        private var sensors: SensorChanges?

        private var path: String { invocation.operands[0] }
        private var plotPath: String? { invocation.value(of: "plot") }

        /// Whether the trace has events, without which the interface's orientation is not drawn.
        private var isRecording = false

        // Does not throw: Swift 6.2.3 would crash on an initializer that throws before all properties are set.
        init(
            _ reader: consuming TraceReader,
            _ invocation: Invocation,
            _ classifier: ClassifierChoice?,
            _ sensor: RestingSensor.Kind?
        ) {
            self.reader = reader
            self.invocation = invocation
            self.classifier = classifier
            // Without events, all samples are those of a sensor that samples from the start.
            var configuration = MachineConfiguration()
            configuration.idiom = .tablet
            configuration.classifier = classifier ?? .robust
            machine = OrientationMachine(configuration, saved: nil, at: 0)
            let report = SensorReport(state: .sampling, isPresent: true, mayDeliver: true)
            _ = machine.handle(.sensorChanged(.display, report), at: 0)
            if let sensor {
                restingSensor = RestingSensor(sensor)
                _ = machine.handle(.samplingBegan(.display, sensor.sampling), at: 0)
            }
            if invocation.has("plot") { plot = PlotData() }
            if invocation.has("devices") { sensors = SensorChanges() }
        }

        /// Replays to the end; throws if a line was malformed.
        mutating func finish() throws(CommandError) {
            var isEmpty = true
            while let record = try systemCall(reader.next()) {
                isEmpty = false
                switch record {
                case .sample(let sample):
                    try systemCall(passDeadlines(before: sample.time))
                    if restingSensor?.reports(sample) == false { continue }
                    try systemCall(handle(.sample(.display, sample), at: sample.time))
                    plot?.add(sample, in: machine.status.deviceOrientation)
                case .event(.start(let configuration, let saved), let time): restart(configuration, saved, at: time)
                case .event(.application(let id, let mask), _): applicationMasks[id] = mask
                case .event(.event(let event), let time):
                    // Without them, a recording whose beginning is missing is read as well.
                    if sensors != nil, let fault = machine.table.fault(of: event) {
                        report(TraceError(line: reader.line, fault: fault))
                    } else {
                        try systemCall(handle(event, at: time))
                    }
                // The machine decides the levels itself.
                case .event(.level, _): break
                case .malformed(let error):
                    try error.rejectOtherFile(path)
                    report(error)
                }
            }
            if sensors?.isEmpty == true { complain("warning: there are no events of devices in \(path)") }
            if isEmpty { complain("warning: there are no samples in \(path)") }
            try systemCall(writePlot())
            try systemCall(output.flush())
            if faults > Self.mostFaults { complain("\(path): \(faults - Self.mostFaults) more lines are malformed") }
            if faults > 0 { throw CommandError.reported }
        }

        private mutating func report(_ error: TraceError) {
            faults += 1
            if faults <= Self.mostFaults { complain("\(path):\(error.line): \(error)") }
        }

        private mutating func writePlot() throws(SystemError) {
            guard let plot, let plotPath else { return }
            let svg = Plot(plot, title: path).svg
            if plotPath == "-" { try output.write(svg) } else { try OutputFile.write(svg, to: plotPath) }
        }

        /// Starts the machine as a recording says that it was started.
        private mutating func restart(_ configuration: MachineConfiguration, _ saved: SavedState?, at time: Double) {
            var configuration = configuration
            configuration.applicationMasks = applicationMasks
            if let classifier { configuration.classifier = classifier }
            applicationMasks = [:]
            machine = OrientationMachine(configuration, saved: saved, at: time)
            isRecording = true
            if sensors != nil { sensors = SensorChanges() }
            plot?.show(machine.status.interfaceOrientation, at: time)
        }

        /// Lets the times pass for which the machine waits, which a trace of samples does not have.
        private mutating func passDeadlines(before time: Double) throws(SystemError) {
            guard restingSensor != nil else { return }
            while let deadline = machine.deadline, deadline.time <= time {
                try handle(.deadlinePassed(deadline.purpose), at: deadline.time)
                // At times beyond 2^53 s, adding seconds changes nothing.
                guard machine.deadline != deadline else { return }
            }
        }

        private mutating func handle(_ event: Event, at time: Double) throws(SystemError) {
            let before = machine.status
            let effects = machine.handle(event, at: time)
            restingSensor?.sensing = machine.sensing.display
            if let scale = effects.wrongScale {
                complain("\(path):\(reader.line): the scale looks wrong: at rest it reads \(scale) g")
            }
            if let label = event.label { plot?.mark(label, at: time) }
            if machine.status.sensorState == .lost, before.sensorState != .lost { plot?.mark("sensor lost", at: time) }
            try printSensors(effects, at: time)
            guard effects.status != nil else { return }
            if isRecording, effects.transition != nil { plot?.show(machine.status.interfaceOrientation, at: time) }
            if invocation.has("all") {
                let changes = machine.status.changes(from: before)
                let values = changes.filter { !$0.isForProgramsOnly }.map { " \($0.name)=\($0.value.text)" }.joined()
                try print(values, changes, at: time)
            } else if sensors == nil, machine.status.deviceOrientation != before.deviceOrientation {
                let name = machine.status.deviceOrientation.name
                try print(" \(name)", [PropertyChange(name: "orientation", value: .text(name))], at: time)
            }
        }

        /// Prints what changed of each sensor, with its number and name.
        private mutating func printSensors(_ effects: Effects, at time: Double) throws(SystemError) {
            for change in sensors?.update(machine.table, effects) ?? [] {
                let number = PropertyValue.number(UInt32(truncatingIfNeeded: change.number))
                let values = [("sensor", number), ("Name", .text(change.name))] + change.values
                let changes = values.map { PropertyChange(name: $0.0, value: $0.1) }
                let text = changes.dropFirst(2).map { " \($0.name)=\($0.text)" }.joined()
                try print(" \(number.text) \(changes[1].text)" + text, changes, at: time)
            }
        }

        /// Prints the time and `text`, or an object of the time and the changes.
        private mutating func print(_ text: String, _ changes: [PropertyChange], at time: Double) throws(SystemError) {
            // Standard output is for the picture.
            guard plotPath != "-" else { return }
            if invocation.isJSON {
                let object = JSONValue(["time": .decimal(time)])
                for change in changes { object.set(change.name, change.value) }
                try output.write(object.line + "\n")
            } else {
                try output.write("\(reader.timeText)\(text)\n")
            }
            if output.isTerminal { try output.flush() }
        }
    }
}

extension Event {
    /// The event in a plot; nil for those that happen all the time.
    fileprivate var label: String? {
        switch self {
        case .lid(let isClosed): isClosed ? "lid closed" : "lid open"
        case .tabletSwitch(let mode): mode.name
        case .sleep: "sleep"
        case .wake: "wake"
        case .setRotationLock(let lock): "lock \(lock)"
        case .rotate(let orientation): "rotate \(orientation)"
        case .alignToDevice: "align"
        case .setAutorotate(let mode): "autorotate \(mode?.name ?? "auto")"
        case .present(let request, _): "request \(request.appID)"
        case .release: "release"
        case .vanished: "client vanished"
        case .shutdown: "shutdown"
        default: nil
        }
    }
}

extension TraceError {
    /// Throws if the first line shows that a file is no trace, so that the others are not worth reading.
    func rejectOtherFile(_ path: String) throws(CommandError) {
        guard line == 1 else { return }
        throw CommandError("\(path):1: this is not a trace: \(self)")
    }
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

/// A simulated sensor that leaves out the samples of a trace that the daemon would not get at rest.
struct RestingSensor {
    enum Kind: String, NamedValue {
        /// A sensor hub that honours its change sensitivity.
        case hub
        case polled

        var sampling: Sampling { Sampling(rate: 15, mayFallSilent: self == .hub, faceUp: .positiveZ) }
    }

    var sensing = Sensing.stream

    private let kind: Kind
    private var last: AccelerometerSample?
    private var lastRead = -Double.infinity

    init(_ kind: Kind) { self.kind = kind }

    /// Whether the next sample of the trace reaches the machine.
    mutating func reports(_ sample: AccelerometerSample) -> Bool {
        guard let period = sensing.period else {
            last = sample
            lastRead = sample.time
            return true
        }
        switch kind {
        case .hub:
            var change = sensing
            if let last {
                change.reference = last.acceleration
                change.threshold = sensing.sensitivity
            }
            guard change.showsMotion(sample.acceleration) else { return false }
        case .polled:
            // The samples of a trace come at times of their own.
            guard sample.time - lastRead >= period - 1e-6 else { return false }
            lastRead = sample.time
            guard sensing.showsMotion(sample.acceleration) else { return false }
        }
        last = sample
        return true
    }
}
