// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Copies a string into memory that C can keep, until ``deallocate(_:)``.
package func duplicate(_ string: String) -> UnsafeMutablePointer<CChar>? {
    strdup(string)
}

package func deallocate(_ string: UnsafeMutablePointer<CChar>?) {
    free(string)
}
