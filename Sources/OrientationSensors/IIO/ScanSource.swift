// SPDX-License-Identifier: Apache-2.0

import CLinux
import POSIX

/// What is needed to read the scans of a sensor of this machine.
struct ScanSource {
    let folder: DeviceFolder

    /// The device's node.
    let node: String

    /// The words of the sensor's channels.
    let elements: [ScanElement]

    /// The word of the time, if the device has one.
    let timestamp: ScanElement?

    /// The name of the trigger that the driver brought.
    let ownTrigger: String?

    var path: String { folder.path }

    // MARK: - Trigger and clock

    /// Whether the device in a directory has a trigger set; nil for one without triggers, such as Chromebooks' and
    /// those with a FIFO.
    static func hasTrigger(_ path: String) -> Bool? {
        (try? Self.text(of: path + triggerFile)).map { !$0.isEmpty }
    }

    /// The text of a file without white space around it; empty for an empty file.
    private static func text(of path: String) throws(SystemError) -> String {
        String(decoding: trimmed(try FileDescriptor.contents(of: path, limit: 4096)), as: UTF8.self)
    }

    private static let triggerFile = "/trigger/current_trigger"

    /// Sets the driver's trigger where none is set; returns what went wrong.
    func chooseTrigger() -> [String] {
        guard let ownTrigger, Self.hasTrigger(path) == false else { return [] }
        do throws(SystemError) {
            try folder.write(ownTrigger, to: path + Self.triggerFile)
            return []
        } catch {
            let name = AttributeText.quoted(ownTrigger)
            return ["\(path)\(Self.triggerFile): cannot set \(name): \(error.errno), going on without"]
        }
    }

    /// The word of the time, where its clock is CLOCK_MONOTONIC or could be set to it.
    ///
    /// IIO uses CLOCK_REALTIME by default, and that clock jumps.
    func monotonicTimestamp() -> ScanElement? {
        let clock = path + "/current_timestamp_clock"
        guard let timestamp, let current = try? Self.text(of: clock) else { return nil }
        if current == "monotonic" { return timestamp }
        try? folder.write("monotonic", to: clock)
        return (try? Self.text(of: clock)) == "monotonic" ? timestamp : nil
    }

    // MARK: - Buffer

    /// The scans that the kernel keeps until they are read.
    private static let length = 4

    /// Opens the node; throws EBUSY if another program has, whose buffer must not be stopped.
    func open() throws(SystemError) -> FileDescriptor {
        // The node may be that of another device by now.
        try folder.checkPresence()
        let descriptor = orientd_open_device(node)
        return FileDescriptor(owning: try checkSystem("open the buffer of", path, descriptor))
    }

    /// Starts the buffer with only these words in each scan; returns the open node.
    func start(with enabled: [ScanElement]) throws(SystemError) -> FileDescriptor {
        let file = try open()
        try stop()
        let indices = enabled.map { $0.index }
        var rest: [String] = []
        for switchFile in try switchFiles() {
            let index = Int(try Self.text(of: switchFile.index))
            if let index, indices.contains(index) {
                try folder.write("1", to: switchFile.enable)
            } else {
                rest.append(switchFile.enable)
            }
        }
        for file in rest { try folder.write("0", to: file) }
        try run(keeping: Self.length)
        return file
    }

    /// Starts the stopped buffer, with the channels that are enabled; it keeps so many scans until they are read.
    func run(keeping scans: Int) throws(SystemError) {
        // Some buffers have a fixed length.
        try? folder.write("\(scans)", to: path + "/buffer/length")
        // Another program may have asked to be woken only once so many scans wait; some buffers have no such setting.
        try? folder.write("1", to: path + "/buffer/watermark")
        try folder.write("1", to: path + "/buffer/enable")
    }

    /// Stops the buffer.
    func stop() throws(SystemError) {
        try folder.write("0", to: path + "/buffer/enable")
    }

    /// Takes all channels out of the scans.
    func disableChannels() throws(SystemError) {
        for file in try switchFiles() { try folder.write("0", to: file.enable) }
    }

    /// For each channel, the file that includes it in the scans, and that with its index.
    private func switchFiles() throws(SystemError) -> [(enable: String, index: String)] {
        let folder = path + "/scan_elements"
        return try FileDescriptor.names(in: folder).compactMap { name in
            guard name.ends(with: "_en") else { return nil }
            let channel = String(Substring(name.utf8.dropLast(3)))
            return ("\(folder)/\(name)", "\(folder)/\(channel)_index")
        }
    }
}
