import Logging
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import RealtimeHub

/// What all connections of a server share: applications, channels, and the way to every event loop.
///
/// Channels live in shards with a lock each. Whatever a change tells subscribers is queued under that lock, so every subscriber of
/// a channel sees the same order (rule SV-2).
final class ServerCore: Sendable {
    let configuration: ServerConfiguration
    let outlets: [LoopOutlet]
    let congestion: LoopCongestion
    let pubnub: PubNubServices
    let nexconn: NexconnServices
    /// Where chat applications are counted, by their number.
    let chatSlots: [MetricSlot]
    let webhooks: PusherWebhookService
    let bridge: ServiceBridge?
    let prefix: PathPrefix
    let crossOrigin: CrossOrigin
    let budget = RequestBudget()
    let admission: NIOLockedValueBox<Admission>
    let names = MetricNames()
    let started: HubInstant
    /// Nil for no TLS.
    let certificate: ServerCertificate?
    let shortage: AcceptShortage
    /// Whether the latest configuration that was to be taken over was valid.
    let hasValidConfiguration = NIOLockedValueBox(true)
    private let shared = NIOLockedValueBox<[String: SharedApplication]>([:])
    private let shards: [NIOLockedValueBox<ChannelShard>]

    init(
        configuration: ServerConfiguration, eventLoops: [any EventLoop], store: any MessageStore, restored: RestoredState,
        chatStore: any ChatStore, restoredChat: RestoredChat, certificate: ServerCertificate? = nil
    ) {
        self.configuration = configuration
        self.certificate = certificate
        shortage = AcceptShortage(logger: configuration.logger)
        started = configuration.clock.monotonic()
        let congestion = LoopCongestion()
        self.congestion = congestion
        outlets = eventLoops.enumerated().map {
            LoopOutlet(
                eventLoop: $1, partition: $0, congestion: congestion, maximumPendingBytes: configuration.maximumPendingBytes,
                maximumQueuedBytes: configuration.maximumQueuedBytes, now: configuration.clock.monotonic)
        }
        prefix = PathPrefix(configuration.pathPrefix)
        crossOrigin = CrossOrigin(configuration.corsOrigins)
        bridge = configuration.bridge.map { ServiceBridge($0, logger: configuration.logger) }
        pubnub = PubNubServices(
            configuration, store: store, restored: restored, outlets: outlets, names: names, bridge: bridge)
        nexconn = NexconnServices(
            configuration, store: chatStore, restored: restoredChat, outlets: outlets, bridge: bridge)
        webhooks = PusherWebhookService(configuration, eventLoops: eventLoops)
        chatSlots = nexconn.applications.map { [names] in names.slot(.chat, $0.settings.key) }
        admission = NIOLockedValueBox(Admission(maximumConnections: configuration.maximumConnections))
        shards = (0..<(eventLoops.count > 1 ? 16 : 1)).map { _ in NIOLockedValueBox(ChannelShard()) }
        bridge?.join(self)
    }

    var now: HubInstant { configuration.clock.monotonic() }
    var logger: Logger { configuration.logger }

    /// The outlet of a channel's event loop.
    func outlet(of eventLoop: any EventLoop) -> LoopOutlet? {
        outlets.first { $0.eventLoop === eventLoop }
    }

    /// The one copy of an application that connections refer to. A changed application gets a new one.
    func share(_ application: Application) -> SharedApplication {
        shared.withLockedValue { shared in
            if let known = shared[application.id], known.value == application { return known }
            let users = shared[application.id]?.users
            let new = SharedApplication(
                application, slot: names.slot(.pusher, application.id),
                users: users ?? NIOLockedValueBox(UserBook(offlineGrace: configuration.userOfflineGrace)))
            shared[application.id] = new
            return new
        }
    }

    /// The applications that somebody has connected to.
    var sharedApplications: [SharedApplication] { shared.withLockedValue { Array($0.values) } }

    func withShard<Result>(of channel: ChannelID, _ body: (inout ChannelShard) throws -> Result) rethrows -> Result {
        try shards[ChannelShard.index(of: channel, among: shards.count)].withLockedValue(body)
    }

    func withEveryShard<Result>(_ body: (inout ChannelShard) -> Result) -> [Result] {
        shards.map { $0.withLockedValue(body) }
    }

    /// Queues a frame for the subscribers of a channel; returns the event loops that are full now.
    @discardableResult
    func deliver(
        _ frame: ByteBuffer, to channel: ChannelID, in audience: PartitionSet, excluding: SocketID? = nil
    ) -> PartitionSet {
        var full = PartitionSet()
        for partition in audience where partition < outlets.count {
            if outlets[partition].enqueue(.deliver(channel, frame, excluding: excluding)) { full.insert(partition) }
        }
        return full
    }

    /// Closes connections, those of one application or one signed-in user of it when given.
    func close(_ farewell: PusherFarewell, application: String? = nil, user: String? = nil) {
        for outlet in outlets { outlet.enqueue(.close(farewell, application: application, user: user)) }
    }

    /// Asks all chat sessions to come back later, each at another time.
    func drainChat() {
        for outlet in outlets { outlet.enqueue(.chat(.drain)) }
    }

    /// Closes the connections of all held polls.
    func disconnectPolls() {
        for outlet in outlets { outlet.enqueue(.disconnectPolls) }
    }

    var statistics: ServerStatistics {
        var total = ServerStatistics()
        for outlet in outlets { total.add(outlet.statistics) }
        total.connections = admission.withLockedValue(\.connections)
        total.chatMessages = nexconn.messages
        total.messagesPublished = pubnub.published
        let webhooks = (Array(webhooks.counts.values) + nexconn.webhookCounts.map(\.counts)).reduce(
            into: WebhookDelivery.Counts()
        ) {
            $0 += $1
        }
        (total.webhookEvents, total.webhookEventsDropped) = (webhooks.delivered, webhooks.dropped)
        total.channels = withEveryShard { $0.occupiedCount }.reduce(0, +)
        return total
    }
}
