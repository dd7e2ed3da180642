// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// The rule of every state with its sentence, and the reason of every change.
@Suite struct RotationRuleTests {
    /// A state with its rule and the sentence for people.
    struct Case: Sendable, CustomTestStringConvertible {
        let rule: RotationRule
        let sentence: String
        let policy: @Sendable () throws -> RotationPolicy

        init(_ rule: RotationRule, _ sentence: String, _ policy: @escaping @Sendable () throws -> RotationPolicy) {
            self.rule = rule
            self.sentence = sentence
            self.policy = policy
        }

        /// The state after some calls, on a device held for portrait.
        init(
            _ rule: RotationRule,
            _ sentence: String,
            supported: InterfaceOrientationMask = .all,
            autorotate: AutorotateMode = .always,
            after body: @escaping @Sendable (inout RotationPolicy) throws -> Void
        ) {
            self.init(rule, sentence) {
                var policy = RotationPolicy.held(supported: supported, autorotate: autorotate)
                try body(&policy)
                return policy
            }
        }

        var testDescription: String { sentence }
    }

    static let cases = [
        Case(.device, "follows the device") { .held(for: .landscapeLeft) },
        Case(.unknown, "the device has not been read yet") { .held(for: nil) },
        Case(.paused, "the lid is closed, or the machine goes to sleep") { $0.pause() },
        Case(.manual, "rotated by hand") {
            $0.pause()
            try $0.rotate(to: .landscapeLeft)
        },
        Case(.mask, "this device supports landscape only") { .held(supported: .landscape) },
        Case(.mask, "org.example.App allows portrait only") {
            try $0.present(.modal, .portrait)
            $0.turn(for: .landscapeLeft)
        },
        Case(.mask, "org.example.App allows landscape only") {
            try $0.setLock(.current)
            try $0.present(.modal, .landscape)
        },
        Case(.mask, "org.example.App allows portrait only") {
            $0 = .laptop()
            try $0.present(.modal, .portrait)
        },
        Case(.lock, "held by the lock") { try $0.setLock(.current) },
        Case(.lock, "held by the lock") {
            try $0.setLock(.current)
            try $0.present(.modal, autorotates: false)
        },
        Case(.manual, "rotated by hand") { try $0.rotate(to: .landscapeLeft) },
        Case(.manual, "rotated by hand") {
            $0 = .laptop()
            try $0.rotate(to: .landscapeLeft)
        },
        Case(.laptop, "in use as a laptop") { .laptop() },
        Case(.laptop, "in use as a laptop") {
            $0 = .laptop()
            try $0.setLock(.orientation(.portrait))
        },
        Case(.fixed, "org.example.App does not autorotate") { try $0.present(.modal, autorotates: false) },
        Case(.fixed, "org.example.App does not autorotate", autorotate: .never) {
            try $0.present(.modal, autorotates: false)
        },
        Case(.never, "autorotation is off") { .held(autorotate: .never) },
        Case(.never, "autorotation is off") { .held(for: nil, autorotate: .never) },
        Case(.preferred, "org.example.App prefers landscape-left and does not autorotate", supported: .portrait) {
            try $0.present(.modal, .landscape, preferred: .landscapeLeft, autorotates: false)
        },
        Case(.waiting, "org.example.App turns with the next rotation") { try $0.present(.push, .landscape) },
        Case(.waiting, "org.example.App turns with the next rotation") {
            try $0.rotate(to: .portraitUpsideDown)
            try $0.present(.push, .landscape)
        },
        Case(.kept, "org.example.App allows it, and nothing has turned it since") {
            try $0.present(.modal, .all, preferred: .landscapeLeft)
        },
        Case(.kept, "org.example.App allows it, and nothing has turned it since") {
            try $0.setLock(.current)
            try $0.present(.modal, .all, preferred: .landscapeLeft)
        },
        Case(.kept, "org.example.App allows it, and nothing has turned it since") {
            $0 = .laptop()
            try $0.present(.modal, .all, preferred: .landscapeLeft)
        },
    ]

    @Test(arguments: cases)
    func `every state has a rule and a sentence`(row: Case) throws {
        let policy = try row.policy()
        #expect(policy.rule == row.rule)
        #expect(policy.explanation == row.sentence)
    }

    @Test func `every rule has a state`() {
        #expect(Set(Self.cases.map(\.rule)) == Set(RotationRule.allCases))
    }

