// SPDX-License-Identifier: Apache-2.0

import PrivateBus
import SystemdBus
import Testing

private let name = "org.example.Options"

/// Options of different types, sent to a method.
@Suite struct BusVariantTests {
    private let peers: Peers

    init() throws {
        peers = try Peers()
    }

    /// Calls the method and returns what it has read.
    private func read(_ options: @escaping (BusMessage) -> Void) throws -> [String] {
        var values: [String] = []
        let interface = BusInterface(name)
        interface.method("Take", "a{sv}u") { message throws(BusError) in
            try message.readNamedVariants { option throws(BusError) in
                do throws(BusError) {
                    values.append("\(option)=\(try Self.value(of: option, in: message))")
                } catch {
                    throw .invalidArguments("\(option): \(error.message)")
                }
            }
            values.append("\(try message.readUInt32())")
            message.reply()
        }
        let slot = try peers.service.export(interface, at: Peers.path)
        defer { withExtendedLifetime(slot) {} }
        _ = try peers.call(name, "Take") { message in
            message.appendArray("{sv}") { options(message) }
            message.append(UInt32(7))
        }
        return values
    }

    private static func value(of option: String, in message: BusMessage) throws(BusError) -> String {
        switch option {
        case "string": return try message.readTextVariant()
        case "texts": return try message.readAnyVariant().text
        case "path": return try message.readAnyVariant().text
        case "bool": return "\(try message.readVariant("b") { () throws(BusError) in try message.readBool() })"
        case "number": return "\(try message.readVariant("u") { () throws(BusError) in try message.readUInt32() })"
        case "double": return "\(try message.readVariant("d") { () throws(BusError) in try message.readDouble() })"
        default:
            try message.skip()
            return "skipped"
        }
    }

    @Test func `options of every type are read in the order sent, and what follows them`() throws {
        let values = try read { message in
            message.append(option: "double", "d") { message.append(-0.5) }
            message.append(option: "bool", "b") { message.append(true) }
            message.append(option: "unknown", "as") { message.appendArray("s") { message.append("text") } }
            message.append(option: "path", "o") { message.append(objectPath: "/a/b") }
            message.append(option: "number", "u") { message.append(UInt32.max) }
            message.append(option: "string", "s") { message.append("▲") }
            message.append(option: "bool", "b") { message.append(false) }
        }
        #expect(
            values == [
                "double=-0.5", "bool=true", "unknown=skipped", "path=/a/b", "number=4294967295", "string=▲",
                "bool=false", "7",
            ]
        )
    }

    @Test func `options that are appended by value are read as such`() throws {
        let values = try read { message in
            message.appendNamedVariant("number", .number(5))
            message.appendNamedVariant("path", .path("/a"))
            message.appendNamedVariant("string", "")
            message.appendNamedVariant("bool", .flag(true))
            message.appendNamedVariant("double", .decimal(0.25))
            message.appendNamedVariant("texts", .texts(["a", "b c"]))
            message.appendNamedVariant("texts", .texts([]))
        }
        #expect(
            values == ["number=5", "path=/a", "string=", "bool=true", "double=0.25", "texts=a,b c", "texts=", "7"]
        )
    }

    @Test func `an empty dictionary has no entries`() throws {
        #expect(try read { _ in } == ["7"])
    }

    static let mistakes: [(option: String, type: String)] = [
        ("string", "o"), ("bool", "u"), ("number", "b"), ("double", "u"), ("string", "as"),
        ("bool", "v"),
    ]

    @Test(arguments: mistakes.indices)
    func `an option of another type is InvalidArgs that names both types`(index: Int) throws {
        let (option, type) = Self.mistakes[index]
        let error = #expect(throws: BusError.self) {
            _ = try read { message in
                message.append(option: "unknown", "s") { message.append("text") }
                message.append(option: option, type) { message.append(anyOf: type) }
                message.append(option: "string", "s") { message.append("text") }
            }
        }
        let expected = ["string": "s", "bool": "b", "number": "u", "double": "d"][option] ?? ""
        #expect(error == .invalidArguments("\(option): the value is of type \(type), not \(expected)"))
        // The same connection's next call succeeds.
        #expect(try read { _ in } == ["7"])
    }
}

extension BusMessage {
    fileprivate func append(option: String, _ type: String, _ value: () -> Void) {
        appendDictionaryEntry("sv") {
            append(option)
            appendVariant(type, value)
        }
    }

    /// Appends some value of `type`.
    fileprivate func append(anyOf type: String) {
        switch type {
        case "o": append(objectPath: "/a")
        case "s": append("text")
        case "b": append(true)
        case "u": append(UInt32(1))
        case "as": appendArray("s") { append("text") }
        default: appendVariant("s") { append("text") }
        }
    }
}
