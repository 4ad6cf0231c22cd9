// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "lifeline-benchmarks",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "lifeline", path: "..")],
    targets: [
        .executableTarget(
            name: "EngineBenchmark",
            dependencies: [.product(name: "LifelineTesting", package: "lifeline")]),
        .executableTarget(
            name: "PusherReceive",
            dependencies: [.product(name: "PusherSwift", package: "lifeline")]),
    ],
    swiftLanguageModes: [.v6]
)
