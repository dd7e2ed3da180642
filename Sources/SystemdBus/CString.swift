// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

/// Copies a string into memory that C can keep, until ``deallocate(_:)``.
func duplicate(_ string: String) -> UnsafeMutablePointer<CChar>? {
    strdup(string)
}

func deallocate(_ string: UnsafeMutablePointer<CChar>?) {
    free(string)
}
