// SPDX-License-Identifier: Apache-2.0

package import OrientationCore
import POSIX

/// What a configuration file configures.
package protocol Configurable: Hashable, Sendable, SendableMetatype {
    init()

    /// The program that reads the file, for messages.
    static var program: String { get }

    /// Every key of the file, by section.
    static var settings: [Setting<Self>] { get }
}

/// A key of a configuration file, with its documentation; `Target` is what the file configures.
package struct Setting<Target: Configurable>: Sendable {
    let section: String
    let key: String
    let type: SettingType<Target>
    /// What it does, in scdoc(5) markup.
    let help: String

    package init(_ section: String, _ key: String, _ type: SettingType<Target>, help: () -> String) {
        self.section = section
        self.key = key
        self.type = type
        self.help = help()
    }
}

/// The sections `[Application ID]` of a configuration file.
package enum Application {
    /// The placeholder for these sections in the manual.
    package static let section = "Application ID"

    /// The id in the name of an application's section, without blanks around it; nil for any other section.
    static func id(in section: String) -> String? {
        guard let rest = section.dropping(prefix: "Application") else { return nil }
        guard rest.utf8.first.map(isSpace) ?? true else { return nil }
        return String(Substring(trimmed(rest.utf8)))
    }
}

/// The values that a key accepts, and how they are stored.
package struct SettingType<Target: Configurable>: Sendable {
    /// Calls its second argument with one field of the configuration; Embedded Swift has no key paths.
    package typealias Field<Value> = @Sendable (inout Target, (inout Value) -> Void) -> Void

    /// The accepted values, for the manual and for messages.
    let values: String
    /// The default; nil if there is none.
    let standard: String?
    /// Stores a value for an application, or for all if its id is empty; false for an invalid value.
    let store: @Sendable (_ target: inout Target, _ text: String, _ application: String) -> Bool

    /// Values that `parse` accepts; it returns nil for all others.
    package static func value<Value>(
        _ values: String,
        standard: String,
        _ parse: @escaping @Sendable (String) -> Value?,
        _ field: @escaping Field<Value>
    ) -> SettingType<Target> {
        SettingType(values: values, standard: standard) { target, text, _ in
            guard let value = parse(text) else { return false }
            field(&target) { $0 = value }
            return true
        }
    }

    /// Values that `parse` accepts, and `auto`, which is stored as nil.
    package static func orAuto<Value>(
        _ values: String,
        _ parse: @escaping @Sendable (String) -> Value?,
        _ field: @escaping Field<Value?>
    ) -> SettingType<Target> {
        value("auto, \(values)", standard: "auto", { $0 == "auto" ? .some(nil) : parse($0).map { .some($0) } }, field)
    }

    package static func name<Value: NamedValue & SendableMetatype>(
        _ field: @escaping Field<Value>
    ) -> SettingType<Target> {
        var target = Target()
        var standard = ""
        field(&target) { standard = $0.name }
        return value(Value.choice, standard: standard, { Value(name: $0) }, field)
    }

    package static func nameOrAuto<Value: NamedValue & SendableMetatype>(
        _ field: @escaping Field<Value?>
    ) -> SettingType<Target> {
        orAuto(Value.choice, { Value(name: $0) }, field)
    }

    package static func boolean(_ field: @escaping Field<Bool>) -> SettingType<Target> {
        var target = Target()
        var standard = false
        field(&target) { standard = $0 }
        return value("yes or no", standard: standard ? "yes" : "no", isTrue, field)
    }

    /// Two words for a Boolean, the first of which is the default.
    package static func either(
        _ words: KeyValuePairs<String, Bool>,
        _ field: @escaping Field<Bool>
    ) -> SettingType<Target> {
        let names = words.map { $0.key }
        let parse: @Sendable (String) -> Bool? = { text in words.first { $0.key == text }?.value }
        return value(names.joined(separator: " or "), standard: names[0], parse, field)
    }

    package static func booleanOrAuto(_ field: @escaping Field<Bool?>) -> SettingType<Target> {
        orAuto("yes or no", isTrue, field)
    }

    /// The orientations of each application, in a section of its own.
    package static func applicationMask(
        _ field: @escaping Field<[String: InterfaceOrientationMask]>
    ) -> SettingType<Target> {
        SettingType(values: InterfaceOrientationMask.values, standard: nil) { target, text, application in
            guard let mask = InterfaceOrientationMask(text) else { return false }
            field(&target) { $0[application] = mask }
            return true
        }
    }

    /// Accepts the Booleans of systemd's configuration files.
    @Sendable private static func isTrue(_ text: String) -> Bool? {
        switch text {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}

extension InterfaceOrientationMask {
    /// The texts that a file may contain, for the manual and for messages.
    static let values = "all, all-but-upside-down, landscape, an orientation, or a comma-separated list of these"
}
