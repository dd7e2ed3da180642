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

    /// Lines of the help text; none where the command's own help is enough.
    var meaning: [String] = []
    let values: Values

    /// The placeholder of a usage line's word, which may end in `...`.
    static func named(_ name: String) -> Placeholder {
        all.first { $0.name == name || $0.name + "..." == name } ?? Placeholder(name: name, values: .free)
    }

    /// The sources that are one word.
    static let sources = ["auto", "iio", "simulate"]

    static let all: [Placeholder] = [
        .init(
            name: "EDGE",
            meaning: [
                "EDGE is how the interface is shown: portrait, portrait-upside-down,",
                "landscape-right or landscape-left; or the edge of the display that is up:",
                "normal, left-up, right-up or bottom-up. In landscape, device and interface",
                "have mirrored names, as in UIKit: the interface of a device in landscape-left",
                "is upright in landscape-right. Use 'orientctl align' to make it fit the device.",
            ],
            values: .words(Edge.allCases.map { $0.name })
        ),
        .init(
            name: "MASK",
            meaning: ["MASK is one or more of all, all-but-upside-down, landscape and EDGEs,", "separated by commas."],
            values: .list(InterfaceOrientationMask.setNames + Edge.allCases.map { $0.name })
        ),
        .init(
            name: "MODE",
            meaning: ["MODE is always, tablet-mode or never."],
            values: .words(AutorotateMode.allCases.map { $0.name })
        ),
        .init(
            name: "PROPERTY",
            meaning: [
                "PROPERTY is a D-Bus property of orientd, such as InterfaceOrientation."
            ],
            values: .words(ManagerSnapshot.properties.map { $0.name })
        ),
        .init(
            name: "SHELL",
            meaning: ["SHELL is bash, zsh or fish."],
            values: .words(Completion.Shell.allCases.map { $0.name })
        ),
        .init(name: "NAME", values: .words(ClassifierChoice.allCases.map { $0.name })),
        .init(name: "SENSOR", values: .words(RestingSensor.Kind.allCases.map { $0.name })),
        .init(name: "BUS", values: .words(["system", "session"])),
        .init(name: "SOURCE", values: .words(sources)),
        .init(name: "FILE", values: .files),
        .init(name: "TRACE", values: .files),
        .init(name: "COMMAND", values: .words(Command.all.map { $0.name })),
    ]
}
