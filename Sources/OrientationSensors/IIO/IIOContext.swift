// SPDX-License-Identifier: Apache-2.0

import CIIO
import CLinux
import OrientationCore
import POSIX
import SystemdBus

/// A snapshot of the IIO devices of this machine, or of one reached by network or USB.
///
/// Devices that come later are not in it: make a new one. Every call can block: on a hung chip for seconds, on a
/// network for 2 s, and for libiio's 5 s while one is made. libiio is unloaded with the last context of this machine,
/// whose sensors do not need it; after another machine was looked for it stays loaded.
// Sendable unchecked: one thread at a time uses it, the helper of another machine, or the scan of this one and then the
// loop, which releases it.
package final class IIOContext: @unchecked Sendable {
    /// As `0.24`; empty if libiio is not installed.
    package static var libraryVersion: String { String(cString: orientd_libiio_version()) }

    /// Silences libiio, and whatever else writes to standard error through stdio.
    package static func silenceLibrary() { orientd_silence_libiio() }

    private let uri: String

    /// Whether the devices are this machine's: only these have device nodes, buffers to poll and udev.
    let isLocal: Bool

    /// Whether the connection to another machine is lost; every call fails then, until a new context is made.
    private var isDisconnected = false

    // Nil where there are no devices; libiio is loaded for any other.
    private let handle: OpaquePointer?

    /// Opens `local:`, `ip:HOST` or `usb:…`, as libiio writes them.
    ///
    /// A kernel without IIO gives an empty local context. Throws for another machine that cannot be reached. The
    /// process ignores SIGPIPE once another machine's context was opened.
    init(uri: String) throws(SystemError) {
        self.uri = uri
        let isLocal = uri == "local:"
        self.isLocal = isLocal
        if isLocal, try Device.all(inSubsystem: "iio").isEmpty {
            handle = nil
            return
        }
        guard orientd_load_libiio() else { throw SystemError("load", "libiio.so.0", errno: .current) }
        guard let context = orientd_iio_create_context_from_uri(uri) else {
            let reason = Errno.current
            if isLocal { orientd_unload_libiio() }
            throw SystemError("open", uri, errno: reason)
        }
        handle = context
        if !isLocal {
            try check("set the timeout of", uri, orientd_iio_context_set_timeout(context, 2000))
        }
    }

    deinit {
        guard let handle else { return }
        orientd_iio_context_destroy(handle)
        // Where it has looked for another machine, libdbus, which does that for Avahi, would leave 3 kB each time.
        if isLocal { orientd_unload_libiio() }
    }

    /// The sensors of those kinds, in libiio's order of devices, with warnings about each.
    ///
    /// Reads their attributes, so it can block. Gives warnings and defaults for a device that disappears meanwhile;
    /// throws when the connection is lost.
    func sensors(of kinds: [SensorKind]) throws(SystemError) -> FoundSensors {
        var found = FoundSensors()
        for device in devices where !device.isTrigger && (!isLocal || device.udev != nil) {
            add(kinds, of: device, to: &found)
        }
        try checkConnection("read the devices of", uri)
        return found
    }

    private func add(_ kinds: [SensorKind], of device: IIODevice, to found: inout FoundSensors) {
        let channels = device.channels
        let inputs = channels.filter { $0.isInput && $0.hasValue }
        let offered = SensorKind.allCases.compactMap { kind in kind.channels(among: inputs).map { (kind, $0) } }
        if device.name == "hinge", kinds.contains(.hinge), !offered.contains(where: { $0.0 == .hinge }) {
            found.warnings.append(device.path + ": none of its angles has the label hinge, not used")
        }
        for (kind, measuring) in offered where kinds.contains(kind) {
            let sensor = IIOSensor(
                kind,
                of: device,
                channels: measuring,
                among: channels,
                // A device has one buffer, and while that runs its values cannot be polled.
                mayBuffer: offered.count == 1,
                warnings: &found.warnings
            )
            if let sensor { found.sensors.append(sensor) }
        }
    }

    /// All devices and triggers.
    var devices: [IIODevice] {
        guard let handle else { return [] }
        return (0..<orientd_iio_context_get_devices_count(handle)).compactMap { index in
            orientd_iio_context_get_device(handle, index).map { device in
                let id = text(orientd_iio_device_get_id(device)) ?? ""
                let udev = isLocal ? try? Device(subsystem: "iio", name: id) : nil
                let path = isLocal ? udev?.syspath ?? "/sys/bus/iio/devices/" + id : uri + "/" + id
                return IIODevice(pointer: device, context: self, udev: udev, folder: DeviceFolder(path))
            }
        }
    }

    // MARK: - The connection to another machine

    /// Throws ENOTCONN when the connection is lost.
    func checkConnection(_ operation: @autoclosure () -> String, _ subject: String) throws(SystemError) {
        guard !isDisconnected else { throw SystemError(operation(), subject, errno: Errno(ENOTCONN)) }
    }

    /// Checks what a call returned, and gives up the connection where the failure may be its own.
    ///
    /// libiio 0.24 does not match answers to calls: after one that came too late, each call gets the answer to the
    /// previous one, and x reads as z. Only errors that the other machine's kernel may have returned keep it in use.
    func checkAnswer(_ operation: @autoclosure () -> String, _ subject: String, _ result: Int) throws(SystemError) {
        guard result < 0 else { return }
        let reason = Errno(Int32(truncatingIfNeeded: result))
        if !isLocal {
            switch reason.code {
            case EINVAL, EACCES, EPERM, EBUSY, ENODEV, ENOENT, ENOSYS, EOPNOTSUPP, ERANGE: break
            default: isDisconnected = true
            }
        }
        throw SystemError(operation(), subject, errno: reason)
    }
}
