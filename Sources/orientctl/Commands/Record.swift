// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl record`: writes an accelerometer's samples, read without the daemon, as a trace for `replay`.
enum Record {
    static let command = Command(
        name: "record",
        summary: "write the accelerometer's samples as a trace",
        description: "Reads the accelerometer, without orientd, and writes its samples as a trace until Ctrl-C.",
        options: [
            .init("output", "o", value: "FILE", help: "write to FILE instead of standard output (-)"),
            .init("force", "f", help: "write over FILE if it is not empty"),
            .init("source", "s", value: "SOURCE", help: "record SOURCE: auto, iio, iio:URI, replay:FILE or simulate"),
            .init("duration", "d", value: "SECONDS", help: "end after SECONDS instead of with Ctrl-C"),
        ],
        printsJSON: false
    ) { invocation throws(CommandError) in
        var configuration = try readConfiguration()
        if let text = invocation.value(of: "source") {
            guard let source = SourceChoice(text) else {
                let hint = useInstead(of: text, among: Placeholder.sources)
                throw CommandError("--source=\(text)\(hint) \(SourceChoice.recordable)", .usage)
            }
            guard source != .sensorCore else { throw CommandError("--source=ssc: \(sensorCore)", .usage) }
            configuration.source = source
        }
        let text = invocation.value(of: "duration")
        let duration = text.flatMap { number($0) }
        if let text, duration ?? 0 <= 0 {
            throw CommandError("--duration=\(text): use a number of seconds above 0", .usage)
        }
        if case .replay(let path) = configuration.source { try invocation.rejectInput(path, as: "output") }
        let output = invocation.value(of: "output")
        if let output, output != "-", !invocation.has("force"), try systemCall(hasContents(output)) {
            throw CommandError("--output=\(output) is not empty: use --force to write over it", .usage)
        }
        // A recording ends by itself.
        let end = if case .replay = configuration.source { "" } else { "; Ctrl-C ends it" }
        let loop = try systemCall(EventLoop())
        let (source, name) = try open(configuration, loop)
        let title = (name, text.map { " for \($0) s" } ?? end)
        try Recording(SourceReader(source, loop), title, into: output == "-" ? nil : output).run(duration)
    }

    /// Why sensors of Qualcomm's sensor core are left out.
    private static let sensorCore = "only orientd --record records the sensor core"
    private static let configuredSensorCore = "Source=ssc in orientd.conf is ignored: " + sensorCore

    /// Whether a path names a file that is not empty.
    private static func hasContents(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard Errno.current == .notFound else { throw SystemError("create", path, errno: .current) }
            return false
        }
        return status.isKind(S_IFREG) && status.st_size > 0
    }

    /// Opens the configured source; returns it with its name.
    private static func open(
        _ configuration: Configuration,
        _ loop: EventLoop
    ) throws(CommandError) -> (any SensorSource, name: String) {
        let rate = configuration.rate
        switch configuration.source {
        case .iio, .sensorCore:
            let uri = configuration.source.uri ?? ""
            let isSensorCore = configuration.source == .sensorCore
            guard let accelerometer = try systemCall(accelerometer(at: uri)) else {
                let advice =
                    isSensorCore ? configuredSensorCore : "try: orientctl doctor, or record --source=simulate"
                throw CommandError("no accelerometer found" + (uri == "local:" ? "; \(advice)" : " at \(uri)"))
            }
            if isSensorCore { complain("warning: \(configuredSensorCore)") }
            for warning in accelerometer.warnings { complain("warning: \(warning)") }
            let description = accelerometer.description
            let scaling = configuration.scaling(of: description)
            let source = try systemCall(DeviceSource(accelerometer, scaling: scaling, rate: rate, loop: loop))
            return (source, description.name)
        case .replay(let path): return (try systemCall(ReplaySource(path: path, loop: loop)), path)
        case .simulation: return (try systemCall(SimulatedSource(rate: rate, loop: loop)), "a simulated sensor")
        }
    }

    /// Reads orientd.conf, whose rate and frame apply to recordings as well.
    static func readConfiguration() throws(CommandError) -> Configuration {
        let reader = ConfigurationReader<Configuration>()
        try systemCall(reader.read(Configuration.standardPath, isRequired: false))
        for warning in reader.warnings { complain("warning: \(warning)") }
        return reader.configuration
    }
}

