// SPDX-License-Identifier: Apache-2.0

import CSystemd
import OrientationBus
import OrientationCore
import POSIX
import PrivateBus

@testable import SystemdBus

/// Calls of one client to the objects of the service, over a real bus, with answers of polkit of any kind.
///
/// An input is a sequence of calls: an object, a method and arguments, of the right types or of others. After each
/// input the client leaves; then nothing of it may be left.
enum BusFuzzer {
    nonisolated(unsafe) private static let service: FuzzedService = {
        do {
            return try FuzzedService()
        } catch {
            fatalError("\(error)")
        }
    }()

    static func run(_ bytes: [UInt8]) {
        do {
            try service.serve(FuzzedBytes(bytes))
        } catch {
            fatalError("\(error)")
        }
    }
}

/// The objects of the daemon over a machine without sensors, polkit, and a client, on one loop.
private final class FuzzedService: MachineHost {
    private struct Method {
        let path: String
        let interface: String
        let member: String
        let signature: String
    }

    private static let requestPath = "/org/orientd1/request/"
    private static let proxyPath = "/net/hadess/SensorProxy"
    private static let proxyName = "net.hadess.SensorProxy"
    private static let properties = "org.freedesktop.DBus.Properties"

    private static let methods: [Method] = {
        var methods: [Method] = []
        func add(_ path: String, _ interface: String, _ members: [(String, String)]) {
            for (member, signature) in members {
                methods.append(Method(path: path, interface: interface, member: member, signature: signature))
            }
        }
        add(
            Names.path,
            Names.manager,
            [
                ("Request", "sua{sv}"), ("Request", "sua{sv}"), ("Request", "sua{sv}"), ("Claim", ""), ("Release", ""),
                ("SetRotationLock", "s"), ("SetAutorotate", "s"), ("Rotate", "s"), ("AlignToDevice", ""),
                ("SetTabletMode", "s"),
                ("SetApplicationMask", "su"), ("SetApplicationOrientations", "sas"), ("ListRequests", ""),
            ]
        )
        let request = [("Update", "a{sv}"), ("Update", "a{sv}"), ("SetNeedsUpdate", ""), ("Release", "")]
        add(requestPath, Names.request, request)
        let kinds = ["Accelerometer", "Light", "Proximity"]
        add(proxyPath, proxyName, kinds.flatMap { [("Claim" + $0, ""), ("Release" + $0, "")] })
        add(proxyPath + "/Compass", proxyName + ".Compass", [("ClaimCompass", ""), ("ReleaseCompass", "")])
        for path in [Names.path, requestPath, proxyPath] {
            add(path, properties, [("Get", "ss"), ("GetAll", "s"), ("Set", "ssv")])
        }
        add(Names.path, "org.freedesktop.DBus.ObjectManager", [("GetManagedObjects", "")])
        add(Names.path, "org.freedesktop.DBus.Introspectable", [("Introspect", "")])
        return methods
    }()

    private static let texts = [
        "auto", "laptop", "tablet",
        "", "off", "current", "portrait", "landscape", "portrait-upside-down", "landscape-left", "landscape-right",
        "all", "always", "never", "tablet-mode", "push", "modal", "split", "none", "org.example.App", "supported",
        "preferred", "should-autorotate", "presentation", "parent", "forwards-to", "active", "reason", "left-up",
        Names.manager, Names.request, proxyName, "RotationLock", "Gravity", "AppId", "Claims", "/", Names.path,
        String(repeating: "x", count: 255), String(repeating: "y", count: 1025),
    ]

    private let privateBus: PrivateBus
    private let loop: EventLoop
    private let bus: Bus
    private let polkit: Bus
    private var polkitSlot: BusSlot?
    private var manager: ManagerObject?
    private var proxy: SensorProxyObject?
    private let clients: Clients
    private var machine = OrientationMachine(MachineConfiguration(), saved: nil, at: 0)
    private var time = 0.0

    private var input = FuzzedBytes([])
    private var held: [BusMessage] = []
    private var outstanding = 0
    private var proxyClaims: [SensorKind: Int] = [:]
    private var decisions: UInt8 = 0

    private var hasFirstAnswer = true

