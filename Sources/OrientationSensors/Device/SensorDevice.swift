// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
package import POSIX

/// A sensor that a scan has found: of IIO, of the input subsystem or of a platform device.
///
/// Every call can block, for seconds on a hung chip, so the device's helper makes it.
package protocol SensorDevice: AnyObject, Sendable {
    var description: SensorDescription { get }

    /// Its directory, with the files of its settings.
    var folder: DeviceFolder { get }

    /// What was wrong at discovery, each one line that names the file or property and its value.
    var warnings: [String] { get }

    /// Reads the values once: raw, for the scaling of `description`.
    func read() throws(SystemError) -> Vector3

    /// Becomes readable when the values may have changed, from the first reading on; nil where nothing tells.
    var changeDescriptor: Int32? { get }

    /// Forgets the changes that ``changeDescriptor`` has announced.
    func forgetChanges()

    /// Closes what reading has opened, until it is read again.
    func endReading()

    /// Opens the buffer, with the device's trigger where it has one, and starts it.
    func openBuffer() throws(SystemError) -> any SensorBuffer

    /// Stops the buffer that a crash left running; throws EBUSY while another program has it open.
    func stopBuffer() throws(SystemError)

    /// Raises a rate below `minimum` Hz to the smallest offered that is not, and enables the channels of scans.
    func prepare(atLeast minimum: Double) throws(SystemError)

    /// The files of a setting as they are now; none where the sensor has no such setting.
    func settings(_ setting: SensorSetting) throws(SystemError) -> [FoundSetting]

    /// Writes a setting as it was found, that of another sensor of the device included, if it still is ours.
    func restore(_ setting: FoundSetting) throws(SystemError)

    /// Raises a lower rate to the smallest offered of at least `target` Hz, else the highest; returns what it is then.
    ///
    /// Never lowers it: another program may have set it. Nil where it has no such setting.
    func setSamplingFrequency(atLeast target: Double) throws(SystemError) -> Double?

    /// Asks for a change sensitivity in m/s², and returns the one that the sensor has then.
    func setChangeSensitivity(_ change: Double) throws(SystemError) -> Double
}

/// The defaults of a sensor that is only polled or only has a buffer, at a rate of its own.
extension SensorDevice {
    package var folder: DeviceFolder { DeviceFolder(description.sysfsPath) }
    package var changeDescriptor: Int32? { nil }
    package func forgetChanges() {}
    package func endReading() {}
    package func stopBuffer() throws(SystemError) {}
    package func prepare(atLeast minimum: Double) throws(SystemError) {}
    package func settings(_ setting: SensorSetting) throws(SystemError) -> [FoundSetting] { [] }
    package func restore(_ setting: FoundSetting) throws(SystemError) {}
    package func setSamplingFrequency(atLeast target: Double) throws(SystemError) -> Double? { nil }

    package func read() throws(SystemError) -> Vector3 {
        throw SystemError("poll", description.id, errno: .notSupported)
    }

    package func openBuffer() throws(SystemError) -> any SensorBuffer {
        throw SystemError("open the buffer of", description.sysfsPath, errno: .notSupported)
    }

    package func setChangeSensitivity(_ change: Double) throws(SystemError) -> Double {
        throw SystemError("set the sensitivity of", description.sysfsPath, errno: .notSupported)
    }
}

/// A setting that is changed while a sensor is read.
package enum SensorSetting {
    /// The sampling rate.
    case rate
    /// The change in m/s² since its last report below which the sensor makes none; 0 where it makes all.
    case sensitivity
}

/// The running buffer of a device, until it is closed.
///
/// Opening and closing can block for seconds on a hung chip; `next()` never does.
package protocol SensorBuffer: AnyObject, Sendable {
    /// What went wrong when it was opened, each one line.
    var warnings: [String] { get }

    /// Becomes readable when a scan has come; nil where there is none to wait for.
    var pollDescriptor: Int32? { get }

    /// The next scan, or nil when none has come yet.
    ///
    /// Throws ENODEV for an unplugged device, EBADMSG for a scan that is cut short.
    func next() throws(SystemError) -> RawScan?

    /// Makes the kernel keep so many scans, or more, until they are read; those that come meanwhile are lost.
    ///
    /// Can block as opening does, and nothing may be read meanwhile.
    func extend(to scans: Int) throws(SystemError)

    /// Tells how closely it is read from now on, so that a sensor at rest can send less; never blocks.
    func sense(_ sensing: Sensing)

    /// Stops; nothing can be read any more.
    func close()
}

/// The defaults of a buffer that is long enough, at a rate that does not change.
extension SensorBuffer {
    package func extend(to scans: Int) throws(SystemError) {}
    package func sense(_ sensing: Sensing) {}
}

/// One scan of a sensor's buffer.
package struct RawScan: Hashable, Sendable {
    /// Raw values, for the scaling of the sensor's description.
    package var raw: Vector3

    /// The kernel's stamp, in seconds of CLOCK_MONOTONIC; nil where it has none that can be trusted.
    package var time: Double?
}
