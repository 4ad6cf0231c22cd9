// swift-tools-version: 6.2
import PackageDescription

/// Whether another package depends on this one by its repository: SwiftPM and Xcode read the manifest from the repository, at `/`, while they
/// choose versions, and then in a folder `checkouts`. Both have to give the same answer, or they would disagree on what is to be resolved.
let isDependency = Context.packageDirectory == "/" || Context.packageDirectory.contains("/checkouts/")

/// Settings of every target: Swift 6 mode (the package default). Warnings are errors in our own CI only: those of a compiler that is newer
/// than this package must not break anybody's build.
let isCI = Context.environment["CI"] != nil && !isDependency
let strict: [SwiftSetting] = isCI ? [.treatAllWarnings(as: .error)] : []

/// Settings of targets whose speed nobody notices, in the program that `Scripts/dist.sh` makes: machine code that is a sixth smaller.
let compact: [SwiftSetting] =
    Context.environment["LIFELINE_DIST"] != nil && !isDependency ? [.unsafeFlags(["-Osize"], .when(configuration: .release))] : []

func library(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + settings)
}

/// A library that ships in apps: with Apple's privacy manifest. Elsewhere nobody reads that, and a resource would bring Foundation's `Bundle`
/// into the module.
func client(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    let manifest = "PrivacyInfo.xcprivacy"
    #if canImport(Darwin)
        return .target(name: name, dependencies: dependencies, resources: [.copy(manifest)], swiftSettings: strict + settings)
    #else
        return .target(name: name, dependencies: dependencies, exclude: [manifest], swiftSettings: strict + settings)
    #endif
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// A product of a package that is resolved only with one of the traits, if any are named.
func product(_ name: String, _ package: String, traits: Set<String> = []) -> Target.Dependency {
    .product(name: name, package: package, condition: traits.isEmpty ? nil : .when(traits: traits))
}

let nioCore = product("NIOCore", "swift-nio")
let nioPosix = product("NIOPosix", "swift-nio")
let nioHTTP1 = product("NIOHTTP1", "swift-nio")
let nioTLS = product("NIOTLS", "swift-nio")
let nioEmbedded = product("NIOEmbedded", "swift-nio")
let nioLocks = product("NIOConcurrencyHelpers", "swift-nio")
/// Network.framework for SwiftNIO: on Apple platforms only, so that others neither resolve nor build it.
#if canImport(Darwin)
    let nioTransportServices: [Target.Dependency] = [
        .product(
            name: "NIOTransportServices", package: "swift-nio-transport-services",
            condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .visionOS]))
    ]
#else
    let nioTransportServices: [Target.Dependency] = []
#endif
let nioSSL = product("NIOSSL", "swift-nio-ssl")
let crypto = product("Crypto", "swift-crypto")
let cryptoExtras = product("CryptoExtras", "swift-crypto")
/// The same for clients, which on Apple platforms use the system's instead: one BoringSSL fewer in an app.
let cryptoExtrasOffApple = Target.Dependency.product(
    name: "CryptoExtras", package: "swift-crypto", condition: .when(platforms: [.linux, .android, .windows, .openbsd]))
let logging = product("Logging", "swift-log")
let metrics = product("Metrics", "swift-metrics")
let deque = product("DequeModule", "swift-collections")
let heap = product("HeapModule", "swift-collections")
let orderedCollections = product("OrderedCollections", "swift-collections")

// What the clients do without.
let grdb = product("GRDB", "GRDB.swift", traits: ["ChatDatabase", "Server"])
let serviceLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", traits: ["Server", "CommandLine"])
let tracing = product("Tracing", "swift-distributed-tracing", traits: ["Server"])
let unixSignals = product("UnixSignals", "swift-service-lifecycle", traits: ["CommandLine"])
let argumentParser = product("ArgumentParser", "swift-argument-parser", traits: ["CommandLine"])
let x509 = product("X509", "swift-certificates", traits: ["CommandLine", "Development"])
let asyncHTTPClient = product("AsyncHTTPClient", "async-http-client", traits: ["Development"])

