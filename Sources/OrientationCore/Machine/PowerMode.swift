// SPDX-License-Identifier: Apache-2.0

/// Whether an accelerometer is read less closely while the device rests.
public enum PowerMode: String, NamedValue {
    /// At rest the sensor reports motion, or is read more rarely.
    case auto
    /// Every reading counts, at rest as well.
    case responsive
}
