// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import OrientationCore
import POSIX

@testable import OrientationConfiguration
@testable import OrientationSensors
@testable import OrientationSession

/// The files that the programs write for themselves: the saved state, the restore point, the settings of a device.
enum StateFuzzer {
    static func run(_ bytes: [UInt8]) {
        do throws(SavedState.TextError) {
            let state = try SavedState(text: bytes)
            precondition(Array(state.text.utf8) == bytes)
        } catch {
            // The daemon quotes that line.
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            precondition(lines.indices.contains(error.line - 1))
        }
        if let json = try? JSONValue(bytes), let point = RestorePoint(json) {
            var rotation = PanelRotation(mayPlaceAutomatically: false, leftover: point)
            _ = rotation.handle(.outputsReported(point.outputs), at: 0)
            for transform in [.rotated90, .normal, .rotated270] as [OutputTransform] {
                _ = rotation.handle(.goalSet(.transform(transform), isCommand: false), at: 0)
            }
            _ = rotation.handle(.goalSet(.baseline, isCommand: false), at: 0)
        }
        if case .settings(let settings) = SettingsFile.contents(bytes, of: DeviceFolder("")) {
            precondition(
                settings.allSatisfy {
                    !$0.file.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
                }
            )
        }
    }
}
