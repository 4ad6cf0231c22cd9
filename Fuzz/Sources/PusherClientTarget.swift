import ConnectionEngine
import Dispatch
import EngineRuntime
import EngineTesting
import Foundation
import PusherProtocol

@testable import PusherSwift

/// A client of Pusher: each line of an input is a frame of the server, see ``ClientTargets/play(_:to:_:decoder:settle:)``.
enum PusherClientTarget {
    private static let channels = [
        "public", "private-a", "presence-a", "cache-a", "private-encrypted-a", "private-cache-a",
    ]

    @Sendable static func run(_ input: FuzzInput) {
        let transport = ScriptedTransport<PusherSession>()
        let timers = ManualTimers()
        let queue = DispatchQueue(label: "fuzz")
        let options = PusherClientOptions(authMethod: .authorizer(authorizer: Signer()))
        options.callbackQueue = queue
        options.recoversMissedEvents = true
        options.engine = PusherEngineAssembly(
            makeHTTP: { _, _ in NoHTTP() },
            makeDriver: { url, options, policy, runner, gate, wantsFrames in
                ConnectionDriver(
                    transport: gate.around(transport, wantsFrames: wantsFrames), jobs: runner, timers: timers, policy: policy,
                    memory: PusherEngineAssembly.memory(url: url, options: options), seed: 1)
            })
        let pusher = Pusher(key: "key", options: options)
        let delegate = Delegate()
        pusher.connection.delegate = delegate
        _ = pusher.bind { (event: PusherEvent) in read(event) }
        for name in channels {
            let channel =
                name.hasPrefix("presence-")
                ? pusher.subscribeToPresenceChannel(
                    channelName: name, onMemberAdded: { _ = $0.userInfo }, onMemberRemoved: { _ = $0.userId })
                : pusher.subscribe(name)
            _ = channel.bind(eventName: "event") { (event: PusherEvent) in read(event) }
        }
        pusher.connect()
        ClientTargets.play(
            input, to: transport, timers, decoder: { PusherFrameDecoder(keepsText: { true }) },
            settle: { for _ in 0..<3 { queue.sync {} } })
        pusher.disconnect()
        queue.sync {}
    }

    private static func read(_ event: PusherEvent) {
        _ = (event.eventName, event.channelName, event.userId, event.data, event.property(withKey: "a"))
        if let data = event.data { _ = AnyJSON.parse(data) }
    }

    private final class Delegate: PusherDelegate {}

    /// Answers at once, with the key of the seeds' encrypted events.
    private final class Signer: Authorizer {
        func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void
        ) {
            let key = PusherEncryption.sharedSecret(channel: channelName, masterKey: [UInt8](repeating: 1, count: 32))
            completionHandler(
                PusherAuth(
                    auth: "key:signature", channelData: #"{"user_id":"1","user_info":{"name":"a"}}"#,
                    sharedSecret: Data(key).base64EncodedString()))
        }
    }

    private struct NoHTTP: AuthorizationHTTP {
        func send(
            _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
            completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
        ) -> @Sendable () -> Void {
            completion(.failure(ConnectionFailure(.networkUnavailable, "Scripted.")))
            return {}
        }
    }
}
