// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The memory of the process.
package enum Heap {
    /// Gives memory that is free now back to the system; takes milliseconds for a heap of many megabytes.
    package static func trim() { orientd_return_memory() }
}
