// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Calls `body` with an array of C strings that ends with a null pointer, as execv(3) takes it.
@discardableResult
package func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var array = strings.map { strdup($0) } + [nil]
    defer { for string in array { free(string) } }
    return body(&array)
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
