import ClientRuntime
import EngineRuntime

/// The shared state of a client and its rooms. When the last reference is released, the connection and every sequence end.
final class ClientCore: Sendable {
    let adapter: any ServiceAdapter
    let hub: ClientHub
    /// Broadcasts connection changes and confirmed channels to outboxes.
    let signals = Broadcaster<ClientSignal>(backlog: 64, isDroppable: { _ in false }, dropped: { _ in .connection })
    /// The transport, timer and HTTP parts from which the adapter was made.
    let parts: ClientParts
    let requiresEncryption: Bool
    private let observation: Observation
    private let application: Observation?
    private let telemetry: ClientTelemetry?

    /// - Parameters:
    ///   - consumers: is notified of running loops over sequences; only for tests.
    ///   - application: reports when the application enters the background and returns; nil when the application calls
    ///     `applicationDidEnterBackground()` itself.
    ///   - parts: the parts from which the adapter was made.
    init(
        adapter: any ServiceAdapter, options: ClientOptions, consumers: (any ConsumerTracker)? = nil,
        application: ApplicationMonitor? = nil, parts: ClientParts = .live
    ) {
        self.parts = parts
        let timing = options.policy.timing
        // The feed clock holds `adapter.clock` and not the adapter, because sequences hold the feed clock and may outlive the client.
        let clock = FeedClock(now: adapter.clock, allowance: adapter.longestDelay ?? timing.activity + timing.probe)
        let hub = ClientHub(backlog: options.backlog, clock: clock, timers: adapter.timers, consumers: consumers)
        self.adapter = adapter
        self.hub = hub
        requiresEncryption = options.requiresEncryption
        let telemetry = ClientTelemetry(service: adapter.serviceLabel, logger: options.logger, metrics: options.metrics)
        self.telemetry = telemetry
        observation = adapter.observe { [signals] events in
            telemetry?.note(events)
            hub.take(events)
            let news = events.compactMap(ClientSignal.init)
            if !news.isEmpty { signals.send(news) }
        }
        self.application = application?.observe { [weak adapter] in adapter?.moved(to: $0) }
    }

    /// Publishes a message, and records its outcome and duration in the telemetry.
    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        // A published message ends the user's typing indicator (rule LL-122).
        hub.held(publication.channel)?.typing.withThrottle { throttle, _ in throttle.published() }
        guard let telemetry else { return try await adapter.publish(publication) }
        let began = adapter.clock()
        let outcome = try await adapter.publish(publication)
        telemetry.note(outcome, after: adapter.clock().duration(since: began))
        return outcome
    }

    /// Throws when encryption is required but the service could read messages of the channel, so that no message is sent or received (rule
    /// LL-26).
    func requireEncryption(of channel: String) throws(LifelineError) {
        if requiresEncryption, let gap = adapter.encryptionGap(of: channel) { throw gap }
    }

    deinit {
        observation.cancel()
        signals.finish()
        adapter.heartbeats.latencies.finish()
        hub.end()
    }
}
