// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6 mode (the package default), warnings are errors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A library that ships in apps: with Apple's privacy manifest. Elsewhere nobody reads that, and a resource would bring Foundation's `Bundle`
/// into the module.
func client(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    let manifest = "PrivacyInfo.xcprivacy"
    #if canImport(Darwin)
        return .target(name: name, dependencies: dependencies, resources: [.copy(manifest)], swiftSettings: strict)
    #else
        return .target(name: name, dependencies: dependencies, exclude: [manifest], swiftSettings: strict)
    #endif
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioLocks: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let orderedCollections: Target.Dependency = .product(name: "OrderedCollections", package: "swift-collections")

let package = Package(
    name: "lifeline",
    platforms: [.macOS(.v14), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "PusherSwift", targets: ["PusherSwift"]),
        .library(name: "PubNub", targets: ["PubNub"]),
        .library(name: "NexconnChat", targets: ["NexconnChatSDK"]),
        .library(name: "Lifeline", targets: ["Lifeline"]),
        .library(name: "LifelineServer", targets: ["LifelineServer", "RealtimeHub", "HubStorage", "Identifiers"]),
        .library(name: "LifelineTesting", targets: ["LifelineTesting", "StoreConformance", "RealtimeHub", "Identifiers"]),
        .library(name: "LifelineTestingChat", targets: ["LifelineTestingChat"]),
        .executable(name: "lifeline", targets: ["LifelineCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The engine and what runs it.
        library("ConnectionEngine", [deque]),
        library("EngineRuntime", ["ConnectionEngine", nioCore, nioLocks, deque, logging, metrics]),

        // Bytes in and out.
        library("WebSocketFraming", [nioCore, crypto]),
        library("TransportCommon", ["ConnectionEngine", crypto, cryptoExtras, nioCore, nioPosix, nioLocks, nioSSL]),
        library(
            "WebSocketTransport",
            [
                "ConnectionEngine", "EngineRuntime", "TransportCommon", "WebSocketFraming", nioCore, nioPosix, nioHTTP1, nioLocks,
                nioTLS, nioSSL,
            ]),
        library(
            "HTTPTransport",
            [
                "ConnectionEngine", "EngineRuntime", "TransportCommon", deque, nioCore, nioPosix, nioHTTP1, nioLocks, nioTLS, nioSSL,
            ]),

        // A client of Redis and Valkey.
        library(
            "RedisClient",
            ["ConnectionEngine", "EngineRuntime", "TransportCommon", crypto, deque, nioCore, nioPosix, nioLocks, nioTLS, nioSSL]),

        // Names that others choose, compared by their bytes.
        library("Identifiers", []),

        // What the wire protocols share.
        library("WireCoding", ["Identifiers", orderedCollections]),
        .systemLibrary(
            name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        library("BodyCompression", ["CZlib"]),

        // Wire protocols, both directions, and their client sessions.
        library("PusherProtocol", ["Identifiers", "ConnectionEngine", "WireCoding", crypto, orderedCollections]),
        library("PubNubProtocol", ["Identifiers", "ConnectionEngine", "WireCoding", crypto, cryptoExtras, orderedCollections]),
        library("NexconnProtocol", ["Identifiers", "ConnectionEngine", "WireCoding", crypto, deque, orderedCollections]),

        // Client APIs.
        client(
            "PusherSwift",
            [
                "Identifiers", "ConnectionEngine", "PusherProtocol", "EngineRuntime", "TransportCommon", "WebSocketTransport",
                "HTTPTransport",
                "WireCoding", nioPosix, nioLocks, logging,
            ]),
        client(
            "PubNub",
            [
                "Identifiers", "ConnectionEngine", "PubNubProtocol", "EngineRuntime", "TransportCommon", "HTTPTransport",
                "WireCoding",
                "BodyCompression", crypto, nioPosix, nioLocks, logging,
            ]),
        // What a chat client keeps on its own disk.
        library("ChatDatabase", ["Identifiers", "NexconnProtocol", "WireCoding", crypto, grdb, nioLocks]),
        client(
            "NexconnChatSDK",
            [
                "Identifiers", "ConnectionEngine", "NexconnProtocol", "ChatDatabase", "EngineRuntime", "TransportCommon",
                "WebSocketTransport",
                "HTTPTransport", "WireCoding", nioCore, nioPosix, crypto, nioLocks, logging,
            ]),
        client(
            "Lifeline",
            [
                "Identifiers", "ConnectionEngine", "PusherProtocol", "PubNubProtocol", "NexconnProtocol", "WireCoding",
                "EngineRuntime",
                "TransportCommon",
                "WebSocketTransport", "HTTPTransport",
                nioPosix, nioLocks, logging,
            ]),

        // For tests: of the engine, and of apps.
        library(
            "LifelineTesting",
            [
                "ConnectionEngine", "EngineRuntime", "Identifiers", "WireCoding", "PusherProtocol", "PubNubProtocol",
                "NexconnProtocol",
                "Lifeline", "PusherSwift", "PubNub", deque, nioLocks,
            ]),
        library("LifelineTestingChat", ["LifelineTesting", "NexconnChatSDK", "EngineRuntime"]),

        // The server.
        library("ServerValues", []),
        library("RealtimeHub", ["Identifiers", "ServerValues", deque, heap, orderedCollections]),
        library("HubStorage", ["Identifiers", "RealtimeHub", deque, grdb, nioLocks]),
        // What every store has to fulfil, for stores of others too.
        library("StoreConformance", ["Identifiers", "RealtimeHub", nioLocks]),
        library(
            "ServerRuntime",
            [
                "Identifiers", "ServerValues", "HTTPTransport", "TransportCommon", "WebSocketFraming", "WireCoding", crypto,
                deque,
                nioCore, nioPosix, nioHTTP1, nioLocks, nioSSL, logging,
            ]),
        library(
            "PubNubServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "RedisClient", "ServerValues", "RealtimeHub", "PubNubProtocol",
                "WireCoding", "BodyCompression",
                crypto,
                deque, nioCore, nioLocks, logging,
            ]),
        library(
            "ChatServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "RedisClient", "ServerValues", "RealtimeHub", "HTTPTransport",
                "NexconnProtocol", "WireCoding",
                "WebSocketFraming", crypto,
                deque, nioCore, nioHTTP1, nioLocks, logging,
            ]),
        library(
            "PusherServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "RedisClient", "ServerValues", "RealtimeHub", "HTTPTransport",
                "PusherProtocol", "WireCoding",
                "WebSocketFraming", crypto,
                deque, nioCore, nioPosix, nioLocks, logging,
            ]),
        // What the nodes of a cluster say to each other over Redis, and the one of them that decides.
        .target(
            name: "ServerCluster",
            dependencies: [
                "RedisClient", "ServerRuntime", "ServerValues", deque, nioCore, nioPosix, nioHTTP1, nioLocks, nioSSL, logging,
            ],
            resources: [.embedInCode("Redis/Scripts/lead.lua"), .embedInCode("Redis/Scripts/commit.lua")], swiftSettings: strict),
        library("ServiceBridge", ["Identifiers", "ServerRuntime", deque, nioCore, nioLocks, logging]),
        library(
            "LifelineServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "RedisClient", "PusherServer", "PubNubServer", "ChatServer",
                "ServiceBridge", "RealtimeHub", "HubStorage", "PusherProtocol", "PubNubProtocol",
                "NexconnProtocol", "WireCoding",
                "BodyCompression", "WebSocketFraming", "TransportCommon", "HTTPTransport", crypto, nioCore, nioPosix, nioHTTP1,
                nioLocks, nioSSL, logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "LifelineCommand",
            dependencies: [
                "ConnectionEngine", "Identifiers", "HTTPTransport", "Lifeline", "LifelineServer", "ServerCluster", "RedisClient",
                "PusherProtocol", "PusherSwift",
                "PubNub",
                "PubNubProtocol", "NexconnChatSDK", "NexconnProtocol", "RealtimeHub", "HubStorage", "WireCoding",
                "TransportCommon", "WebSocketFraming", nioCore, nioPosix, nioLocks, nioTLS, nioSSL, x509,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                logging,
            ],
            swiftSettings: strict),

        // Programs that show the neutral API; built and run by Scripts/run-examples.sh.
        .executableTarget(name: "example-chatroom", dependencies: ["Lifeline"], path: "Examples/Chatroom", swiftSettings: strict),
        .executableTarget(
            name: "example-presence", dependencies: ["Lifeline"], path: "Examples/PresenceBoard", swiftSettings: strict),
        .executableTarget(name: "example-prices", dependencies: ["Lifeline"], path: "Examples/LivePrices", swiftSettings: strict),

        .target(name: "ChatAppModel", dependencies: ["Lifeline"], path: "Examples/ChatApp/Model", swiftSettings: strict),
        .executableTarget(
            name: "example-chatapp", dependencies: ["ChatAppModel", "Lifeline"], path: "Examples/ChatApp/Terminal",
            swiftSettings: strict),
        tests("ChatAppTests", ["ChatAppModel", "Lifeline", "LifelineTesting"]),

        // Says back what it hears, for Tests/InteropTests/test_autobahn.py.
        .executableTarget(
            name: "conformance-echo",
            dependencies: [
                "ConnectionEngine", "EngineRuntime", "WebSocketFraming", "WebSocketTransport", nioCore, nioPosix, nioLocks,
            ],
            path: "Tests/ConformanceEcho", swiftSettings: strict),

        // Tests mirror sources.
        tests("ConnectionEngineTests", ["ConnectionEngine", "LifelineTesting"]),
        // Logs and metrics that a test can read.
        .target(
            name: "TelemetryTestSupport", dependencies: [logging, metrics, nioLocks], path: "Tests/TelemetryTestSupport",
            swiftSettings: strict),
        tests("EngineRuntimeTests", ["EngineRuntime", "TelemetryTestSupport", "LifelineTesting", nioEmbedded]),
        tests("WebSocketFramingTests", ["WebSocketFraming", "LifelineTesting"]),
        tests(
            "TransportCommonTests",
            ["TransportCommon", "ConnectionEngine", "SocketTestSupport", crypto, nioCore, nioPosix, nioSSL, x509]),
        // What the tests of the transports and of the Redis client wait with.
        .target(
            name: "SocketTestSupport", dependencies: [nioCore, nioPosix, nioLocks], path: "Tests/SocketTestSupport",
            swiftSettings: strict),
        tests(
            "WebSocketTransportTests",
            [
                "SocketTestSupport", "WebSocketTransport", "HTTPTransport", "TransportCommon", "LifelineTesting", nioEmbedded,
                nioPosix, nioHTTP1, nioSSL,
            ]),
        tests(
            "HTTPTransportTests",
            [
                "SocketTestSupport", "HTTPTransport", "TransportCommon", "EngineRuntime", "LifelineTesting", nioPosix, nioHTTP1,
                nioSSL, nioLocks,
            ]),
        tests("RedisClientTests", ["RedisClient", "ConnectionEngine", "LifelineTesting", nioCore]),
        // A Redis of a test's own.
        .target(name: "RedisTestSupport", dependencies: [], path: "Tests/RedisTestSupport", swiftSettings: strict),
        // A cluster without Redis, in one process.
        .target(
            name: "ClusterTestSupport", dependencies: ["ServerCluster", "RedisClient", nioCore, nioPosix, nioLocks],
            path: "Tests/ClusterTestSupport", swiftSettings: strict),
        tests("ServerClusterTests", ["ServerCluster", "ServerRuntime", "RedisClient", "LifelineTesting", nioCore, nioHTTP1]),
        tests(
            "RedisClientServerTests",
            ["SocketTestSupport", "RedisTestSupport", "RedisClient", nioCore, nioPosix, nioLocks, nioSSL]),
        tests(
            "ClusterRedisTests",
            [
                "SocketTestSupport", "RedisTestSupport", "ServerCluster", "ServerRuntime", "RedisClient", nioCore, nioPosix,
                nioLocks, logging,
            ]),
        tests("IdentifiersTests", ["Identifiers"]),
        tests("WireCodingTests", ["WireCoding", "LifelineTesting"]),
        tests("BodyCompressionTests", ["BodyCompression", "LifelineTesting"]),
        tests("PusherProtocolTests", ["PusherProtocol", "WireCoding", "LifelineTesting"]),
        tests("PubNubProtocolTests", ["Identifiers", "PubNubProtocol", "WireCoding", "LifelineTesting"]),
        tests("NexconnProtocolTests", ["Identifiers", "NexconnProtocol", "WireCoding", "LifelineTesting"]),
        tests("ChatDatabaseTests", ["Identifiers", "ChatDatabase", "NexconnProtocol", "LifelineTesting", grdb, nioLocks]),
        tests(
            "NexconnChatSDKTests",
            [
                "TelemetryTestSupport", "Identifiers", "NexconnChatSDK", "NexconnProtocol", "ChatDatabase", "WireCoding",
                "LifelineServer", "RealtimeHub",
                "LifelineTesting", nioPosix, nioLocks,
            ]),
        tests(
            "PubNubTests",
            [
                "SocketTestSupport", "TelemetryTestSupport", "Identifiers", "PubNub", "PubNubProtocol", "WireCoding",
                "LifelineServer",
                "LifelineTesting", nioPosix, nioHTTP1,
                nioLocks,
            ]),
        tests(
            "PusherSwiftTests",
            [
                "TelemetryTestSupport", "PusherSwift", "PusherProtocol", "WireCoding", "LifelineServer", "LifelineTesting",
                nioPosix, nioLocks,
            ]),
        tests(
            "LifelineTests",
            [
                "TelemetryTestSupport", "Identifiers", "Lifeline", "PusherProtocol", "PubNubProtocol", "NexconnProtocol",
                "WireCoding", "HTTPTransport",
                "TransportCommon", "LifelineServer", "RealtimeHub", "LifelineTesting", nioCore, nioPosix, nioLocks,
            ]),
        tests(
            "LifelineCommandTests",
            [
                "LifelineCommand", "Lifeline", "LifelineServer", "RedisTestSupport", "RealtimeHub", "WireCoding",
                "TransportCommon",
                "WebSocketFraming", "PusherProtocol", "LifelineTesting", crypto, nioCore, nioPosix, nioLocks, nioSSL, x509,
            ]),
        tests(
            "LifelineTestingTests",
            [
                "LifelineTesting", "LifelineTestingChat", "Lifeline", "PusherSwift", "PubNub", "NexconnChatSDK", "EngineRuntime",
                nioLocks,
            ]),
        tests("ServerValuesTests", ["ServerValues"]),
        tests(
            "ServerRuntimeTests",
            [
                "ServerRuntime", "ServerValues", "Identifiers", "WebSocketFraming", "LifelineTesting", nioCore, nioEmbedded,
                nioHTTP1, nioLocks,
            ]),
        tests("RealtimeHubTests", ["Identifiers", "RealtimeHub", "LifelineTesting"]),
        tests(
            "HubStorageTests",
            ["Identifiers", "HubStorage", "RealtimeHub", "StoreConformance", "LifelineTesting", grdb, nioLocks]),
        tests(
            "LifelineServerTests",
            [
                "Identifiers", "LifelineServer", "ServerRuntime", "ServerCluster", "ClusterTestSupport", "RedisTestSupport",
                "RedisClient", "ServerValues", "PusherServer", "PubNubServer", "ChatServer", "ServiceBridge", "RealtimeHub",
                "HubStorage", "StoreConformance", "PusherProtocol", "PubNubProtocol",
                "NexconnProtocol",
                "WireCoding", "BodyCompression", "WebSocketFraming", "LifelineTesting", "StoreConformance", asyncHTTPClient,
                nioCore, nioSSL, nioPosix, nioLocks,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The final code of the tutorials and its tests; Scripts/docs.sh type-checks all of their steps.
        .testTarget(
            name: "TutorialTests", dependencies: ["Lifeline", "LifelineServer"],
            path: "Sources/Lifeline/Lifeline.docc/Resources/Tested",
            swiftSettings: strict),
        .testTarget(
            name: "SeedExamplesSwift5Tests",
            dependencies: ["Identifiers", "PusherSwift", "PubNub", "NexconnChatSDK", "LifelineServer", "RealtimeHub"],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        tests(
            "SeedExamplesSwift6Tests",
            ["Identifiers", "PusherSwift", "PubNub", "NexconnChatSDK", "LifelineServer", "RealtimeHub"]),
        tests(
            "IntegrationTests",
            [
                "Identifiers", "PusherSwift", "PubNub", "NexconnChatSDK", "NexconnProtocol", "PusherProtocol", "Lifeline",
                "LifelineServer", "RealtimeHub", "HubStorage", "StoreConformance", "LifelineTesting", "WireCoding", nioLocks,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The Thread Sanitizer runs three of the test targets. Building the others and the programs for it would cost minutes; programs that are
// named are kept.
if let names = Context.environment["LIFELINE_TEST_TARGETS"] {
    let kept = Set(names.split(separator: ",").map(String.init))
    package.targets.removeAll { ($0.type == .executable || $0.type == .test) && !kept.contains($0.name) }
    if !kept.contains("LifelineCommand") { package.products.removeAll { $0.name == "lifeline" } }
}
