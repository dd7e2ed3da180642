// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "FollowOrientation",
    // Another repository names this one by its address instead: .package(url: "https://...", from: "0.1.0").
    dependencies: [.package(name: "orientd", path: "../..")],
    targets: [
        .executableTarget(
            name: "follow-orientation",
            dependencies: [.product(name: "OrientationClient", package: "orientd")]
        ),
        .executableTarget(
            name: "poll-orientation",
            dependencies: [.product(name: "OrientationClient", package: "orientd")]
        ),
        .executableTarget(
            name: "change-request",
            dependencies: [.product(name: "OrientationClient", package: "orientd")]
        ),
        .executableTarget(
            name: "containers",
            dependencies: [.product(name: "OrientationClient", package: "orientd")]
        ),
    ]
)
