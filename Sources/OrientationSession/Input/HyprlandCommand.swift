// SPDX-License-Identifier: Apache-2.0

import OrientationConfiguration
import POSIX

/// The ways to set options of a device or a monitor in Hyprland.
enum HyprlandCommand {
    /// The request for a configuration in hyprlang, which sets one option.
    static func keyword(_ device: String, _ option: (String, String)) -> String {
        "/keyword device[\(device)]:\(option.0) \(option.1)"
    }

    /// The Lua script that sets options of a `device` or a `monitor`; all values but numbers are quoted.
    static func script(_ kind: String, _ name: (String, String), _ options: [(String, String)]) -> String {
        let fields = options.map { ", \($0.0) = \(number($0.1) == nil ? "\"\($0.1)\"" : $0.1)" }.joined()
        return "hl.\(kind)({ \(name.0) = \"\(name.1)\"\(fields) })"
    }

    /// Whether the name can be a part of both requests: it must not end a string or the device's name.
    static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !"\"\\[];".utf8.contains($0) }
    }

    /// Whether Hyprland's name of a device can stand for that of the kernel.
    ///
    /// Hyprland uses lower case, and hyphens for spaces, newlines and, in some versions, commas; a second device of
    /// that name gets a number.
    static func matches(_ name: String, _ kernelName: String) -> Bool {
        let name = normalized(name), kernelName = normalized(kernelName)
        guard name != kernelName else { return true }
        guard name.starts(with: kernelName) else { return false }
        let suffix = name.dropFirst(kernelName.count)
        let digits = suffix.dropFirst()
        return suffix.first == UInt8(ascii: "-") && !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    private static func normalized(_ name: String) -> [UInt8] {
        name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: ","): UInt8(ascii: "-")
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }
}
