// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Copies a string into memory that C can keep, until ``deallocate(_:)``.
package func duplicate(_ string: String) -> UnsafeMutablePointer<CChar>? {
    strdup(string)
}

package func deallocate(_ string: UnsafeMutablePointer<CChar>?) {
    free(string)
}

/// The number at the start of a text as strtod(3) reads it, and its end; nil where there is none.
///
/// No program here sets a locale, so the decimal point is a point.
package func scanNumber(_ text: UnsafePointer<CChar>) -> (value: Double, end: UnsafePointer<CChar>)? {
    var end: UnsafeMutablePointer<CChar>?
    let value = strtod(text, &end)
    guard let end, end != text else { return nil }
    return (value, UnsafePointer(end))
}
