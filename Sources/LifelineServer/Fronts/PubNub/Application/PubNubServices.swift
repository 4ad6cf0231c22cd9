import PubNubProtocol
import RealtimeHub

/// All keysets of a server.
final class PubNubServices: Sendable {
    let timeline: PubNubTimeline
    let applications: [PubNubApplication]
    private let byKey: [String: PubNubApplication]

    init(
        _ configuration: ServerConfiguration, store: any MessageStore, restored: RestoredState, outlets: [LoopOutlet],
        names: MetricNames, bridge: ServiceBridge? = nil
    ) {
        let timeline = PubNubTimeline(store: store, restored: restored, unixTicks: configuration.clock.unixTicks)
        self.timeline = timeline
        let limits = StreamLimits(perChannel: configuration.pollQueueLength)
        applications = configuration.keysets.enumerated().map { number, keyset in
            PubNubApplication(
                keyset: keyset, number: number, slot: names.slot(.pubnub, keyset.subscribeKey), timeline: timeline,
                restored: restored, limits: limits,
                clock: configuration.clock, outlets: outlets, bridge: bridge)
        }
        byKey = Dictionary(applications.map { ($0.keyset.subscribeKey, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Messages, signals and fires that were published through PubNub's API since the start.
    var published: Int { applications.reduce(0) { $0 + $1.publishedCount } }

    func application(subscribeKey: String) -> PubNubApplication? { byKey[subscribeKey] }

    /// Looks for users that have fallen silent, and forgets messages that nobody can catch up from any more.
    func sweep() {
        timeline.sweep()
        let now = timeline.now
        for application in applications {
            let time = application.occupancyTime
            application.change { state, news in
                state.occupancy.sweep(at: time, into: &news.events)
                state.streams.sweep(at: now)
            }
        }
    }
}
