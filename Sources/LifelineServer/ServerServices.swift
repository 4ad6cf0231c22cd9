import ChatServer
import PubNubServer
import PusherServer
import RealtimeHub
import ServerDescriptions
import ServerRuntime
import ServiceBridge

/// The three services of a server and their shared state.
struct ServerServices: Sendable {
    let context: ServerContext
    let pusher: PusherService
    let pubnub: PubNubService
    let chat: ChatService
    let bridge: ServiceBridge?

    init(_ configuration: ServerConfiguration, _ context: ServerContext, _ parts: any ServerParts) async throws {
        self.context = context
        let pusher = PusherService(
            configuration.pusher, context, channels: parts.channels, forwarder: parts.pusherForwarder)
        let pubnub = PubNubService(configuration.pubnub, context, streams: parts.streams)
        let chat = ChatService(configuration.chat, context, backend: parts.chat)
        if let bridge = configuration.bridge, let queue = parts.bridge {
            self.bridge = ServiceBridge([pusher, pubnub, chat], textEvent: bridge.textEvent, context, queue: queue)
        } else {
            bridge = nil
        }
        (self.pusher, self.pubnub, self.chat) = (pusher, pubnub, chat)
        do {
            try await chat.prepare()
        } catch {
            await close()
            throw error
        }
    }

    /// The server's fronts. Further fronts come first, and Pusher last, because it accepts every WebSocket that no other front accepts.
    ///
    /// - Parameter otherMetrics: closures that add metric families from outside of the fronts.
    func host(
        _ others: [any ServerFront], otherMetrics: [@Sendable (inout PrometheusText) -> Void] = []
    ) -> ServerHost {
        let metrics = otherMetrics + (bridge.map { bridge in [{ @Sendable out in bridge.write(to: &out) }] } ?? [])
        return ServerHost(
            context, others + [chat, pubnub, pusher], description: { ServerDescription(rawValue: $0)?.bytes },
            otherMetrics: metrics)
    }

    /// Closes the services of a server that could not start.
    func close() async {
        await pusher.close()
        await pubnub.close()
        await chat.close()
        await bridge?.end()
    }

    var statistics: ServerStatistics {
        let counters = context.counters
        var total = ServerStatistics()
        total.connections = context.admission.withLockedValue(\.connections)
        total.connectionsAccepted = counters.tally.connectionsAccepted
        total.connectionsRefused = counters.connectionsRefused
        total.messagesReceived = counters.tally.messagesReceived
        total.bytesReceived = counters.tally.bytesReceived
        total.messagesSent = counters.tally.messagesSent
        total.bytesSent = counters.tally.bytesSent
        total.slowSubscribersCut = counters.tally.slowSubscribersCut
        total.deadConnectionsCut = counters.tally.deadConnectionsCut
        total.requests = counters.requests
        total.requestsRefused = counters.requestsRefused
        let polls = pubnub.counts
        (total.heldPolls, total.polls, total.messagesPolled) = (polls.held, polls.polls, polls.messages)
        total.messagesPublished = pubnub.published
        total.chatMessages = chat.messages
        total.chatRefusals = chat.framesRefused
        let counts = Array(pusher.webhookCounts.values) + pubnub.webhookCounts.values + chat.webhookCounts.values
        let webhooks = counts.reduce(into: WebhookDelivery.Counts()) { $0 += $1 }
        (total.webhookEvents, total.webhookEventsDropped) = (webhooks.delivered, webhooks.dropped)
        total.channels = pusher.channelCount
        return total
    }
}
