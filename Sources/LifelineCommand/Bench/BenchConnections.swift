import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOPosix
import PubNubProtocol
import PusherProtocol
import TransportCommon
import WebSocketTransport
import WireCoding

/// One connection of a subscriber, made with this package's connection engine. It stays open until this value is released.
struct BenchConnection: Sendable {
    private let driver: any AnyObject & Sendable
    private let observation: Observation

    init(_ driver: any AnyObject & Sendable, _ observation: Observation) {
        self.driver = driver
        self.observation = observation
    }
}

/// Makes the connections of a run with this package's engine, session and transport. Received messages go directly to the ``BenchTally``,
/// which counts them.
struct BenchConnections: Sendable {
    let plan: BenchPlan
    let api: ServerAPI
    /// Whether PubNub requests are signed.
    let isSigned: Bool

    func open(_ subscriber: BenchSubscriber) -> BenchConnection {
        plan.service == .pubnub ? pubnub(subscriber) : pusher(subscriber)
    }

    private func pusher(_ subscriber: BenchSubscriber) -> BenchConnection {
        let host = api.address.host
        var policy = ConnectionPolicy.standard
        policy.overrides = PusherSession.policyOverrides
        var memory = PusherMemory(
            key: api.credentials.key, host: host.name, port: host.port, usesTLS: host.tls, path: api.address.path,
            clientName: "lifeline-bench", version: PackageVersion.current)
        if plan.recovers { memory.askForRecovery() }
        let driver = ConnectionDriver<PusherSession>(
            transport: WebSocketTransport<PusherSession>(
                decoder: { PusherFrameDecoder() },
                configuration: WebSocketTransportConfiguration(trustRoots: api.trustRoots, proxy: api.proxy)),
            jobs: NoAuthorization(), timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()), policy: policy,
            memory: memory)
        let observation = driver.notices.observe(on: .inline) { notices in
            subscriber.receive(
                notices.lazy.compactMap { notice in
                    if case .event(.message(let message)) = notice { message.data } else { nil }
                })
            for notice in notices {
                switch notice {
                case .change(let change): subscriber.changed(change)
                case .event(.subscribed): subscriber.subscribed()
                case .event(.subscriptionFailed(_, let failure, _, willRetry: false)): subscriber.refused(failure)
                default: break
                }
            }
        }
        driver.submit(.perform(.subscribe(PusherSubscription(channel: plan.channel(subscriber.channel))), nil))
        driver.submit(.connect(within: nil))
        return BenchConnection(driver, observation)
    }

    private func pubnub(_ subscriber: BenchSubscriber) -> BenchConnection {
        let host = api.address.host
        let seed = UInt64.random(in: .min ... .max)
        var options = PubNubOptions()
        options.endsWhenEmpty = false
        let settings = PubNubSettings(
            endpoint: HTTPEndpoint(host: host.name, port: host.port, usesTLS: host.tls),
            publishKey: api.credentials.publishKey, subscribeKey: api.credentials.key,
            secretKey: isSigned ? api.credentials.secret.revealed : nil, userID: "bench-\(plan.run)-\(subscriber.index)",
            sdk: "Lifeline-Bench/\(PackageVersion.current)")
        let milliseconds = api.unixMilliseconds
        let driver = ConnectionDriver<PubNubSession>(
            transport: LongPollTransport<PubNubSession>(
                decoder: { PubNubAnswerDecoder() },
                configuration: LongPollTransportConfiguration(trustRoots: api.trustRoots, proxy: api.proxy)),
            jobs: NoJobs<PubNubSession>(), timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
            policy: PubNubSession.policy(.standard, options: options, seed: seed),
            memory: PubNubMemory(settings: settings, options: options, seed: seed) { milliseconds() / 1000 })
        let observation = driver.notices.observe(on: .inline) { notices in
            for notice in notices {
                switch notice {
                case .change(let change): subscriber.changed(change)
                case .event(.subscribed): subscriber.subscribed()
                case .event(.messages(let batch)): subscriber.receive(batch.messages.lazy.map(\.payload))
                default: break
                }
            }
        }
        let list = PubNubList(channels: [plan.channel(subscriber.channel)])
        driver.submit(.perform(.subscribe(list, timetoken: nil, state: [:]), nil))
        driver.submit(.connect(within: nil))
        return BenchConnection(driver, observation)
    }
}

/// Refuses to authorise channels, because a load test subscribes to public channels only.
private final class NoAuthorization: JobRunner {
    typealias Session = PusherSession

    func start(
        _ job: PusherAuthorizeJob,
        completion: @escaping @Sendable (Result<PusherAuthorization, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        completion(
            .failure(ConnectionFailure(.accessDenied, "A load test uses public channels only, which need no authorisation.")))
        return {}
    }
}
