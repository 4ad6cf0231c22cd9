import EngineRuntime

/// What a client and its rooms share. Its release ends the connection and every sequence.
final class ClientCore: Sendable {
    let adapter: any ServiceAdapter
    let hub: ClientHub
    private let requiresEncryption: Bool
    private let observation: Observation

    init(adapter: any ServiceAdapter, options: ClientOptions) {
        let timing = options.timing.policy.timing
        // The clock must not keep the adapter alive: sequences hold it, and they may outlive the client.
        let clock = FeedClock(now: adapter.clock, allowance: timing.activity + timing.probe)
        let hub = ClientHub(backlog: options.backlog, clock: clock)
        self.adapter = adapter
        self.hub = hub
        requiresEncryption = options.requiresEncryption
        observation = adapter.observe { hub.take($0) }
    }

    /// Rule LL-26: nothing may go out, or come in, that the service could read.
    func requireEncryption(of channel: String) throws(LifelineError) {
        if requiresEncryption, let gap = adapter.encryptionGap(of: channel) { throw gap }
    }

    deinit {
        observation.cancel()
        hub.end()
    }
}
