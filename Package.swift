// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Not .enableExperimentalFeature: with it SwiftPM links every program without the runtime, whatever the traits.
let embedded = ["-enable-experimental-feature", "Embedded"]

// Each module would contain the code of those that it uses, once more in each: leave the code to the program's module.
// String.append(_:), otherwise inlined wherever texts are put together, would be a third of that code.
let small =
    embedded + [
        "-enable-experimental-feature", "DeferredCodeGen", "-Osize", "-wmo", "-Xfrontend", "-function-sections",
        "-Xllvm", "-sil-inline-never-functions=SS6appendyySSF",
        // Nothing unwinds the stack at run time, and debuggers read .debug_frame: one of C's inline functions with a
        // table for that would move all of it to .eh_frame, which is loaded and not stripped.
        "-Xcc", "-fno-asynchronous-unwind-tables",
    ]

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .unsafeFlags(small, .when(traits: ["Embedded"])),
]

let executable: [LinkerSetting] = [
    // In an Embedded build each module's object contains the code of the modules that it uses: keep one copy.
    .unsafeFlags(["-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--icf=all"]),
    .unsafeFlags(embedded, .when(traits: ["Embedded"])),
    // The index of .eh_frame, for the same reason.
    .unsafeFlags(["-Xlinker", "--no-eh-frame-hdr"], .when(traits: ["Embedded"])),
    // Release only: the tests link orientctl, and Swift Testing exists as a shared library only.
    .unsafeFlags(["-static-stdlib"], .when(configuration: .release, traits: ["Runtime"])),
    // The tables for string comparison in Embedded Swift.
    .linkedLibrary("swiftUnicodeDataTables", .when(traits: ["Embedded"])),
]

let embeddedRuntime = Target.Dependency.target(name: "CEmbeddedRuntime", condition: .when(traits: ["Embedded"]))

