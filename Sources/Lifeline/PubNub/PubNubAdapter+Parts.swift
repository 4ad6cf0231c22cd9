import ClientRuntime
import ConnectionEngine
import EngineRuntime
import PubNubProtocol
import TransportCommon

extension PubNubAdapter {
    /// Makes an adapter from a client's transport, timer and HTTP parts.
    static func on(_ parts: ClientParts, _ service: PubNubAdapterSettings, options: ClientOptions) -> PubNubAdapter {
        let network = options.network
        let transport: any ClientTransport<PubNubSession> = parts.longPoll(network.longPoll()) { PubNubAnswerDecoder() }
        // The limit for HTTP answers is 8 MiB. The longest answer is a page of history: 100 messages of 32 KiB.
        let http = parts.http(network.httpCaller(messages: 8 << 20))
        let adapter = make(
            service, options, transport: transport, http: http, timers: parts.makeTimers(), seed: parts.nextSeed(),
            unixSeconds: parts.unixSeconds, tasks: parts.tasks
        ) { host, driver in
            parts.observeNetwork(of: host) { [weak driver] in driver?.networkChanged(to: $0) }
        }
        parts.track(adapter.driver)
        return adapter
    }

    static func make(
        _ service: PubNubAdapterSettings, _ options: ClientOptions, transport: any ClientTransport<PubNubSession>,
        http: any HTTPSending, timers: any TimerScheduler, seed: UInt64? = nil, unixSeconds: @escaping @Sendable () -> Int,
        tasks: TaskStarter = .plain,
        observeNetwork: (String, Driver) -> NetworkObservation? = { _, _ in nil }
    ) -> PubNubAdapter {
        let seed = seed ?? .random(in: .min ... .max)
        var session = PubNubOptions()
        session.endsWhenEmpty = false
        // PubNub's queue holds 100 messages for a client. With this threshold the service reports an overflow of the queue, and the client
        // states the overflow as the reason of the gap.
        session.messageCountThreshold = 100
        var policy = PubNubSession.policy(
            options.policy.retrying(options.retryPolicy), options: session, seed: seed)
        policy.backgroundGrace = options.backgroundGrace
        session.requestTimeout = policy.timing.request
        session.pollRenewal = options.pollRenewal
        let memory = PubNubMemory(settings: service.settings, options: session, seed: seed, unixTime: unixSeconds)
        let heartbeats = HeartbeatMeter()
        let base = HeartbeatTransport.pubnub(
            HeaderedTransport.longPoll(transport, options.headers), heartbeats, now: { timers.now })
        let tokens = service.tokens.map { Self.source(for: $0, timers: timers, unixSeconds: unixSeconds, tasks: tasks) }
        let gate = tokens.map { tokens in
            TokenTransport(base: base, tasks: tasks) { () async throws(ConnectionFailure) in try await tokens.value().value }
        }
        let driver = Driver(
            transport: gate ?? base, jobs: NoJobs<PubNubSession>(), timers: timers, policy: policy, memory: memory, seed: seed,
            observer: options.engineObserver)
        gate?.deliverTokens { [weak driver] in driver?.submit(.perform(.setAuth($0), nil)) }
        if let filter = service.filter { driver.submit(.perform(.setFilter(filter), nil)) }
        let caller = PubNubCaller(
            host: service.host, settings: service.settings, cipher: service.cipher, http: HeaderedHTTP(http, options.headers),
            limit: policy.timing.request,
            unixSeconds: unixSeconds, now: { timers.now }, tokens: tokens)
        let news = PubNubNews(
            user: service.settings.userID, cipher: service.cipher, tracksPresence: service.tracksPresence,
            allowance: policy.timing.activity + policy.timing.probe)
        return PubNubAdapter(
            driver: driver, heartbeats: heartbeats, timers: timers, caller: caller, news: news,
            tracksPresence: service.tracksPresence,
            tasks: tasks, network: observeNetwork(service.host.name, driver), tokens: tokens)
    }

    private static func source(
        for provider: TokenProvider, timers: any TimerScheduler, unixSeconds: @escaping @Sendable () -> Int,
        tasks: TaskStarter
    ) -> TokenSource<String> {
        TokenSource(margin: provider.margin, timers: timers, unixSeconds: unixSeconds, tasks: tasks) {
            request throws(ConnectionFailure) in
            let token = try await provider.token(request)
            return .init(value: token.text, expires: token.expires?.unixSeconds ?? Self.expiry(of: token.text))
        }
    }

    /// When an access manager token expires, seconds since 1970; nil for an auth key, and for a token that cannot be parsed.
    private static func expiry(of token: String) -> Int? {
        guard let token = try? PubNubAccessToken(parsing: token) else { return nil }
        let (lifetime, isTooLong) = token.ttl.multipliedReportingOverflow(by: 60)
        let (expires, isTooLate) = token.issued.addingReportingOverflow(lifetime)
        return isTooLong || isTooLate ? nil : expires
    }
}
