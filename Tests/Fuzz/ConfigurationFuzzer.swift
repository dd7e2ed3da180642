// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import POSIX

@testable import OrientationConfiguration
@testable import OrientationSession

/// The configuration files of orientd and of orient-agent, and desktop files, which are read by the same parser.
enum ConfigurationFuzzer {
    static func run(_ bytes: [UInt8]) {
        FuzzedFile.write(bytes)
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        let settings = read(Configuration.self, lines)
        precondition((1...1000).contains(settings.rate))
        precondition(settings.machine.supportedOrientations?.isValid ?? true)
        precondition(settings.machine.applicationMasks.allSatisfy { !$0.key.isEmpty && $0.value.isValid })
        let agent = read(AgentConfiguration.self, lines)
        precondition(agent.hookTimeout >= 0 && agent.hookTimeout.isFinite)
        precondition(agent.applicationMasks.allSatisfy { !$0.key.isEmpty && $0.value.isValid })
        if let mask = DesktopFile.orientations(in: bytes) { precondition(mask.isValid && mask != .all) }
    }

    private static func read<Target: Configurable>(_: Target.Type, _ lines: Int) -> Target {
        let reader = ConfigurationReader<Target>()
        do throws(SystemError) {
            try reader.read(FuzzedFile.path, isRequired: true)
        } catch {
            fatalError("\(error)")
        }
        precondition(reader.warnings.count <= min(lines, 101) && reader.assignments.count <= lines)
        precondition(reader.warnings.prefix(100).allSatisfy { $0.hasPrefix(FuzzedFile.path + ":") })
        precondition(reader.warnings.allSatisfy { $0.utf8.count <= 420 })
        return reader.configuration
    }
}
