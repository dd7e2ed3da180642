// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationConfiguration
import OrientationCore
import OrientationSensors
import POSIX
import SystemdBus

/// `orientctl record`: the samples of an accelerometer, read beside the daemon, as a trace for `replay`.
enum Record {
    static let command = Command(
        "record [-o FILE] [-s SOURCE] [-d SECONDS]",
        options: [
            .init("output", "o", takesValue: true), .init("source", "s", takesValue: true),
            .init("duration", "d", takesValue: true),
        ]
    ) { invocation throws(CommandError) in
        var configuration = try readConfiguration()
        if let text = invocation.value(of: "source") {
            guard let source = SourceChoice(text) else {
                throw CommandError("--source=\(text): takes auto, iio, iio:URI, replay:FILE or simulate", .usage)
            }
            configuration.source = source
        }
        var duration: Double?
        if let text = invocation.value(of: "duration") {
            guard let seconds = number(text), seconds > 0 else {
                throw CommandError("--duration=\(text): takes a number of seconds above 0", .usage)
            }
            duration = seconds
        }
        let path = invocation.value(of: "output")
        let recording = try calling { () throws(SystemError) in try Recording() }
        let source = try recording.open(configuration)
        return try calling { () throws(SystemError) in try recording.run(source, into: path, duration: duration) }
    }

    /// What orientd.conf says of the sensor's frame counts for recordings as well.
    static func readConfiguration() throws(CommandError) -> Configuration {
        let reader = ConfigurationReader()
        try calling { () throws(SystemError) in try reader.read(ConfigurationReader.standardPath, isRequired: false) }
        for warning in reader.warnings { complain("warning: \(warning)") }
        return reader.configuration
    }
}

/// The accelerometer of a libiio context that tells of the display, opened by this program itself; nil without one.
func accelerometer(at uri: String) throws(CommandError) -> (any SensorDevice)? {
    do throws(SystemError) {
        let found = try FoundSensors(at: uri, of: [.accelerometer]).sensors
        return found.first { $0.description.mounting?.location != .base }
    } catch {
        throw CommandError("\(error)")
    }
}

/// One run of the command.
private final class Recording {
    private let loop: EventLoop
    private var failure: SystemError?
    private var complaint = ""
    private var clock = TraceClock()

    init() throws(SystemError) {
        loop = try EventLoop()
    }

    /// Opens what the configuration names as the source.
    func open(_ configuration: Configuration) throws(CommandError) -> any SensorSource {
        switch configuration.source {
        case .iio(let uri):
            guard let accelerometer = try accelerometer(at: uri) else {
                throw CommandError("no accelerometer found" + (uri == "local:" ? "" : " at \(uri)"))
            }
            for warning in accelerometer.warnings { complain("warning: \(warning)") }
            let scaling = accelerometer.description.scaling(
                convention: configuration.convention,
                faceUp: configuration.faceUp
            )
            return try calling { () throws(SystemError) in
                try DeviceSource(accelerometer, scaling: scaling, rate: configuration.rate, loop: loop)
            }
        case .replay(let path):
            return try calling { () throws(SystemError) in try ReplaySource(path: path, loop: loop) }
        case .simulation:
            return try calling { () throws(SystemError) in
                try SimulatedSource(rate: configuration.rate, loop: loop)
            }
        }
    }

    /// Writes samples until a signal, the end of the source or of the time; to standard output for want of a path.
    func run(
        _ source: any SensorSource,
        into path: String?,
        duration: Double?
    ) throws(SystemError) -> ExitCode {
        let trace = Trace(path)
        let limit = try loop.timer { [self] in end(source) }
        let termination = try loop.onTermination { [self] in end(source) }
        if let duration { limit.arm(after: duration) }
        source.onEvent = { [self] event in take(event, of: source, into: trace) }
        source.start()
        _ = try loop.run()
        withExtendedLifetime((limit, termination)) {}
        if let failure { throw failure }
        guard complaint.isEmpty else {
            complain(complaint)
            return .failed
        }
        return .done
    }

    /// Ends when the sensor is back as it was found.
    private func end(_ source: any SensorSource) {
        source.onEvent = nil
        source.stop { [self] in loop.exit() }
    }

    private func take(_ event: SourceEvent, of source: any SensorSource, into trace: Trace) {
        switch event {
        case .started(let warnings):
            for warning in warnings { complain("warning: \(warning)") }
        case .sample(let measurement):
            guard case .acceleration(var sample) = measurement else { return }
            sample.time = clock.time(at: sample.time)
            do throws(SystemError) {
                try trace.write(sample)
            } catch {
                failure = error
                end(source)
            }
        case .stalled(let problem):
            complain("warning: \(problem)")
        case .ended:
            end(source)
        case .failed(let reason):
            complaint = reason
            end(source)
        }
    }
}

/// A trace being written, shared by the run and the handler of events.
private final class Trace {
    private let path: String?
    private var writer: TraceWriter?

    init(_ path: String?) {
        self.path = path
    }

    /// Writes one sample at once, so that nothing is lost to whatever ends the recording.
    ///
    /// The file is made for the first: a sensor that cannot be read costs nobody the trace of before.
    func write(_ sample: AccelerometerSample) throws(SystemError) {
        if writer == nil {
            let file = if let path { try OutputFile.create(path) } else { OutputFile.standardOutput() }
            writer = try TraceWriter(file)
        }
        try writer?.write(sample)
        try writer?.flush()
    }
}
