import ChatProtocol
import ClientRuntime
import ConnectionEngine
import EngineRuntime
import TransportCommon
import WireCoding

extension ChatAdapter {
    /// Makes an adapter from a client's transport, timer and HTTP parts.
    static func on(_ parts: ClientParts, _ settings: ChatAdapterSettings, options: ClientOptions) -> ChatAdapter {
        let network = options.network
        let transport: any ClientTransport<ChatSession> = parts.webSocket(network.webSocket()) { ChatFrameDecoder() }
        let adapter = make(
            settings, options, transport: transport, http: parts.http(network.httpCaller(answers: 1 << 16)),
            timers: parts.makeTimers(), seed: parts.nextSeed(), unixSeconds: parts.unixSeconds, tasks: parts.tasks,
            observeNetwork: { parts.observeNetwork(of: $0, $1) })
        parts.track(adapter.driver)
        return adapter
    }

    static func make(
        _ settings: ChatAdapterSettings, _ options: ClientOptions, transport: any ClientTransport<ChatSession>,
        http: any HTTPSending, timers: any TimerScheduler, seed: UInt64? = nil, unixSeconds: @escaping @Sendable () -> Int,
        tasks: TaskStarter = .plain,
        observeNetwork: (String, @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation? = { _, _ in nil }
    ) -> ChatAdapter {
        let policy = policy(settings, options)
        let issuer = ChatTokenIssuer(
            settings: settings, http: HeaderedHTTP(http, options.headers), limit: policy.timing.request, unixSeconds: unixSeconds)
        let heartbeats = HeartbeatMeter()
        let base = HeartbeatTransport.chat(
            HeaderedTransport.webSocket(transport, options.headers), heartbeats, now: { timers.now })
        let tokens = Self.source(for: settings.access, timers: timers, unixSeconds: unixSeconds, tasks: tasks)
        var gate: TokenTransport<ChatSession>?
        if let tokens {
            gate = TokenTransport(base: base, tasks: tasks) { () async throws(ConnectionFailure) in try await tokens.value().value
            }
        } else if issuer.isNeeded {
            gate = TokenTransport(base: base, tasks: tasks) { () async throws(ConnectionFailure) in try await issuer.token() }
        }
        let memory = ChatMemory(
            host: settings.host.name, port: settings.host.port, usesTLS: settings.host.tls,
            path: (settings.path ?? "") + ChatMemory.path, appKey: settings.appKey, token: issuer.initialToken,
            device: settings.device, client: "lifeline-swift/\(PackageVersion.current)", yields: settings.yields)
        let driver = Driver(
            transport: gate ?? base, jobs: NoJobs<ChatSession>(), timers: timers, policy: policy, memory: memory, seed: seed,
            observer: options.engineObserver)
        gate?.deliverTokens { [weak driver] in driver?.submit(.perform(.setToken($0), nil)) }
        let network = observeNetwork(settings.host.name) { [weak driver] status in
            guard let driver else { return }
            let failures = driver.snapshot.failedAttempts
            for input in ChatSession.networkChanged(status, policy: policy, failures: failures) { driver.submit(input) }
            driver.noteNetwork(status)
        }
        return ChatAdapter(
            driver: driver, heartbeats: heartbeats, timers: timers, sendLimit: memory.sendLimit, policy: policy,
            settings: settings, seed: seed ?? .random(in: .min ... .max), network: network, tokens: tokens)
    }

    private static func policy(_ settings: ChatAdapterSettings, _ options: ClientOptions) -> ConnectionPolicy {
        var policy = ConnectionPolicy.chat(timing: options.timing.policy.timing)
        policy.timing = options.policy.timing
        if case .tokens = settings.access.kind {
            // A connection attempt whose token is refused is retried, because the next attempt requests another token (rule LL-82). A
            // refusal by the application's token provider has the category `refused` and is final.
            policy.overrides[.credentialsRejected] = .jittered(
                first: .seconds(1), base: .seconds(1), cap: policy.cap, atLeast: .milliseconds(500))
        }
        policy.backgroundGrace = options.backgroundGrace
        return policy.retrying(options.retryPolicy)
    }

    private static func source(
        for access: NexconnAccess, timers: any TimerScheduler, unixSeconds: @escaping @Sendable () -> Int, tasks: TaskStarter
    ) -> TokenSource<String>? {
        guard case .tokens(let provider) = access.kind else { return nil }
        return TokenSource(margin: provider.margin, timers: timers, unixSeconds: unixSeconds, tasks: tasks) {
            request throws(ConnectionFailure) in
            let token = try await provider.token(request)
            return .init(value: token.text, expires: token.expires?.unixSeconds)
        }
    }
}