    init() throws {
        privateBus = try PrivateBus()
        loop = try EventLoop()
        bus = try privateBus.connect(loop)
        polkit = try privateBus.connect(loop)
        let authority = try PolkitAuthority(bus: bus, loop: loop, limitError: Names.limitError) {}
        clients = Clients(on: bus, authority: authority)
        manager = try ManagerObject(
            bus: bus,
            loop: loop,
            version: "0",
            status: machine.status,
            clients: clients,
            host: self
        )
        proxy = try SensorProxyObject(bus: bus, loop: loop, clients: clients) { [unowned(unsafe) self] in
            proxyClaims[$0] = $1.count
            if $0 == .accelerometer { deliver(.proxyClaims($1)) }
        }
        let interface = BusInterface(Polkit.interface)
        interface.method("CheckAuthorization", "(sa{sv})sa{ss}us", returns: "(bba{ss})") { [unowned(unsafe) self] in
            decide($0)
        }
        polkitSlot = try polkit.export(interface, at: Polkit.path)
        try polkit.own(Polkit.service, replacing: false)
        try bus.own(Names.service, replacing: false)
    }

    // MARK: - The daemon

    func deliver(_ event: Event, completion: ((Effects) -> Void)?) {
        time += 1
        var effects = machine.handle(event, at: time)
        effects.hasFirstAnswer = hasFirstAnswer
        manager?.publish(effects)
        completion?(effects)
    }

    // MARK: - Polkit

    private func decide(_ message: BusMessage) {
        switch decisions % 8 {
        case 0, 1, 2, 3: answer(message)
        case 4: held.append(message)
        case 5: answer(message, isChallenge: true)
        case 6: message.reply(BusError("org.freedesktop.PolicyKit1.Error.Failed", "no"))
        default: answer(message, isAllowed: false, isChallenge: decisions & 8 != 0)
        }
    }

    private func answer(_ message: BusMessage, isAllowed: Bool = true, isChallenge: Bool = false) {
        message.reply { reply in
            reply.appendStruct("bba{ss}") {
                reply.append(isAllowed)
                reply.append(isChallenge)
                reply.appendArray("{ss}") {}
            }
        }
    }

    // MARK: - The client

    /// Makes the calls of an input, waits for all answers, and leaves.
    func serve(_ bytes: FuzzedBytes) throws {
        input = bytes
        do {
            let client = try privateBus.connect(loop)
            var calls = 0
            while !input.isEmpty, calls < 64 {
                calls += 1
                switch input.number(below: 16) {
                case 0: decisions = input.byte()
                case 1:
                    hasFirstAnswer = input.byte() & 1 == 0
                    answerIfKnown()
                case 2: try loop.run { outstanding == held.count || !hasFirstAnswer }
                case 3: publish()
                case 4: deliver(input.pick([.lid(isClosed: true), .lid(isClosed: false), .sleep, .wake]))
                case 5: deliver(.tabletSwitch(input.pick([.tablet, .laptop, .unknown])))
                case 6: deliver(.hingeSensor(SensorReport(state: .sampling, isPresent: input.byte() & 1 == 0)))
                case 7: deliver(.hingeAngle(Double(input.byte()) * 2))
                default: call(over: client)
                }
            }
            hasFirstAnswer = true
            decisions = 0
            try loop.runWhatIsDue()
            for message in held { answer(message) }
            held = []
            try loop.run {
                answerIfKnown()
                return outstanding == 0
            }
            withExtendedLifetime(client) {}
        }
        // The client has left.
        try loop.run {
            machine.policy.requests.isEmpty && machine.status.claims == 0 && proxyClaims.allSatisfy { $0.value == 0 }
                && clients.count == 0
        }
    }

    private func answerIfKnown() {
        var effects = Effects()
        effects.hasFirstAnswer = hasFirstAnswer
        manager?.publish(effects)
        proxy?.publish(effects)
        for kind in SensorKind.allCases { proxy?.setPresence(of: kind, true, isRead: hasFirstAnswer) }
    }

    private func publish() {
        proxy?.setPresence(of: .accelerometer, input.byte() & 1 != 0, isRead: hasFirstAnswer)
        proxy?.publish([.text("lux"), .decimal(Double(bitPattern: input.word()))], of: .ambientLight)
        var effects = Effects()
        effects.hasFirstAnswer = hasFirstAnswer
        effects.proxied.edge = input.pick([.unknown, .portrait, .landscapeLeft])
        proxy?.publish(effects)
    }

    private func call(over client: Bus) {
        let method = input.pick(Self.methods)
        let choice = input.byte()
        let path = method.path == Self.requestPath ? requestPath(choice) : method.path
        let signature = choice & 0xe0 == 0xe0 ? randomSignature() : method.signature
        outstanding += 1
        // It completes at once with text that is not UTF-8, or with a path that is none.
        client.callLater(
            Names.service,
            path,
            method.interface,
            method.member,
            isInteractive: choice & 16 != 0,
            timeout: 60
        ) { call in
            append(Array(signature.utf8)[...], to: call)
        } completion: { [unowned(unsafe) self] _ in
            outstanding -= 1
        }
    }