    /// A cause that turns the interface from portrait to landscape-left.
    struct Cause: Sendable, CustomTestStringConvertible {
        let reason: InterfaceReason
        let perform: @Sendable (inout RotationPolicy) throws -> Void

        init(_ reason: InterfaceReason, _ perform: @escaping @Sendable (inout RotationPolicy) throws -> Void) {
            self.reason = reason
            self.perform = perform
        }

        var testDescription: String { reason.name }
    }

    static let causes = [
        Cause(.startup) {
            $0 = .held(for: nil, memory: SavedState(lock: .off, held: .portrait, shown: .landscapeLeft))
        },
        Cause(.sensor) { $0.turn(for: .landscapeLeft) },
        Cause(.lock) { try $0.setLock(.orientation(.landscapeLeft)) },
        Cause(.lock) {
            try $0.setLock(.current)
            $0.turn(for: .landscapeLeft)
            try $0.setLock(.off)
        },
        Cause(.manual) { try $0.rotate(to: .landscapeLeft) },
        Cause(.manual) {
            try $0.setLock(.current)
            $0.turn(for: .landscapeLeft)
            $0.alignToDevice()
        },
        Cause(.request) {
            let request = RotationRequest(appID: "org.example.App", supported: .landscapeLeft)
            _ = try $0.present(request, of: "client")
        },
        Cause(.request) {
            let id = try $0.present(.modal, .all)
            try $0.change(id) { $0.supported = .landscapeLeft }
        },
        Cause(.request) {
            try $0.present(.modal)
            try $0.setApplicationMask(.landscapeLeft, of: "org.example.App", for: "client")
        },
        Cause(.request) {
            let id = try $0.present(.modal, .portrait)
            $0.turn(for: .landscapeLeft)
            try $0.release(id)
        },
        Cause(.request) {
            try $0.present(.modal, .portrait)
            $0.turn(for: .landscapeLeft)
            $0.drop("client")
        },
        Cause(.tabletMode) {
            $0 = .laptop()
            $0.turn(for: .landscapeLeft)
            $0.setTabletMode(.tablet)
        },
        Cause(.tabletMode) {
            $0 = .held(autorotate: .tabletMode)
            $0.configure(RotationConfiguration(laptop: .landscapeLeft))
            $0.setTabletMode(.laptop)
        },
        Cause(.configuration) { $0.configure(RotationConfiguration(supported: .landscapeLeft)) },
        Cause(.configuration) {
            $0 = .held(for: .landscapeLeft, autorotate: .never)
            $0.setAutorotate(.always)
        },
    ]

    @Test(arguments: causes)
    func `each change of the interface carries its reason`(cause: Cause) throws {
        var policy = RotationPolicy.held()
        try cause.perform(&policy)
        #expect(policy.shown == .landscapeLeft)
        #expect(policy.reason == cause.reason)
    }

    @Test func `every reason has a change`() {
        #expect(Set(Self.causes.map(\.reason)) == Set(InterfaceReason.allCases))
    }

    @Test func `the sentence says allows only for the mask of the application itself`() throws {
        var policy = RotationPolicy.held(for: .portrait, masks: ["org.example.Player": .landscape])
        try policy.present(.modal, .landscape, app: "org.example.Page")
        #expect(policy.explanation == "org.example.Page allows landscape only")
        // The sentence said that this one allows landscape only, although the configuration restricts it.
        try policy.present(.modal, .all, app: "org.example.Player")
        #expect(policy.explanation == "org.example.Player is allowed landscape only")
        expectRefused(.orientationNotSupported, saying: "org.example.Player is allowed landscape only", by: &policy) {
            try $0.rotate(to: .portrait)
        }
    }

    @Test func `the sentence for kept under a lock or in laptop mode does not mention the device`() throws {
        var locked = RotationPolicy.held(for: .portrait)
        _ = try locked.setLock(.orientation(.portrait))
        for var policy in [locked, .laptop()] {
            try policy.present(.modal, .all, preferred: .landscapeLeft)
            let explanation = policy.explanation
            #expect(policy.rule == .kept)
            #expect(explanation == "org.example.App allows it, and nothing has turned it since")
            #expect(policy.deciding { $0.turn(for: .landscapeRight) }.transition == nil)
            #expect(policy.explanation == explanation)
        }
    }
}