let package = Package(
    name: "lifeline",
    // Not watchOS: it blocks sockets and Network.framework in apps (Apple's technical note TN3135).
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .visionOS(.v1)],
    products: [
        .library(name: "PusherSwift", targets: ["PusherSwift"]),
        .library(name: "PubNub", targets: ["PubNub"]),
        .library(name: "NexconnChat", targets: ["NexconnChatSDK"]),
        // The same by the name of the module, which is what an app imports.
        .library(name: "NexconnChatSDK", targets: ["NexconnChatSDK"]),
        .library(name: "Lifeline", targets: ["Lifeline"]),
        .library(name: "LifelineOutbox", targets: ["LifelineOutbox"]),
        .library(name: "LifelineUI", targets: ["LifelineUI"]),
        .library(name: "LifelineBackend", targets: ["LifelineBackend"]),
        .library(
            name: "LifelineServer",
            targets: ["LifelineServer", "ServerStorage", "HubStorage", "PostgreSQLStorage", "Identifiers"]),
        .library(name: "LifelineTesting", targets: ["LifelineTesting", "StoreConformance", "ServerStorage", "Identifiers"]),
        .library(name: "LifelineTestingChat", targets: ["LifelineTestingChat"]),
        .executable(name: "lifeline", targets: ["LifelineCommand"]),
    ],
    traits: [
        .trait(
            name: "ChatDatabase", description: "What NexconnChat and LifelineOutbox need: a database of the client's, on GRDB."),
        .trait(name: "Server", description: "What LifelineServer needs: stores on GRDB, and swift-service-lifecycle."),
        .trait(
            name: "CommandLine",
            description: "What the program lifeline needs: everything else, and packages for arguments and settings.",
            enabledTraits: ["ChatDatabase", "Server"]),
        .trait(
            name: "Development", description: "What only the tests of this package need.",
            enabledTraits: ["ChatDatabase", "Server", "CommandLine"]),
        // A checkout has everything. A dependency has the clients: tools that cannot choose traits are those of apps.
        .default(enabledTraits: isDependency ? ["ChatDatabase"] : ["ChatDatabase", "Server", "CommandLine", "Development"]),
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
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Say which trait is missing.
        .target(
            name: "ChatRequirements", path: "Sources/Requirements", exclude: ["Server.swift", "Outbox.swift"],
            sources: ["ChatDatabase.swift"],
            swiftSettings: strict),
        .target(
            name: "ServerRequirements", path: "Sources/Requirements", exclude: ["ChatDatabase.swift", "Outbox.swift"],
            sources: ["Server.swift"],
            swiftSettings: strict),
        .target(
            name: "OutboxRequirements", path: "Sources/Requirements", exclude: ["ChatDatabase.swift", "Server.swift"],
            sources: ["Outbox.swift"], swiftSettings: strict),

        // The engine and what runs it.
        library("ConnectionEngine", []),
        library("EngineRuntime", ["ConnectionEngine", nioCore, nioLocks, deque, logging, metrics]),

        // Bytes in and out.
        library("WebSocketFraming", [nioCore, crypto]),
        library(
            "TransportCommon",
            ["ConnectionEngine", crypto, cryptoExtrasOffApple, nioCore, nioPosix, nioLocks, nioSSL, nioTLS]
                + nioTransportServices),
        library(
            "WebSocketTransport",
            ["ConnectionEngine", "EngineRuntime", "TransportCommon", "WebSocketFraming", nioCore, nioHTTP1, nioLocks]),
        library(
            "HTTPTransport",
            ["ConnectionEngine", "EngineRuntime", "TransportCommon", deque, nioCore, nioHTTP1, nioLocks, nioSSL]),

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
        library(
            "PubNubProtocol",
            ["Identifiers", "ConnectionEngine", "WireCoding", crypto, cryptoExtrasOffApple, orderedCollections]),
        library("ChatProtocol", ["Identifiers", "ConnectionEngine", "WireCoding", crypto, deque, orderedCollections]),

        // What clients are put together of: real parts, or a double's.
        library(
            "ClientRuntime",
            [
                "ConnectionEngine", "EngineRuntime", "TransportCommon", "WebSocketTransport", "HTTPTransport", nioPosix, nioLocks,
            ]),

        // Client APIs.
        client(
            "PusherSwift",
            [
                "Identifiers", "ConnectionEngine", "PusherProtocol", "EngineRuntime", "ClientRuntime", "TransportCommon",
                "WebSocketTransport", "HTTPTransport", nioLocks, logging,
            ]),
        client(
            "PubNub",
            [
                "Identifiers", "ConnectionEngine", "PubNubProtocol", "EngineRuntime", "ClientRuntime", "TransportCommon",
                "HTTPTransport", "WireCoding", "BodyCompression", crypto, nioLocks, logging,
            ]),
        // The files of what clients keep on their own disk.
        library("DatabaseFile", [crypto]),
        // What a chat client keeps there.
        library(
            "ChatDatabase", ["ChatRequirements", "DatabaseFile", "Identifiers", "ChatProtocol", "WireCoding", grdb, nioLocks]),
        client(
            "NexconnChatSDK",
            [
                "Identifiers", "ConnectionEngine", "ChatProtocol", "ChatDatabase", "EngineRuntime", "ClientRuntime",
                "TransportCommon", "WebSocketTransport", "WireCoding", crypto, nioLocks, logging, orderedCollections,
            ]),
        client(
            "Lifeline",
            [
                "Identifiers", "ConnectionEngine", "PusherProtocol", "PubNubProtocol", "ChatProtocol", "WireCoding",
                "EngineRuntime", "ClientRuntime", "TransportCommon", "HTTPTransport", nioLocks, logging, deque,
            ], compact),
        // The outbox of Lifeline, on disk.
        client("LifelineOutbox", ["OutboxRequirements", "DatabaseFile", "Lifeline", "TransportCommon", grdb, nioLocks]),

        // Models for views, and publishers for Combine.
        client("LifelineUI", ["Identifiers", "Lifeline", nioLocks]),

        // What an application's own server does: signed HTTP calls, grants for clients, webhooks.
        library(
            "LifelineBackend",
            [
                "ConnectionEngine", "PusherProtocol", "PubNubProtocol", "ChatProtocol", "WireCoding", "TransportCommon",
                "HTTPTransport",
            ], compact),

        // For tests of the engine and of what runs on it: a manual clock, a scripted transport, the simulator.
        library("EngineTesting", ["ConnectionEngine", "EngineRuntime", nioLocks]),
        // For tests of apps.
        library(
            "LifelineTesting",
            [
                "ConnectionEngine", "EngineRuntime", "EngineTesting", "ClientRuntime", "HTTPTransport", "Identifiers",
                "WireCoding",
                "PusherProtocol", "PubNubProtocol", "ChatProtocol", "Lifeline", "PusherSwift", "PubNub", deque, nioLocks,
            ]),
        library("LifelineTestingChat", ["LifelineTesting", "NexconnChatSDK", "ClientRuntime", "EngineRuntime"]),

        // The server.
        library("ServerValues", []),
        library("ServerStorage", ["Identifiers", "ServerValues"]),
        library("HubStorage", ["ServerRequirements", "Identifiers", "ServerStorage", deque, grdb, nioLocks]),
        // It loads libpq when it is used.
        library("PostgreSQLStorage", ["Identifiers", "ServerStorage", "ServerValues", deque, nioLocks], compact),
        // What every store has to fulfil, for stores of others too.
        library("StoreConformance", ["Identifiers", "ServerStorage", nioLocks]),
        library(
            "ServerRuntime",
            [
                "Identifiers", "ServerValues", "HTTPTransport", "TransportCommon", "WebSocketFraming", "WireCoding", crypto,
                deque,
                nioCore, nioPosix, nioHTTP1, nioLocks, nioSSL, logging, tracing,
            ]),
        library(
            "PubNubServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "ServerValues", "ServerStorage", "HTTPTransport",
                "PubNubProtocol", "WireCoding", "BodyCompression", crypto, deque, heap, nioCore, nioPosix, nioHTTP1, nioLocks,
                logging, orderedCollections,
            ]),
        library(
            "ChatServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "ServerValues", "ServerStorage", "HTTPTransport",
                "ChatProtocol", "WireCoding", "WebSocketFraming", crypto, deque, heap, nioCore, nioHTTP1, nioLocks, logging,
                orderedCollections,
            ]),
        library(
            "PusherServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "ServerValues", "ServerStorage", "HTTPTransport",
                "PusherProtocol", "WireCoding", "WebSocketFraming", deque, nioCore, nioPosix, nioLocks, logging,
                orderedCollections,
            ]),
        // What the nodes of a cluster say to each other, and the one of them that decides; over a store of any kind.
        library(
            "ServerCluster",
            [
                "Identifiers", "ServerRuntime", "ServerValues", deque, nioCore, nioPosix, nioHTTP1, nioLocks, logging,
            ]),
        // Redis as the store of a cluster.
        .target(
            name: "RedisStoreEngine",
            dependencies: ["RedisClient", "ServerCluster", "ServerRuntime", "ServerValues", nioCore, nioLocks, logging],
            resources: ["lead", "commit", "answer", "read"].map { .embedInCode("Scripts/\($0).lua") }, swiftSettings: strict),
        // The files of the console in a browser, as part of the program: a program has no bundle beside it.
        .target(
            name: "ConsolePages",
            resources: [
                "index.html", "console.css", "app.js", "parts.js", "charts.js", "overview.js", "channels.js", "live.js",
                "people.js", "trouble.js", "update.js", "icon.svg",
            ].map { .embedInCode("Files/\($0)") },
            swiftSettings: strict),
        // The OpenAPI descriptions of the server's HTTP APIs, as part of the program for the same reason.
        .target(
            name: "ServerDescriptions",
            resources: ["pusher.json", "chat.json", "server.json"].map { .embedInCode("Files/\($0)") }, swiftSettings: strict),
        library(
            "ServerConsole",
            [
                "ConsolePages", "Identifiers", "ServerRuntime", "ServerValues", "WireCoding", crypto, cryptoExtras, nioCore,
                nioPosix,
                nioHTTP1, nioLocks, logging,
            ], compact),
        library("ServiceBridge", ["Identifiers", "ServerRuntime", deque, nioCore, nioLocks, logging], compact),
        library(
            "LifelineServer",
            [
                "Identifiers", "ServerRuntime", "ServerCluster", "RedisClient", "RedisStoreEngine", "PusherServer",
                "PubNubServer",
                "ChatServer",
                "ServiceBridge", "ServerConsole", "ServerDescriptions", "ServerStorage", "HubStorage", "WireCoding",
                "PostgreSQLStorage", "ServerValues",
                crypto, nioCore, nioPosix, nioLocks, logging, serviceLifecycle,
            ], compact),
        .executableTarget(
            name: "LifelineCommand",
            dependencies: [
                "ConnectionEngine", "EngineRuntime", "Identifiers", "HTTPTransport", "WebSocketTransport", "Lifeline",
                "LifelineBackend", "LifelineServer", "ServerRuntime", "ServerConsole", "ServerCluster", "RedisClient",
                "RedisStoreEngine",
                "PusherProtocol", "PubNubProtocol", "ChatProtocol", "ServerStorage", "HubStorage", "WireCoding",
                "PostgreSQLStorage", "TransportCommon", "WebSocketFraming", nioCore, nioPosix, nioLocks, nioTLS, nioSSL, x509,
                orderedCollections,
                argumentParser,
                serviceLifecycle,
                unixSignals,
                logging,
                tracing,
            ],
            swiftSettings: strict + compact),

        // Programs that show the neutral API; built and run by Scripts/run-examples.sh.
        .executableTarget(name: "example-chatroom", dependencies: ["Lifeline"], path: "Examples/Chatroom", swiftSettings: strict),
        .executableTarget(
            name: "example-presence", dependencies: ["Lifeline"], path: "Examples/PresenceBoard", swiftSettings: strict),
        .executableTarget(name: "example-prices", dependencies: ["Lifeline"], path: "Examples/LivePrices", swiftSettings: strict),

        // An application's own server on LifelineBackend; Tests/InteropTests/test_backend_example.py runs it.
        .executableTarget(
            name: "example-backend", dependencies: ["LifelineBackend", nioCore, nioPosix, nioHTTP1], path: "Examples/Backend",
            swiftSettings: strict),

        // An app's model on LifelineUI, with its tests.
        .target(name: "PriceBoard", dependencies: ["LifelineUI"], path: "Examples/PriceBoard", swiftSettings: strict),
        tests("PriceBoardTests", ["PriceBoard", "Lifeline", "LifelineTesting"]),

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

        // Prints what the four APIs tell about the network, for Tests/ScenarioTests/test_own_network.py.
        .executableTarget(
            name: "network-watch", dependencies: ["Lifeline", "PusherSwift", "PubNub", "NexconnChatSDK"],
            path: "Tests/NetworkWatch", swiftSettings: strict),

        // Tests mirror sources.
        tests("ConnectionEngineTests", ["ConnectionEngine", "EngineTesting"]),
        // What tests share is in test targets too: so no build without tests has it, and it may use @testable.
        // Logs and metrics that a test can read.
        tests("TelemetryTestSupport", [logging, metrics, nioLocks]),
        tests(
            "EngineRuntimeTests", ["EngineRuntime", "TelemetryTestSupport", "EngineTesting", "ConnectionEngine", deque, nioLocks]),
        tests(
            "ClientRuntimeTests",
            [
                "ClientRuntime", "ConnectionEngine", "EngineRuntime", "HTTPTransport", "LifelineTesting", "TransportCommon",
                nioLocks,
            ]),
        tests("WebSocketFramingTests", ["WebSocketFraming", nioCore]),
        tests(
            "TransportCommonTests",
            [
                "TransportCommon", "ConnectionEngine", "SocketTestSupport", crypto, cryptoExtras, nioCore, nioPosix, nioSSL, x509,
                nioLocks,
            ]),
        // What the tests of the transports and of the Redis client wait with.
        tests("SocketTestSupport", [nioCore, nioPosix, nioLocks]),
        tests(
            "WebSocketTransportTests",
            [
                "SocketTestSupport", "WebSocketTransport", "HTTPTransport", "TransportCommon", "EngineTesting",
                "ConnectionEngine", "EngineRuntime", "WebSocketFraming", nioCore, nioPosix, nioSSL, nioLocks,
            ]),
        tests(
            "HTTPTransportTests",
            [
                "SocketTestSupport", "HTTPTransport", "TransportCommon", "EngineRuntime", "EngineTesting", "ConnectionEngine",
                nioPosix, nioSSL, nioLocks, nioCore,
            ]),
        tests("RedisClientTests", ["RedisClient", "ConnectionEngine", nioCore]),
        // A PostgreSQL and a Redis of a test's own.
        tests("PostgresTestSupport", []),
        tests("RedisTestSupport", []),
        // A cluster without Redis, in one process.
        tests("ClusterTestSupport", ["ServerCluster", "RedisClient", "RedisStoreEngine", nioCore, nioPosix, nioLocks]),
        // A protocol of its own, as docs/adding-a-protocol.md describes it.
        .target(
            name: "EchoServer",
            dependencies: [
                "LifelineServer", "ServerRuntime", "ServerCluster", "ServerValues", "WebSocketFraming", nioCore,
                nioLocks,
            ], path: "Tests/EchoServer", swiftSettings: strict),
        tests(
            "ServerClusterTests",
            [
                "ClusterTestSupport", "Identifiers", "ServerCluster", "ServerRuntime", "ServerValues", nioCore, nioHTTP1,
                nioPosix,
                nioLocks, logging,
            ]),
        tests("RedisStoreEngineTests", ["RedisStoreEngine", "RedisClient", "ServerCluster", nioCore, nioLocks]),
        tests(
            "RedisClientServerTests",
            ["SocketTestSupport", "RedisTestSupport", "RedisClient", nioCore, nioPosix, nioLocks, nioSSL]),
        tests(
            "ClusterRedisTests",
            [
                "SocketTestSupport", "RedisTestSupport", "RedisStoreEngine", "ServerCluster", "ServerRuntime", "RedisClient",
                nioCore,
                nioPosix,
                nioLocks, logging,
            ]),
        tests("IdentifiersTests", ["Identifiers"]),
        tests("WireCodingTests", ["WireCoding"]),
        tests("BodyCompressionTests", ["BodyCompression", "ConnectionEngine"]),
        tests("PusherProtocolTests", ["PusherProtocol", "WireCoding", "EngineTesting", "ConnectionEngine"]),
        tests(
            "PubNubProtocolTests",
            ["Identifiers", "PubNubProtocol", "WireCoding", "EngineTesting", "ConnectionEngine", crypto, cryptoExtras]),
        tests("ChatProtocolTests", ["ChatProtocol", "WireCoding", "EngineTesting", "ConnectionEngine"]),
        tests("DatabaseFileTests", ["DatabaseFile"]),
        tests("ChatDatabaseTests", ["ChatDatabase", "ChatProtocol", grdb, nioLocks]),
        tests(
            "NexconnChatSDKTests",
            [
                "TelemetryTestSupport", "Identifiers", "NexconnChatSDK", "ChatProtocol", "ChatDatabase", "WireCoding",
                "LifelineServer", "ServerStorage", "EngineTesting", "ChatServer", "ConnectionEngine", "EngineRuntime",
                "PubNubServer", "PusherServer", "TransportCommon", "WebSocketTransport", nioLocks,
            ]),
        tests(
            "PubNubTests",
            [
                "SocketTestSupport", "TelemetryTestSupport", "Identifiers", "PubNub", "PubNubProtocol", "WireCoding",
                "LifelineServer", "EngineTesting", "BodyCompression", "ConnectionEngine", "EngineRuntime", "HTTPTransport",
                nioLocks,
            ]),
        tests(
            "PusherSwiftTests",
            [
                "TelemetryTestSupport", "PusherSwift", "PusherProtocol", "LifelineServer", "EngineTesting", "ConnectionEngine",
                "EngineRuntime", "WebSocketTransport", nioPosix, nioLocks, nioCore,
            ]),
        tests(
            "LifelineTests",
            [
                "TelemetryTestSupport", "Identifiers", "Lifeline", "PusherProtocol", "PubNubProtocol", "ChatProtocol",
                "WireCoding",
                "HTTPTransport", "TransportCommon", "LifelineServer", "ServerStorage", "EngineTesting", "ChatServer",
                "ConnectionEngine", "EngineRuntime", "ClientRuntime", "PubNubServer", "PusherServer", "ServerRuntime", nioCore,
                nioPosix,
                nioLocks,
            ]),
        tests("LifelineOutboxTests", ["LifelineOutbox", "DatabaseFile", "Lifeline", "LifelineTesting", grdb]),
        tests("LifelineUITests", ["LifelineUI", "Lifeline", "LifelineTesting", nioLocks]),
        tests(
            "LifelineBackendTests",
            [
                "LifelineBackend", "ConnectionEngine", "HTTPTransport", "ChatProtocol", "PusherProtocol", "WireCoding",
                "Lifeline", "LifelineServer", nioLocks,
            ]),
        tests(
            "LifelineCommandTests",
            [
                "LifelineCommand", "ConnectionEngine", "Lifeline", "LifelineServer", "ServerRuntime", "ServerConsole",
                "RedisClient", "RedisStoreEngine",
                "EchoServer", "SocketTestSupport", "TelemetryTestSupport", "ServerStorage", "ServerCluster", "WireCoding",
                "TransportCommon",
                "WebSocketFraming", "PubNubProtocol", "PusherProtocol", argumentParser, crypto, nioCore, nioPosix, nioEmbedded,
                nioLocks, nioSSL, x509, logging, tracing,
            ]),
        tests(
            "LifelineTestingTests",
            [
                "LifelineTesting", "LifelineTestingChat", "Lifeline", "PusherSwift", "PubNub", "NexconnChatSDK", "HTTPTransport",
                nioLocks,
            ]),
        tests("ServerValuesTests", ["ServerValues"]),
        tests(
            "ServerRuntimeTests",
            ["ServerRuntime", "ServerValues", "WebSocketFraming", nioCore, nioEmbedded, nioLocks, logging]),
        tests(
            "ServerConsoleTests",
            ["ServerConsole", "ConsolePages", "ServerRuntime", "ServerValues", nioCore, nioHTTP1]),
        tests("ServerStorageTests", ["ServerStorage"]),
        tests("PubNubCoreTests", ["Identifiers", "ServerStorage", "PubNubServer", "ConnectionEngine"]),
        tests("ChatCoreTests", ["Identifiers", "ServerStorage", "ChatServer", "ChatProtocol", "ConnectionEngine"]),
        tests("PusherCoreTests", ["Identifiers", "PusherProtocol", "PusherServer", "ServerValues", "ConnectionEngine"]),
        tests(
            "HubStorageTests",
            ["Identifiers", "HubStorage", "ServerStorage", "StoreConformance", "ConnectionEngine", grdb, nioLocks]),
        tests(
            "PostgreSQLStorageTests",
            [
                "Identifiers", "PostgreSQLStorage", "PostgresTestSupport", "ServerStorage", "ServerValues", "StoreConformance",
                nioLocks,
            ]),
        // What the tests of the three services and of the whole server share: servers, clients, clocks, doubles of stores.
        tests(
            "ServerTestSupport",
            [
                "ChatServer", "HubStorage", "Identifiers", "LifelineServer", "ChatProtocol", "PubNubProtocol", "PubNubServer",
                "PusherProtocol", "PusherServer", "ServerRuntime", "ServerStorage", "ServerValues", "WebSocketFraming",
                "WireCoding",
                asyncHTTPClient, logging, nioCore, nioHTTP1, nioLocks, nioPosix, nioSSL,
            ]),
        tests(
            "PusherServerTests",
            [
                "ChatServer", "ClusterTestSupport", "Identifiers", "LifelineServer", "PubNubServer", "PusherProtocol",
                "PusherServer", "RedisClient", "RedisTestSupport", "ServerCluster", "ServerRuntime", "ServerStorage",
                "ServerTestSupport", "ServerValues", "WireCoding", logging, nioCore, nioLocks, nioPosix,
            ]),
        tests(
            "PubNubServerTests",
            [
                "BodyCompression", "ChatServer", "ClusterTestSupport", "ConnectionEngine", "HubStorage", "Identifiers",
                "LifelineServer", "PubNubProtocol", "PubNubServer", "PusherServer", "RedisClient", "RedisTestSupport",
                "ServerCluster", "ServerRuntime", "ServerStorage", "ServerTestSupport", "ServerValues", "StoreConformance",
                "WireCoding", nioCore, nioHTTP1, nioLocks, nioPosix,
            ]),
        tests(
            "ChatServerTests",
            [
                "ChatServer", "ClusterTestSupport", "HubStorage", "Identifiers", "LifelineServer", "ChatProtocol",
                "PubNubServer", "PusherServer", "RedisClient", "RedisTestSupport", "ServerCluster", "ServerRuntime",
                "ServerStorage", "ServerTestSupport", "ServerValues", "StoreConformance", "WebSocketFraming", "WireCoding",
                asyncHTTPClient, logging, nioCore, nioHTTP1, nioLocks, nioPosix,
            ]),
        tests(
            "LifelineServerTests",
            [
                "ChatServer", "ClusterTestSupport", "EchoServer", "HubStorage", "Identifiers", "LifelineServer",
                "ChatProtocol", "PostgreSQLStorage", "PostgresTestSupport", "PubNubProtocol", "PubNubServer", "PusherProtocol",
                "PusherServer", "RedisClient", "RedisStoreEngine", "RedisTestSupport",
                "ServerCluster", "ServerConsole", "ServerDescriptions", "ServerRuntime", "ServerStorage", "ServerTestSupport",
                "ServerValues", "ServiceBridge", "StoreConformance", "WebSocketFraming", "WireCoding", asyncHTTPClient, nioCore,
                nioLocks, nioSSL,
                serviceLifecycle,
            ]),
        // The final code of the tutorials and its tests; Scripts/docs.sh type-checks all of their steps.
        .testTarget(
            name: "TutorialTests", dependencies: ["Lifeline", "LifelineTesting"],
            path: "Sources/Lifeline/Lifeline.docc/Resources/Tested",
            swiftSettings: strict),
        .testTarget(
            name: "SeedExamplesSwift5Tests",
            dependencies: [
                "Identifiers", "PusherSwift", "PubNub", "NexconnChatSDK", "LifelineServer", "ChatServer", "ConnectionEngine",
                "EngineRuntime", "HTTPTransport", "ChatProtocol", "PubNubProtocol", "PubNubServer",
                "PusherProtocol", "PusherServer", nioLocks,
            ],
            swiftSettings: [.swiftLanguageMode(.v5)] + strict),
        tests(
            "SeedExamplesSwift6Tests",
            ["PusherSwift", "PubNub", "NexconnChatSDK", "LifelineServer", "ConnectionEngine", "PubNubProtocol", "PusherProtocol"]),
        tests(
            "IntegrationTests",
            [
                "Identifiers", "PusherSwift", "PubNub", "NexconnChatSDK", "ChatProtocol", "PusherProtocol", "Lifeline",
                "LifelineBackend", "LifelineOutbox", "LifelineUI", "LifelineServer", "ServerStorage", "HubStorage",
                "StoreConformance",
                "LifelineTesting",
                "ChatServer", "ConnectionEngine", nioLocks,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

#if canImport(Darwin)
    package.dependencies.append(.package(url: "https://github.com/apple/swift-nio-transport-services", from: "1.28.0"))
#endif

// The Thread Sanitizer runs three of the test targets. Building the others and the programs for it would cost minutes; programs that are
// named are kept.
if let names = Context.environment["LIFELINE_TEST_TARGETS"] {
    var kept = Set(names.split(separator: ",").map(String.init))
    // Tests of a program need it.
    for target in package.targets where kept.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { kept.insert(name) }
    }
    package.targets.removeAll { ($0.type == .executable || $0.type == .test) && !kept.contains($0.name) }
    if !kept.contains("LifelineCommand") { package.products.removeAll { $0.name == "lifeline" } }
}

// The fuzzers of Fuzz/README.md: one program for all of them. Our own modules are instrumented and optimised, other people's are not.
if Context.environment["LIFELINE_FUZZ"] != nil {
    package.targets.removeAll { $0.type == .executable || $0.type == .test }
    package.products.removeAll { $0.name == "lifeline" }
    for target in package.targets where target.type == .regular {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer", "-O"])]
    }
    package.targets.append(
        .executableTarget(
            name: "lifeline-fuzz",
            dependencies: [
                "Identifiers", "WireCoding", "BodyCompression", "WebSocketFraming", "TransportCommon", "HTTPTransport",
                "RedisClient",
                "PusherProtocol", "PubNubProtocol", "ChatProtocol", "PusherSwift", "PubNub", "ChatDatabase", "NexconnChatSDK",
                "ServerRuntime", "ServerCluster", "PusherServer", "PubNubServer", "ChatServer", "ServerStorage",
                "ConnectionEngine",
                "EngineRuntime", "EngineTesting", "ServerValues", nioCore, nioLocks, nioSSL,
            ],
            path: "Fuzz/Sources",
            swiftSettings: strict + [.unsafeFlags(["-sanitize=fuzzer", "-O", "-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}