let package = Package(
    name: "orientd",
    products: [
        .library(name: "OrientationCore", targets: ["OrientationCore"]),
        .library(name: "OrientationClient", targets: ["OrientationClient"]),
        .executable(name: "orientd", targets: ["orientd"]),
        .executable(name: "orient-agent", targets: ["orient-agent"]),
        .executable(name: "orientctl", targets: ["orientctl"]),
        .executable(name: "orientd-tablet-switch", targets: ["orientd-tablet-switch"]),
    ],
    traits: [
        .default(enabledTraits: ["Runtime"]),
        .trait(name: "Runtime", description: "With the Swift runtime linked into each program."),
        .trait(name: "Embedded", description: "Without the Swift runtime: the daemon that is installed."),
    ],
    targets: [
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CJSON", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        .systemLibrary(name: "CWayland", pkgConfig: "wayland-client", providers: [.apt(["libwayland-dev"])]),
        .systemLibrary(
            name: "CXCB",
            pkgConfig: "xcb-xinput",
            providers: [.apt(["libxcb-xinput-dev", "libxcb-randr0-dev", "libxcb-dpms0-dev"])]
        ),
        .systemLibrary(name: "CLinux"),
        // Not a system library: libiio is loaded at run time.
        .target(name: "CIIO"),
        .target(name: "CWaylandProtocols"),
        // Not imported: it replaces functions of the runtime.
        .target(name: "CEmbeddedRuntime"),

        .target(name: "POSIX", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "CommandLineOptions", dependencies: ["POSIX", "CLinux"], swiftSettings: strict),
        .target(name: "OrientationCore", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
        .target(name: "SystemdBus", dependencies: ["POSIX", "CLinux", "CSystemd"], swiftSettings: strict),
        .target(name: "JSON", dependencies: ["SystemdBus", "CJSON"], swiftSettings: strict),
        .target(
            name: "OrientationSensors",
            dependencies: ["OrientationCore", "POSIX", "SystemdBus", "CLinux", "CIIO"],
            swiftSettings: strict
        ),
        .target(
            name: "OrientationBus",
            dependencies: ["OrientationCore", "POSIX", "SystemdBus"],
            swiftSettings: strict
        ),
        .target(
            name: "OrientationClient",
            dependencies: ["OrientationBus", "OrientationCore", "POSIX", "SystemdBus", "CLinux"],
            swiftSettings: strict
        ),
        .target(
            name: "OrientationConfiguration",
            dependencies: ["OrientationCore", "POSIX", "SystemdBus", "CLinux"],
            swiftSettings: strict
        ),
        .target(
            name: "OrientationDaemon",
            dependencies: [
                "OrientationCore", "OrientationSensors", "OrientationBus", "OrientationConfiguration", "POSIX",
                "SystemdBus", "CLinux",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Wayland",
            dependencies: ["POSIX", "SystemdBus", "CLinux", "CWayland", "CWaylandProtocols"],
            swiftSettings: strict
        ),
        .target(
            name: "OrientationSession",
            dependencies: [
                "OrientationCore", "OrientationBus", "OrientationConfiguration", "POSIX", "SystemdBus", "Wayland",
                "JSON", "CLinux", "CWayland", "CWaylandProtocols", "CXCB",
            ],
            swiftSettings: strict,
            // xcb-xinput is all that pkg-config names.
            linkerSettings: [.linkedLibrary("xcb"), .linkedLibrary("xcb-dpms"), .linkedLibrary("xcb-randr")]
        ),

        .executableTarget(
            name: "orientd",
            dependencies: [
                "OrientationDaemon", "OrientationConfiguration", "OrientationSensors", "POSIX", "SystemdBus",
                "CommandLineOptions", "CLinux", embeddedRuntime,
            ],
            swiftSettings: strict,
            linkerSettings: executable
        ),
        .executableTarget(
            name: "orient-agent",
            dependencies: [
                "OrientationSession", "OrientationConfiguration", "OrientationCore", "POSIX", "SystemdBus",
                "CommandLineOptions", "CLinux", embeddedRuntime,
            ],
            swiftSettings: strict,
            linkerSettings: executable
        ),
        .executableTarget(
            name: "orientctl",
            dependencies: [
                "OrientationCore", "OrientationSensors", "OrientationBus", "OrientationConfiguration", "POSIX",
                "SystemdBus", "CommandLineOptions", "CLinux", "JSON", embeddedRuntime,
            ],
            swiftSettings: strict,
            linkerSettings: executable
        ),

        .executableTarget(
            name: "orientd-tablet-switch",
            dependencies: ["POSIX", "CommandLineOptions", "CLinux", embeddedRuntime],
            swiftSettings: strict,
            linkerSettings: executable
        ),

        .testTarget(
            name: "OrientationCoreTests",
            dependencies: ["SplitMix", "OrientationCore"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationSensorsTests",
            dependencies: [
                "SplitMix", "OrientationSensors", "OrientationCore", "POSIX", "SystemdBus", "PrivateBus", "CLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "POSIXTests",
            dependencies: ["POSIX", "SystemdBus", "PrivateBus", "CLinux"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SystemdBusTests",
            dependencies: ["SystemdBus", "POSIX", "PrivateBus", "CLinux"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationBusTests",
            dependencies: [
                "OrientationBus", "OrientationCore", "POSIX", "SystemdBus", "PrivateBus", "SplitMix", "CSystemd",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationClientTests",
            dependencies: [
                "OrientationClient", "OrientationBus", "OrientationCore", "POSIX", "SystemdBus", "PrivateBus", "CLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationConfigurationTests",
            dependencies: [
                "SplitMix", "OrientationConfiguration", "OrientationCore", "POSIX", "SystemdBus", "PrivateBus",
                "CLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationDaemonTests",
            dependencies: [
                "SplitMix", "OrientationDaemon", "OrientationConfiguration", "OrientationBus", "OrientationSensors",
                "OrientationCore", "POSIX", "SystemdBus", "PrivateBus", "CLinux",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OrientationSessionTests",
            dependencies: ["SplitMix", "OrientationSession", "OrientationCore", "SystemdBus", "JSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "orientctlTests",
            dependencies: [
                "orientctl", "CommandLineOptions", "OrientationBus", "OrientationConfiguration", "OrientationSensors",
                "OrientationCore", "POSIX", "SystemdBus", "JSON",
            ],
            swiftSettings: strict
        ),
        .target(name: "SplitMix", path: "Tests/SplitMix", swiftSettings: strict),
        .target(
            name: "PrivateBus",
            dependencies: ["POSIX", "SystemdBus", "CSystemd", "CLinux"],
            path: "Tests/PrivateBus",
            swiftSettings: strict
        ),
    ]
)

#if !compiler(>=6.3)
// Swift 6.2 ignores DeferredCodeGen: libraries emit no code, and programs what CEmbeddedRuntime can replace.
for target in package.targets {
    let flag = target.type == .executable ? "-mergeable-symbols" : "-emit-empty-object-file"
    target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", flag], .when(traits: ["Embedded"])))
}
#endif

// The fuzzers need libFuzzer and a build with its instrumentation: `make fuzz` asks for them.
if Context.environment["ORIENTD_FUZZ"] != nil {
    package.products.append(.executable(name: "fuzz", targets: ["Fuzz"]))
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "OrientationSession", "OrientationDaemon", "OrientationBus", "OrientationConfiguration",
                "OrientationSensors", "OrientationCore", "POSIX", "SystemdBus", "JSON", "PrivateBus", "CIIO", "CLinux",
                "CLibFuzzer", "CSystemd",
            ],
            path: "Tests/Fuzz",
            exclude: ["CLibFuzzer", "corpus", "run", "words"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-use-ld=lld"]), .linkedLibrary("m")]
        ),
    ]
}
