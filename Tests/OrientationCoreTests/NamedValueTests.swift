// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

/// The values of a type with their names on the bus.
struct Vocabulary: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expected: [String]
    var names: [String]
    var descriptions: [String]
    /// Whether every value is listed once.
    var isComplete: Bool
    /// The index of the value with a name.
    var place: @Sendable (_ name: String) -> Int?

    init<Value: NamedValue & Hashable & Sendable>(_ type: Value.Type, _ words: KeyValuePairs<Value, String>) {
        self.init(words, all: Array(Value.allCases), name: \.name) { Value(name: $0) }
    }

    init<Value: CustomStringConvertible & Hashable & Sendable>(
        _ words: KeyValuePairs<Value, String>,
        all: [Value],
        name: (Value) -> String,
        find: @escaping @Sendable (String) -> Value?
    ) {
        let values = words.map(\.key)
        testDescription = "\(Value.self)"
        expected = words.map(\.value)
        names = values.map(name)
        descriptions = values.map(\.description)
        isComplete = values.count == all.count && Set(values) == Set(all)
        place = { name in find(name).flatMap { values.firstIndex(of: $0) } }
    }
}

@Suite struct NamedValueTests {
    static let vocabularies = [
        Vocabulary(
            DeviceOrientation.self,
            [
                .unknown: "unknown", .portrait: "portrait", .portraitUpsideDown: "portrait-upside-down",
                .landscapeLeft: "landscape-left", .landscapeRight: "landscape-right", .faceUp: "face-up",
                .faceDown: "face-down",
            ]
        ),
        Vocabulary(FaceOrientation.self, [.none: "none", .faceUp: "face-up", .faceDown: "face-down"]),
        Vocabulary(
            InterfaceOrientation.self,
            [
                .portrait: "portrait", .portraitUpsideDown: "portrait-upside-down",
                .landscapeLeft: "landscape-left", .landscapeRight: "landscape-right",
            ]
        ),
        Vocabulary(
            [
                RotationLock.off: "off", .current: "current", .orientation(.portrait): "portrait",
                .orientation(.portraitUpsideDown): "portrait-upside-down",
                .orientation(.landscapeLeft): "landscape-left", .orientation(.landscapeRight): "landscape-right",
            ],
            all: [.off, .current] + InterfaceOrientation.allCases.map { .orientation($0) },
            name: \.name
        ) { RotationLock(name: $0) },
        Vocabulary(
            AutorotateMode.self,
            [.tabletMode: "tablet-mode", .always: "always", .never: "never"]
        ),
        Vocabulary(TabletMode.self, [.unknown: "unknown", .laptop: "laptop", .tablet: "tablet"]),
        Vocabulary(
            InterfaceReason.self,
            [
                .sensor: "sensor", .lock: "lock", .manual: "manual", .request: "request",
                .tabletMode: "tablet-mode", .configuration: "configuration", .startup: "startup",
            ]
        ),
        Vocabulary(
            OutputTransform.self,
            [.normal: "normal", .rotated90: "90", .rotated180: "180", .rotated270: "270"]
        ),
    ]

    @Test(arguments: vocabularies)
    func `every value has its name on the bus and is found by it`(vocabulary: Vocabulary) {
        #expect(vocabulary.isComplete)
        #expect(vocabulary.names == vocabulary.expected)
        #expect(vocabulary.descriptions == vocabulary.expected)
        #expect(vocabulary.expected.map(vocabulary.place) == Array(vocabulary.expected.indices))
    }

    @Test(arguments: vocabularies)
    func `nothing else is a name`(vocabulary: Vocabulary) {
        let others = Self.vocabularies.flatMap(\.expected).filter { !vocabulary.expected.contains($0) }
        let misspelt = vocabulary.expected.flatMap { [$0 + " ", " " + $0, $0 + "\0", "x" + $0, String($0.dropLast())] }
        let capital = vocabulary.expected.map { $0.uppercased() }.filter { !vocabulary.expected.contains($0) }
        for name in [""] + others + misspelt + capital {
            #expect(vocabulary.place(name) == nil, "\(name)")
        }
    }
}
