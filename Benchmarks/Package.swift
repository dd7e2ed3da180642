// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "orientd", path: "..")],
    targets: [
        .target(name: "CMallocShims"),
        .executableTarget(name: "libiio-alone", linkerSettings: [.linkedLibrary("iio")]),
        .executableTarget(
            name: "classifier-benchmark",
            dependencies: [.product(name: "OrientationCore", package: "orientd"), "CMallocShims"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "policy-benchmark",
            dependencies: [.product(name: "OrientationCore", package: "orientd"), "CMallocShims"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
