// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Executables carry the Swift runtime with them: a machine that runs orientd needs no toolchain.
let standalone: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld", "-static-stdlib"])]

let package = Package(
    name: "orientd",
    products: [
        .library(name: "OrientationCore", targets: ["OrientationCore"]),
        .executable(name: "orientd", targets: ["orientd"]),
        .executable(name: "orientctl", targets: ["orientctl"]),
    ],
    targets: [
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
        .systemLibrary(name: "CJSON", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        .systemLibrary(name: "CGetopt"),

        .target(name: "CommandLineOptions", dependencies: ["CGetopt"], swiftSettings: strict),
        .target(name: "OrientationCore", swiftSettings: strict),
        .target(name: "SystemdBus", dependencies: ["CSystemd"], swiftSettings: strict),
        .target(
            name: "OrientationIIO",
            dependencies: ["OrientationCore", "SystemdBus", "CIIO"],
            swiftSettings: strict
        ),
        .target(name: "OrientationBus", dependencies: ["OrientationCore", "SystemdBus"], swiftSettings: strict),
        .target(
            name: "OrientationDaemon",
            dependencies: ["OrientationCore", "OrientationIIO", "OrientationBus", "SystemdBus", "CInih"],
            swiftSettings: strict
        ),

        .executableTarget(
            name: "orientd",
            dependencies: ["OrientationDaemon", "SystemdBus", "CommandLineOptions"],
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "orientctl",
            dependencies: [
                "OrientationCore", "OrientationIIO", "OrientationBus", "SystemdBus", "CommandLineOptions", "CJSON",
            ],
            swiftSettings: strict,
            linkerSettings: standalone
        ),

        .testTarget(name: "OrientationCoreTests", dependencies: ["OrientationCore"], swiftSettings: strict),
    ]
)
