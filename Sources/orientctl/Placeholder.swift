// SPDX-License-Identifier: Apache-2.0

import OrientationBus
import OrientationCore

/// A word in capitals in usage lines, such as `EDGE`: its explanation in help texts, and its values for completions.
struct Placeholder: Sendable {
    enum Values: Hashable {
        case words([String])
        /// Some of these, with commas between them.
        case list([String])
        case files
        /// Anything.
        case free
    }

    let name: String
    let values: Values

    /// Sentences of the help text; empty where the command's own help is enough.
    let meaning: String

    private init(_ name: String, _ values: Values, _ meaning: String = "") {
        self.name = name
        self.values = values
        self.meaning = meaning
    }

    /// The placeholder of a usage line's word, which may end in `...`.
    static func named(_ name: String) -> Placeholder {
        all.first { $0.name == name || $0.name + "..." == name } ?? Placeholder(name, .free)
    }

    /// The sources that are one word.
    static let sources = ["auto", "iio", "simulate"]

    static let all: [Placeholder] = [
        .init(
            "EDGE",
            .words(Edge.allCases.map { $0.name }),
            "EDGE is how the interface is shown: portrait, portrait-upside-down, landscape-right or landscape-left; or "
                + "the edge of the display that is up: normal, left-up, right-up or bottom-up. In landscape, device and "
                + "interface have mirrored names, as in UIKit: the interface of a device in landscape-left is upright "
                + "in landscape-right. Use 'orientctl align' to make it fit the device."
        ),
        .init(
            "MASK",
            .list(InterfaceOrientationMask.setNames + Edge.allCases.map { $0.name }),
            "MASK is one or more of all, all-but-upside-down, landscape and EDGEs, separated by commas."
        ),
        .init("MODE", .words(AutorotateMode.words)),
        .init(
            "PROPERTY",
            .words(ManagerSnapshot.properties.map { $0.name }),
            "PROPERTY is a D-Bus property of orientd, such as InterfaceOrientation. 'orientctl status --json' lists all, and more."
        ),
        .init("SHELL", .words(Completion.Shell.allCases.map { $0.name }), "SHELL is bash, zsh or fish."),
        .init("NAME", .words(ClassifierChoice.allCases.map { $0.name })),
        .init("SENSOR", .words(RestingSensor.Kind.allCases.map { $0.name })),
        .init("BUS", .words(["system", "session"])), .init("SOURCE", .words(sources)), .init("FILE", .files),
        .init("TRACE", .files), .init("COMMAND", .words(Command.all.map { $0.name })),
    ]
}
