// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Not .enableExperimentalFeature: SwiftPM links every program without the runtime then, whatever the traits.
let embedded = ["-enable-experimental-feature", "Embedded"]

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .unsafeFlags(embedded + ["-wmo"], .when(traits: ["Embedded"])),
]

let executable: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld"]),
    .unsafeFlags(embedded, .when(traits: ["Embedded"])),
    // Not in debug builds: the tests link orientctl, and their library comes as a shared one only.
    .unsafeFlags(["-static-stdlib"], .when(configuration: .release, traits: ["Runtime"])),
    .linkedLibrary("m"),
    // What Embedded Swift leaves to the linker for the comparing of strings.
    .linkedLibrary("swiftUnicodeDataTables", .when(traits: ["Embedded"])),
]

let package = Package(
    name: "orientd",
    products: [
        .library(name: "OrientationCore", targets: ["OrientationCore"]),
        .executable(name: "orientd", targets: ["orientd"]),
        .executable(name: "orientctl", targets: ["orientctl"]),
    ],
    traits: [
        .default(enabledTraits: ["Runtime"]),
        .trait(name: "Runtime", description: "With the Swift runtime linked into each program."),
        .trait(name: "Embedded", description: "Without the Swift runtime: the daemon that is installed."),
    ],
    targets: [
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
        .systemLibrary(name: "CJSON", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        .systemLibrary(name: "CLinux"),

        .target(name: "CommandLineOptions", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "OrientationCore", swiftSettings: strict),
        .target(name: "SystemdBus", dependencies: ["CLinux", "CSystemd"], swiftSettings: strict),
        .target(
            name: "OrientationIIO",
            dependencies: ["OrientationCore", "SystemdBus", "CLinux", "CIIO"],
            swiftSettings: strict
        ),
        .target(name: "OrientationBus", dependencies: ["OrientationCore", "SystemdBus"], swiftSettings: strict),
        .target(
            name: "OrientationDaemon",
            dependencies: ["OrientationCore", "OrientationIIO", "OrientationBus", "SystemdBus", "CLinux", "CInih"],
            swiftSettings: strict
        ),

        .executableTarget(
            name: "orientd",
            dependencies: ["OrientationDaemon", "OrientationIIO", "SystemdBus", "CommandLineOptions", "CLinux"],
            swiftSettings: strict,
            linkerSettings: executable
        ),
        .executableTarget(
            name: "orientctl",
            dependencies: [
                "OrientationCore", "OrientationIIO", "OrientationBus", "OrientationDaemon", "SystemdBus",
                "CommandLineOptions", "CLinux",
                "CJSON",
            ],
            swiftSettings: strict,
            linkerSettings: executable
        ),

        .testTarget(
            name: "OrientationCoreTests",
            dependencies: ["SplitMix", "OrientationCore"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationIIOTests",
            dependencies: ["SplitMix", "OrientationIIO", "OrientationCore", "SystemdBus", "CLinux"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SystemdBusTests",
            dependencies: ["SystemdBus", "PrivateBus", "CLinux"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationBusTests",
            dependencies: ["OrientationBus", "OrientationCore", "SystemdBus", "PrivateBus"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationDaemonTests",
            dependencies: [
                "SplitMix", "OrientationDaemon", "OrientationBus", "OrientationIIO", "OrientationCore", "SystemdBus",
                "PrivateBus",
                "CLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "orientctlTests",
            dependencies: ["orientctl", "CommandLineOptions", "OrientationBus", "OrientationCore", "SystemdBus"],
            swiftSettings: strict
        ),
        .target(name: "SplitMix", path: "Tests/SplitMix", swiftSettings: strict),
        .target(
            name: "PrivateBus",
            dependencies: ["SystemdBus", "CSystemd", "CLinux"],
            path: "Tests/PrivateBus",
            swiftSettings: strict
        ),
    ]
)