extension Configuration {
    /// The conversion of a sensor's raw values with these settings.
    func scaling(of description: SensorDescription) -> SensorScaling {
        description.scaling(convention: convention, faceUp: faceUp)
    }

    /// The frame of an accelerometer with these settings.
    func frame(of description: SensorDescription) -> SensorFrame { scaling(of: description).frame }
}

/// Finds the accelerometer of a libiio context that orientd would choose; nil without one.
func accelerometer(at uri: String) throws(SystemError) -> (any SensorDevice)? {
    let (found, unanswered) = try SensorSearch.once(at: uri, of: [.accelerometer]) { $0.sensors.accelerometer != nil }
    for device in unanswered { complain("warning: " + device.problem) }
    return found.sensors.accelerometer
}

extension [any SensorDevice] {
    /// Of accelerometers the one that orientd chooses; not one in the base.
    var accelerometer: (any SensorDevice)? {
        var best: (sensor: any SensorDevice, rank: Int)?
        for sensor in self {
            let description = sensor.description
            guard let location = description.mounting?.location, location != .base,
                let rank = SensorSelection.rank(location, isSubstitute: description.isSubstitute)
            else { continue }
            if rank < best?.rank ?? .max { best = (sensor, rank) }
        }
        return best?.sensor
    }
}

/// One run of the command: writes the samples, and shows their number on standard error.
private final class Recording {
    private let reader: SourceReader
    /// What is recorded, and for how long or how to end it.
    private let title: (name: String, end: String)
    private let path: String?
    private var writer: TraceWriter?
    private var clock = TraceClock()
    private var count = 0
    /// The time of the last sample, in seconds since the first, and that at which the count was shown.
    private var last = 0.0
    private var shown = 0.0

    /// Whether the count is updated in place: not where the samples themselves appear.
    private let isLive = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) != 1

    /// Records to standard output without a path.
    init(_ reader: SourceReader, _ title: (name: String, end: String), into path: String?) {
        self.reader = reader
        self.title = title
        self.path = path
    }

    /// Records until a signal, the end of the source or of `duration`.
    func run(_ duration: Double?) throws(CommandError) {
        reader.onSample = { [self] sample in
            do throws(SystemError) {
                try write(sample)
            } catch {
                reader.end(CommandError(ofWriting: error).map { .failed($0) } ?? .complete)
            }
        }
        defer {
            if writer != nil {
                if isLive { StandardError.write("\r") }
                complain(sum)
            }
        }
        try reader.run(seconds: duration)
    }

    /// Writes a sample without delay, so that none is lost if the process is killed.
    private func write(_ reading: AccelerometerSample) throws(SystemError) {
        let source = reader.source
        if writer == nil {
            // Created with the first sample: a sensor that cannot be read must not cost an earlier trace.
            let file = if let path { try OutputFile.create(path) } else { OutputFile.standardOutput() }
            writer = try TraceWriter(file)
            let rate = source.sampleRate > 0 ? ", \(decimal(source.sampleRate, places: 0)) Hz" : ""
            let target = path ?? "standard output"
            complain("recording \(title.name) (\(source.mode.name)\(rate)) to \(target)\(title.end)")
        }
        let time = clock.time(at: reading.time)
        try writer?.write(AccelerometerSample(time: time, acceleration: reading.acceleration))
        try writer?.flush()
        count += 1
        last = time
        guard isLive, last - shown >= 1 else { return }
        shown = last
        StandardError.write("\r\(sum)")
    }

    private var sum: String { "\(count) \(count == 1 ? "sample" : "samples") in \(decimal(last, places: 1)) s" }
}
