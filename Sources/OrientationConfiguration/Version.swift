// SPDX-License-Identifier: Apache-2.0

/// The version of orientd and orientctl, which are built and installed together.
package enum Version {
    package static let current: StaticString = "0.1.0"
}
