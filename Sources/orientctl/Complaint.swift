// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

/// Writes one line on standard error, in one call, so that lines of several processes do not mix.
func complain(_ text: String) {
    let line = Array("orientctl: \(text)\n".utf8)
    // There is nobody left to tell when this fails.
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
