// SPDX-License-Identifier: Apache-2.0

import CIIO
import CLinux
import OrientationCore
import POSIX

/// A snapshot of the IIO devices of another machine, reached by network or USB through libiio.
///
/// Devices that come later are not in it: make a new one. Every call can block: for 2 s, and for libiio's 5 s while one
/// is made. libiio stays loaded afterwards.
// Sendable unchecked: one thread at a time uses it, the helper of the other machine, or that of the scan.
package final class IIOContext: @unchecked Sendable {
    /// As `0.24`; empty if libiio is not installed.
    package static var libraryVersion: String { String(cString: orientd_libiio_version()) }

    /// Silences libiio, and whatever else writes to standard error through stdio.
    package static func silenceLibrary() { orientd_silence_libiio() }

    private let uri: String

    /// Whether the connection is lost; every call fails then, until a new context is made.
    private var isDisconnected = false
    private let handle: OpaquePointer

    /// Opens `ip:HOST` or `usb:…`, as libiio writes them; throws for a machine that cannot be reached.
    ///
    /// The process ignores SIGPIPE once a context was opened.
    init(uri: String) throws(SystemError) {
        self.uri = uri
        guard orientd_load_libiio() else { throw SystemError("load", "libiio.so.0", errno: .current) }
        guard let context = orientd_iio_create_context_from_uri(uri) else {
            throw SystemError("open", uri, errno: .current)
        }
        handle = context
        try check("set the timeout of", uri, orientd_iio_context_set_timeout(context, 2000))
    }

    deinit { orientd_iio_context_destroy(handle) }

    /// The sensors of those kinds, in libiio's order of devices, with warnings about each.
    ///
    /// Reads their attributes, so it can block. Gives warnings and defaults for a device that disappears meanwhile;
    /// throws when the connection is lost.
    func sensors(of kinds: [SensorKind], _ progress: DescriptionProgress) throws(SystemError) -> FoundSensors {
        var found = FoundSensors()
        for index in 0..<orientd_iio_context_get_devices_count(handle) {
            guard let pointer = orientd_iio_context_get_device(handle, index), !orientd_iio_device_is_trigger(pointer)
            else { continue }
            device(pointer, progress).addSensors(of: kinds, to: &found)
        }
        try checkConnection("read the devices of", uri)
        return found
    }

    private func device(_ device: OpaquePointer, _ progress: DescriptionProgress) -> IIODevice {
        var files: [String: IIOAttribute.Remote] = [:]
        for index in 0..<orientd_iio_device_get_attrs_count(device) {
            guard let name = orientd_iio_device_get_attr(device, index) else { continue }
            files[String(cString: name)] = IIOAttribute.Remote(
                context: self,
                read: { orientd_iio_device_attr_read(device, name, $0, $1) },
                write: { orientd_iio_device_attr_write_raw(device, name, $0, $1) }
            )
        }
        for index in 0..<orientd_iio_device_get_channels_count(device) {
            guard let channel = orientd_iio_device_get_channel(device, index) else { continue }
            for index in 0..<orientd_iio_channel_get_attrs_count(channel) {
                guard let name = orientd_iio_channel_get_attr(channel, index) else { continue }
                let file = text(orientd_iio_channel_attr_get_filename(channel, name)) ?? ""
                files[file] = IIOAttribute.Remote(
                    context: self,
                    read: { orientd_iio_channel_attr_read(channel, name, $0, $1) },
                    write: { orientd_iio_channel_attr_write_raw(channel, name, $0, $1) }
                )
            }
        }
        let id = text(orientd_iio_device_get_id(device)) ?? ""
        return IIODevice(
            id: id,
            name: text(orientd_iio_device_get_name(device)) ?? "",
            label: text(orientd_iio_device_get_label(device)),
            path: uri + "/" + id,
            files: files,
            progress
        )
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
        switch reason.code {
        case EINVAL, EACCES, EPERM, EBUSY, ENODEV, ENOENT, ENOSYS, EOPNOTSUPP, ERANGE: break
        default: isDisconnected = true
        }
        throw SystemError(operation(), subject, errno: reason)
    }
}

/// A string of libiio, or nil for NULL.
private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
