import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOPosix
import NexconnProtocol
import TransportCommon
import WebSocketTransport
import WireCoding

extension NexconnAdapter {
    /// An adapter with real sockets.
    static func live(_ settings: NexconnSettings, _ options: ClientOptions) -> NexconnAdapter {
        let transport = WebSocketTransport<NexconnSession>(
            decoder: { NexconnFrameDecoder() }, configuration: options.webSocket())
        let timers = EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next())
        return make(
            settings, options, transport: transport, http: options.httpCaller(), timers: timers,
            unixSeconds: SystemTime.unixSeconds
        ) { host, change in
            NetworkMonitor.shared.observe(forHost: host, change)
        }
    }

    /// An adapter of these parts.
    static func make(
        _ settings: NexconnSettings, _ options: ClientOptions, transport: any ClientTransport<NexconnSession>,
        http: any HTTPSending, timers: any TimerScheduler, seed: UInt64? = nil, unixSeconds: @escaping @Sendable () -> Int,
        tasks: TaskStarter = .plain,
        observeNetwork: (String, @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation? = { _, _ in nil }
    ) -> NexconnAdapter {
        let policy = ConnectionPolicy.nexconn(timing: options.timing.policy.timing).retrying(options.retryPolicy)
        let issuer = NexconnTokenIssuer(
            settings: settings, http: HeaderedHTTP(http, options.headers), limit: policy.timing.request, unixSeconds: unixSeconds)
        let tokens = NexconnTokenTransport(
            base: HeaderedTransport.webSocket(transport, options.headers), issuer: issuer, tasks: tasks)
        let memory = NexconnMemory(
            host: settings.host.name, port: settings.host.port, usesTLS: settings.host.tls,
            path: (settings.path ?? "") + NexconnMemory.path, appKey: settings.appKey, token: issuer.initialToken,
            device: settings.device, client: "lifeline-swift/\(PackageVersion.current)", yields: settings.yields)
        let driver = Driver(
            transport: tokens, jobs: NexconnJobs(), timers: timers, policy: policy, memory: memory, seed: seed)
        tokens.deliverTokens(to: { [weak driver] in driver?.submit(.perform(.setToken($0), nil)) })
        let network = observeNetwork(settings.host.name) { [weak driver] status in
            guard let driver else { return }
            let failures = driver.snapshot.failedAttempts
            for input in NexconnSession.networkChanged(status, policy: policy, failures: failures) { driver.submit(input) }
        }
        return NexconnAdapter(
            driver: driver, timers: timers, sendLimit: memory.sendLimit, policy: policy, tracksPresence: settings.tracksPresence,
            network: network)
    }
}

/// The session has no side work.
private final class NexconnJobs: JobRunner {
    typealias Session = NexconnSession

    func start(
        _ job: Never, completion: @escaping @Sendable (Result<Never, ConnectionFailure>) -> Void
    ) -> JobCancellation {}
}
