import ConnectionEngine
import Foundation
import Lifeline
import NIOConcurrencyHelpers
import PubNub
import PusherSwift
import Testing

@testable import NexconnChatSDK

/// Numbers that no setting means, given to every setting of every client. Nobody listens where the clients dial: each has to say so, or
/// that the setting is none, and the process goes on.
@Suite("Settings with absurd values", .serialized, .timeLimit(.minutes(2)))
struct AbsurdOptionsTests {
    private static let times: [TimeInterval] = [-.infinity, -1e300, -1, 0, .leastNonzeroMagnitude, 1e300, .infinity, .nan]
    private static let numbers = [Int.min, -1, 0, 65_536, Int.max]
    /// The discard service: nobody listens there.
    private static let deadPort = 9

    // MARK: PusherSwift

    /// Waits until a client has said that it does not get on.
    private final class Watcher: PusherDelegate {
        let seen = Seen<String>()

        func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
            seen.append(new.stringValue())
        }

        func receivedError(error: PusherError) { seen.append("error") }
    }

    private func run(_ options: PusherClientOptions) async {
        let (pusher, watcher) = (Pusher(key: "key", options: options), Watcher())
        pusher.delegate = watcher
        _ = pusher.subscribe("room")
        pusher.connect()
        await watcher.seen.wait { seen in seen.contains { $0 != "connecting" } }
        pusher.disconnect()
    }

    @Test(arguments: times) func `PusherSwift: times`(time: TimeInterval) async {
        let options = PusherClientOptions(
            host: .host("127.0.0.1"), port: Self.deadPort, useTLS: false, activityTimeout: time)
        options.subscribeTimeout = time
        options.messageTimeout = time
        await run(options)
    }

    @Test(arguments: numbers) func `PusherSwift: ports and sizes`(number: Int) async {
        let options = PusherClientOptions(host: .host("127.0.0.1"), port: number, useTLS: false)
        options.maximumMessageSize = number
        await run(options)
        let proxied = PusherClientOptions(host: .host("127.0.0.1"), port: Self.deadPort, useTLS: false)
        proxied.proxy = PusherProxy(host: "127.0.0.1", port: number)
        await run(proxied)
    }

    // MARK: PubNub

    private func run(_ change: (PNConfiguration) -> Void) async {
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(Self.deadPort)"
        configuration.TLSEnabled = false
        change(configuration)
        let client = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "absurd"))
        client.subscribeToChannels(["room"], withPresence: true)
        await withCheckedContinuation { continuation in
            client.timeWithCompletion { result, status in
                #expect(result == nil && status?.isError == true)
                continuation.resume()
            }
        }
        client.unsubscribeFromAll()
    }

    @Test(arguments: times) func `PubNub: times`(time: TimeInterval) async {
        await run { configuration in
            configuration.subscribeMaximumIdleTime = time
            configuration.nonSubscribeRequestTimeout = time
            configuration.subscribeRenewalInterval = time
            configuration.messageTimeout = time
            configuration.retryPolicy = PNRetryPolicy(isEnabled: true, maximumRetries: 1, maximumDelay: time)
        }
    }

    @Test(arguments: numbers) func `PubNub: numbers`(number: Int) async {
        await run { configuration in
            configuration.presenceHeartbeatValue = number
            configuration.presenceHeartbeatInterval = number
            configuration.maximumAnswerSize = number
            configuration.requestMessageCountThreshold = UInt(bitPattern: number)
            configuration.maximumMessagesCacheSize = UInt(bitPattern: number)
            configuration.fileMessagePublishRetryLimit = UInt(bitPattern: number)
            configuration.retryPolicy = PNRetryPolicy(isEnabled: true, maximumRetries: number, maximumDelay: 1)
        }
        await run { $0.proxy = PNProxy(host: "127.0.0.1", port: number) }
        await run { $0.origin = "127.0.0.1:\(number)" }
    }

    // MARK: Chat

    private func run(timeout: Int = 1, _ change: (InitParams) -> Void) async {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-absurd-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let engine = ChatEngine(assembly: .live)
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:\(Self.deadPort)"
        params.databaseDirectory = folder.path
        params.logLevel = .none
        change(params)
        engine.initialize(EngineSettings(params))
        let connection = ConnectParams(token: "token")
        connection.timeout = timeout
        let seen = Seen<String>()
        engine.connect(
            SignIn(connection),
            call: ConnectCall(opened: { _, _ in }) { result in
                if case .failure = result { seen.append("refused") } else { seen.append("connected") }
            })
        // Without a limit the client would try for good.
        if timeout != 1 { engine.disconnect(disablePush: false) }
        await seen.wait { !$0.isEmpty }
        #expect(seen.elements == ["refused"])
        engine.disconnect(disablePush: false)
    }

    @Test(arguments: times) func `Chat: times`(time: TimeInterval) async {
        await run { $0.messageTimeout = time }
    }

    @Test(arguments: numbers) func `Chat: numbers`(number: Int) async {
        await run { params in
            params.maximumMessageSize = number
            params.proxy = NCProxy(host: "127.0.0.1", port: number)
        }
        await run(timeout: number) { _ in }
    }

    // MARK: Lifeline

    private static let durations: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(1e10), .seconds(Int64.max),
    ]

    private func services(port: Int) -> [Service] {
        let host = ServiceHost("127.0.0.1", port: port, tls: false)
        return [
            .pusher(key: "key", host: host), .pubnub(publishKey: "demo", subscribeKey: "demo", userID: "ann", host: host),
            .nexconn(appKey: "app-key", host: host, access: .token("token")),
        ]
    }

    private func run(_ service: Service, _ options: ClientOptions, timeout: Duration = .milliseconds(200)) async {
        let client = LifelineClient(service, options: options)
        await #expect(throws: LifelineError.self) { try await client.connect(timeout: timeout) }
        await client.disconnect()
    }

    @Test(arguments: durations) func `Lifeline: times`(time: Duration) async {
        for service in services(port: Self.deadPort) {
            await run(service, ClientOptions(messageTimeout: time, pollRenewal: time))
            if time < .seconds(2) { await run(service, ClientOptions(), timeout: time) }
        }
    }

    @Test(arguments: numbers) func `Lifeline: numbers`(number: Int) async {
        for service in services(port: number) { await run(service, ClientOptions(backlog: number, messageBytes: number)) }
        for service in services(port: Self.deadPort) {
            await run(service, ClientOptions(proxy: HTTPProxy(host: "127.0.0.1", port: number)))
        }
    }
}