    /// A request of the client, or another one.
    private func requestPath(_ choice: UInt8) -> String {
        let requests = machine.policy.requests
        let id = requests.isEmpty ? UInt32(choice) : requests[Int(choice) % requests.count]
        return Self.requestPath + "\(choice & 15 == 15 ? id &+ 1 : id)"
    }

    // MARK: - Arguments

    private func randomSignature() -> String {
        (0..<input.number(below: 4)).map { _ in randomType(depth: 0) }.joined()
    }

    private func randomType(depth: Int) -> String {
        let kind = input.number(below: depth < 3 ? 20 : 13)
        switch kind {
        case 13: return "v"
        case 14, 15: return "a" + randomType(depth: depth + 1)
        case 16, 17: return "(" + randomType(depth: depth + 1) + randomType(depth: depth + 1) + ")"
        case 18: return "a{s" + randomType(depth: depth + 1) + "}"
        case 19: return "a{sv}"
        default: return String(Array("ybnqiuxtdsogh")[kind])
        }
    }

    /// Appends values of these types.
    private func append(_ types: ArraySlice<UInt8>, to message: BusMessage) {
        var rest = types
        while !rest.isEmpty {
            let type = rest.prefix(Self.length(ofFirst: rest))
            rest = rest.dropFirst(type.count)
            appendOne(type, to: message)
        }
    }

    private func appendOne(_ type: ArraySlice<UInt8>, to message: BusMessage) {
        let contents = type.dropFirst()
        switch type.first {
        case UInt8(ascii: "s"): message.append(text())
        case UInt8(ascii: "o"): message.append(objectPath: input.byte() & 1 == 0 ? requestPath(input.byte()) : "/")
        case UInt8(ascii: "g"): appendText(SD_BUS_TYPE_SIGNATURE, input.pick(["", "a{sv}", "s"]), to: message)
        case UInt8(ascii: "b"): message.append(input.byte() & 1 != 0)
        case UInt8(ascii: "i"): message.append(Int32(truncatingIfNeeded: input.word()))
        case UInt8(ascii: "u"): message.append(mask())
        case UInt8(ascii: "d"): message.append(Double(bitPattern: input.word()))
        case UInt8(ascii: "h"): appendBasic(SD_BUS_TYPE_UNIX_FD, Int32(2), to: message)
        case UInt8(ascii: "v"):
            let inner = input.byte() & 3 == 0 ? randomType(depth: 1) : input.pick(["s", "u", "b", "o", "as"])
            message.appendVariant(inner) { append(Array(inner.utf8)[...], to: message) }
        case UInt8(ascii: "a"):
            let text = String(decoding: contents, as: UTF8.self)
            message.appendArray(text) { for _ in 0..<input.number(below: 5) { appendOne(contents, to: message) } }
        case UInt8(ascii: "("):
            message.appendStruct(String(decoding: contents.dropLast(), as: UTF8.self)) {
                append(contents.dropLast(), to: message)
            }
        case UInt8(ascii: "{"):
            message.appendDictionaryEntry(String(decoding: contents.dropLast(), as: UTF8.self)) {
                append(contents.dropLast(), to: message)
            }
        case let type?: appendBasic(type, input.word(), to: message)
        case nil: break
        }
    }

    private func appendBasic<Value>(_ type: some BinaryInteger, _ value: Value, to message: BusMessage) {
        _ = withUnsafePointer(to: value) { pointer in
            message.withPointer { sd_bus_message_append_basic($0, CChar(type), pointer) }
        }
    }

    private func appendText(_ type: some BinaryInteger, _ text: String, to message: BusMessage) {
        _ = message.withPointer { sd_bus_message_append_basic($0, CChar(type), text) }
    }

    /// A word of the service mostly, or any bytes.
    private func text() -> String {
        let choice = input.byte()
        guard choice < 224 else { return String(decoding: input.take(Int(choice) - 224), as: UTF8.self) }
        return Self.texts[Int(choice) % Self.texts.count]
    }

    /// A valid mask mostly.
    private func mask() -> UInt32 {
        let choice = input.byte()
        return choice < 224 ? UInt32(choice & 31) : UInt32(truncatingIfNeeded: input.word())
    }

    /// How many bytes the first complete type of a signature takes.
    private static func length(ofFirst types: ArraySlice<UInt8>) -> Int {
        switch types.first {
        case UInt8(ascii: "a"): return 1 + length(ofFirst: types.dropFirst())
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            var depth = 0
            for (count, byte) in types.enumerated() {
                if "({".utf8.contains(byte) { depth += 1 }
                if ")}".utf8.contains(byte) { depth -= 1 }
                if depth == 0 { return count + 1 }
            }
            return types.count
        default: return 1
        }
    }
}
