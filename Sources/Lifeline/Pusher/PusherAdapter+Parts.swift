import ClientRuntime
import ConnectionEngine
import EngineRuntime
import PusherProtocol
import TransportCommon
import WireCoding

extension PusherAdapter {
    /// The longest WebSocket message in bytes, 32 MiB: the same limit as in PusherSwift.
    private static let longestMessage = 1 << 25

    /// Makes an adapter from a client's transport, timer and HTTP parts.
    static func on(_ parts: ClientParts, _ settings: PusherSettings, options: ClientOptions) -> PusherAdapter {
        let network = options.network
        // The limit for a WebSocket message is higher than the 10 KiB of Pusher's own service, because self-hosted servers may allow longer
        // data (rule PA-53).
        let dial: @Sendable () -> any ClientTransport<PusherSession> = {
            parts.webSocket(network.webSocket(messageBytes: longestMessage)) { PusherFrameDecoder() }
        }
        let adapter = make(
            settings, options, dial: dial, http: parts.http(network.httpCaller(answers: PusherCaller.longestAnswer)),
            timers: parts.makeTimers(), seed: parts.nextSeed(), unixSeconds: parts.unixSeconds, tasks: parts.tasks,
            track: { parts.track($0) },
            observeNetwork: { host, driver in
                parts.observeNetwork(of: host) { [weak driver] in driver?.networkChanged(to: $0) }
            })
        parts.track(adapter.driver)
        return adapter
    }

    static func make(
        _ settings: PusherSettings, _ options: ClientOptions, dial: @escaping @Sendable () -> any ClientTransport<PusherSession>,
        http: any HTTPSending, timers: any TimerScheduler, seed: UInt64? = nil, unixSeconds: @escaping @Sendable () -> Int,
        tasks: TaskStarter = .plain, track: @escaping @Sendable (Driver) -> Void = { _ in },
        observeNetwork: (String, Driver) -> NetworkObservation? = { _, _ in nil }
    ) -> PusherAdapter {
        var policy = options.policy.retrying(options.retryPolicy)
        policy.overrides = PusherSession.policyOverrides
        policy.backgroundGrace = options.backgroundGrace
        let limit = policy.timing.request
        var recovering = PusherMemory(
            key: settings.key, host: settings.host.name, port: settings.host.port, usesTLS: settings.host.tls,
            path: settings.path, clientName: "lifeline-swift", version: PackageVersion.current)
        if settings.recoversMessages { recovering.askForRecovery() }
        let memory = recovering
        // The header fields of the options are sent to the service, but not to the authorisation endpoint.
        let service = HeaderedHTTP(http, options.headers)
        let transport: @Sendable () -> any ClientTransport<PusherSession> = {
            HeaderedTransport.webSocket(dial(), options.headers)
        }
        let heartbeats = HeartbeatMeter()
        var (channelHeaders, userHeaders): (TokenSource<[String: String]>?, TokenSource<[String: String]>?) = (nil, nil)
        if case .endpoint(_, let headers) = settings.access.kind {
            channelHeaders = headers.source(timers: timers, unixSeconds: unixSeconds, tasks: tasks)
        }
        if case .endpoint(_, let headers) = settings.signIn?.kind {
            userHeaders = headers.source(timers: timers, unixSeconds: unixSeconds, tasks: tasks)
        }
        let authorizer = PusherAuthorizer(
            settings: settings, http: http, limit: limit, tasks: tasks, channelHeaders: channelHeaders, userHeaders: userHeaders)
        let driver = Driver(
            transport: HeartbeatTransport.pusher(transport(), heartbeats, now: { timers.now }), jobs: authorizer, timers: timers,
            policy: policy, memory: memory, seed: seed, observer: options.engineObserver)
        let replay = PusherReplay(limit: limit, tasks: tasks) { [policy] change in
            var memory = memory
            change(&memory)
            let driver = Driver(
                transport: transport(), jobs: authorizer, timers: timers, policy: policy, memory: memory, seed: seed)
            track(driver)
            return driver
        }
        let caller = settings.access.credentials.map {
            PusherCaller(settings: settings, credentials: $0, http: service, limit: limit, unixSeconds: unixSeconds)
        }
        if settings.signIn != nil { driver.submit(.perform(.signIn, nil)) }
        return PusherAdapter(
            driver: driver, heartbeats: heartbeats, timers: timers, settings: settings, caller: caller,
            replay: settings.recoversMessages ? replay : nil,
            network: observeNetwork(settings.host.name, driver), headers: [channelHeaders, userHeaders].compactMap { $0 })
    }
}
