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
        .target(name: "Measuring"),
        .executableTarget(
            name: "PusherReceive",
            dependencies: ["Measuring", .product(name: "PusherSwift", package: "lifeline")]),
        .executableTarget(
            name: "DecodeBenchmark",
            dependencies: [
                .product(name: "LifelineTesting", package: "lifeline"), .product(name: "Lifeline", package: "lifeline"),
            ]),
        .executableTarget(
            name: "TestServiceBenchmark",
            dependencies: [
                .product(name: "LifelineTesting", package: "lifeline"), .product(name: "Lifeline", package: "lifeline"),
            ]),
        // Not how fast, but whether always as fast.
        .executableTarget(
            name: "TimingCheck",
            dependencies: [.product(name: "PusherSwift", package: "lifeline")]),
        .executableTarget(
            name: "PubNubReceive",
            dependencies: ["Measuring", .product(name: "PubNub", package: "lifeline")]),
        // What feeds PubNub clients, ours and others.
        .executableTarget(name: "PollFeeder"),
        // The modules under the product's own.
        .executableTarget(
            name: "LongPollRate",
            dependencies: ["Measuring", .product(name: "PusherSwift", package: "lifeline")]),
        // The stores come with the server.
        .executableTarget(
            name: "ChatBenchmark",
            dependencies: [.product(name: "LifelineServer", package: "lifeline")]),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [.product(name: "LifelineServer", package: "lifeline")]),
        // The local database comes with the chat client.
        .executableTarget(
            name: "ChatDatabaseBenchmark",
            dependencies: [.product(name: "NexconnChat", package: "lifeline")]),
    ],
    swiftLanguageModes: [.v6]
)
