import ClientRuntime
import EngineRuntime

/// The parts that a client and its rooms share. Its release ends the connection and every sequence.
final class ClientCore: Sendable {
    let adapter: any ServiceAdapter
    let hub: ClientHub
    /// Connection changes and confirmed channels, for outboxes.
    let signals = Broadcaster<ClientSignal>(backlog: 64, isDroppable: { _ in false }, dropped: { _ in .connection })
    /// The transport, timer and HTTP parts that the adapter was made of.
    let parts: ClientParts
    let requiresEncryption: Bool
    private let observation: Observation
    private let application: Observation?
    private let telemetry: ClientTelemetry?

    /// - Parameters:
    ///   - consumers: is notified of running loops over sequences; for tests.
    ///   - application: reports when the application goes to the background and comes back; nil when only the application itself
    ///     reports it.
    ///   - parts: the parts that the adapter was made of.
    init(
        adapter: any ServiceAdapter, options: ClientOptions, consumers: (any ConsumerTracker)? = nil,
        application: ApplicationMonitor? = nil, parts: ClientParts = .live
    ) {
        self.parts = parts
        let timing = options.policy.timing
        // The clock must not keep the adapter alive: sequences hold it, and they may outlive the client.
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

    /// Publishes, and records the outcome.
    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        // Rule LL-122: a message ends the typing indicator.
        hub.held(publication.channel)?.typing.withThrottle { throttle, _ in throttle.published() }
        guard let telemetry else { return try await adapter.publish(publication) }
        let began = adapter.clock()
        let outcome = try await adapter.publish(publication)
        telemetry.note(outcome, after: adapter.clock().duration(since: began))
        return outcome
    }

    /// Rule LL-26: throws when the service could read messages of the channel, so that none is sent or received.
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
