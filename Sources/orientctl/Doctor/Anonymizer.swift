// SPDX-License-Identifier: Apache-2.0

import CLinux
import CommandLineOptions
import POSIX

/// Removes from texts what identifies the machine or its users.
struct Anonymizer {
    private let secrets: [(text: [UInt8], substitute: [UInt8])]

    /// Replaces each of the secrets where it is a whole word, in upper or lower case.
    init(_ secrets: [(text: String, substitute: String)]) {
        // The longest first: the path of a home folder contains the user's name.
        self.secrets = secrets.filter { !$0.text.isEmpty }.sorted { $0.text.utf8.count > $1.text.utf8.count }
            .map { (Array($0.text.utf8), Array($0.substitute.utf8)) }
    }

    /// Creates one for this machine's name, current users, home folders, serial numbers and identifiers.
    static func ofThisMachine(besides others: [(text: String, substitute: String)] = []) -> Anonymizer {
        var secrets = others
        for user in users {
            secrets.append((user.name, "<user>"))
            if !["", "/", "/root", "/nonexistent"].contains(user.home) { secrets.append((user.home, "<home>")) }
        }
        let host = firstLine(of: "/proc/sys/kernel/hostname") ?? ""
        let firstLabel = host.utf8.split(separator: UInt8(ascii: ".")).first.map { String(Substring($0)) } ?? ""
        secrets += [(host, "<host>"), (firstLabel, "<host>")]
        let identity = ["/etc/machine-id", "/proc/sys/kernel/random/boot_id"]
        let numbers = ["product_serial", "product_uuid", "board_serial", "chassis_serial", "chassis_asset_tag"]
        for path in identity + numbers.map({ "/sys/class/dmi/id/" + $0 }) {
            if let number = firstLine(of: path) { secrets.append((number, "<serial>")) }
        }
        return Anonymizer(secrets.filter { !impersonal.contains($0.text) })
    }

    /// Common values of those that identify nobody.
    private static let impersonal: Set<String> = ["root", "orientd", "localhost", "None", "Default string", "0"]

    private static var users: [(name: String, home: String)] {
        let names = ["USER", "LOGNAME", "SUDO_USER"].compactMap(environment)
        let accounts = [getpwuid(getuid()).map(user)] + names.map { getpwnam($0).map(user) }
        return [(name: "", home: environment("HOME") ?? "")] + names.map { (name: $0, home: "") }
            + accounts.compactMap { $0 }
    }

    private static func user(_ entry: UnsafeMutablePointer<passwd>) -> (name: String, home: String) {
        (String(cString: entry.pointee.pw_name), String(cString: entry.pointee.pw_dir))
    }

    func cleaned(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        var result: [UInt8] = []
        while let first = rest.first {
            let isWord = !(result.last.map(Self.isPartOfWord) ?? false) || !Self.isPartOfWord(first)
            if isWord, let secret = secrets.first(where: { Self.isSecret($0.text, at: rest) }) {
                result += secret.substitute
                rest = rest.dropFirst(secret.text.count)
            } else if isWord, let beginning = Self.beginnings.first(where: { rest.starts(with: $0.text) }) {
                let name = rest.dropFirst(beginning.text.count).prefix { !beginning.ends.contains($0) }
                result += beginning.text + (name.isEmpty ? [] : beginning.substitute)
                rest = rest[name.endIndex...]
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isSecret(_ secret: [UInt8], at text: ArraySlice<UInt8>) -> Bool {
        text.count >= secret.count && zip(text, secret).allSatisfy { lowercase($0) == lowercase($1) }
            && !(text.dropFirst(secret.count).first.map(isPartOfWord) ?? false)
    }

    /// Texts before a name that is removed in any case, and the characters that end the name.
    private static let beginnings = [
        ("/home/", "<user>", " /\"':;,)"), ("/orientd.conf.d/", "<file>", " /\"':;,)"),
        // libiio's addresses of other machines; those of IPv6 contain colons.
        ("ip:", "<address>", " /\"';,)"), ("usb:", "<address>", " /\"':;,)"),
    ].map { (text: Array($0.utf8), substitute: Array($1.utf8), ends: Array($2.utf8)) }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        let letter = lowercase(byte)
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) || isDigit(byte) || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }
}
