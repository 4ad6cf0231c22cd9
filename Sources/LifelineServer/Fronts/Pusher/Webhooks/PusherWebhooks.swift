import Logging
import NIOConcurrencyHelpers
import NIOCore
import RealtimeHub

/// Tells the receivers of one application what happens on its channels (rules SW-1 to SW-28).
final class PusherWebhooks: Sendable {
    private struct Receiver: Sendable {
        let webhook: Webhook
        let delivery: WebhookDelivery
    }

    private struct State: Sendable {
        var desk = ChannelNewsDesk()
        var timer: Scheduled<Void>?
        var isClosed = false
    }

    private let webhooks: [Webhook]
    private let key: String
    private let secret: Secret
    private let receivers: [Receiver]
    private let clock: ServerClock
    private let eventLoop: any EventLoop
    private let state = NIOLockedValueBox(State())

    /// One event for each request, four requests at a time.
    static let single = WebhookPolicy(batchLength: 1, batchBytes: 1, requests: 4)
    static let batched = WebhookPolicy(
        batchLength: 100, batchBytes: 256 << 10, window: .milliseconds(50), requests: 4)

    init(_ application: Application, clock: ServerClock, eventLoop: any EventLoop, logger: Logger) {
        webhooks = application.webhooks
        key = application.key
        secret = application.secret
        self.clock = clock
        self.eventLoop = eventLoop
        let (key, secret) = (key, secret)
        receivers = application.webhooks.enumerated().map { number, webhook in
            var logger = logger
            logger[metadataKey: "app"] = "\(application.id)"
            logger[metadataKey: "receiver"] = "\(number)"
            let request = PusherWebhookRequest(webhook, key: key, secret: secret)
            let delivery = WebhookDelivery(
                policy: webhook.batches ? Self.batched : Self.single, clock: clock, eventLoop: eventLoop, logger: logger,
                // Whatever a receiver says, it may have recovered a minute later.
                isFinal: { _ in false },
                call: { batch in request.call(batch.events, at: Int64(clamping: clock.unixTicks() / 10_000)) })
            return Receiver(webhook: webhook, delivery: delivery)
        }
    }

    /// Whether these are the application's receivers as they are configured now.
    func serves(_ application: Application) -> Bool {
        key == application.key && secret == application.secret && webhooks == application.webhooks
    }

    var counts: WebhookDelivery.Counts {
        receivers.reduce(into: .init()) { $0 += $1.delivery.counts }
    }

    /// Takes news; to be called under the lock that orders those of their channel. Sends nothing itself.
    func tell(_ news: ChannelNews) {
        guard webhooks.contains(where: { $0.wants(either: news.event, or: news.opposite, on: news.channel) }) else { return }
        state.withLockedValue { state in
            guard !state.isClosed else { return }
            let now = clock.monotonic()
            for item in state.desk.take(news, at: now) { send(item) }
            schedule(&state, at: now)
        }
    }

    /// A cache channel has got an event.
    func filled(_ channel: String) {
        state.withLockedValue { $0.desk.filled(channel) }
    }

    /// Lets time pass by the server's clock.
    func sweep() {
        release()
        for receiver in receivers { receiver.delivery.sweep() }
    }

    /// Tells all that is held back, and waits for a while until everything has arrived.
    func close() async {
        let timer = state.withLockedValue { state in
            for news in state.desk.release(at: clock.monotonic(), all: true) { send(news) }
            state.isClosed = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
        await withTaskGroup(of: Void.self) { group in
            for receiver in receivers { group.addTask { await receiver.delivery.close() } }
        }
    }

    // MARK: What is due

    /// With the lock held, so that nothing of a channel overtakes.
    private func send(_ news: ChannelNews) {
        var event: WebhookEvent?
        for receiver in receivers where receiver.webhook.wants(news.event, on: news.channel) {
            let made = event ?? WebhookEvent(topic: "", key: news.channel, body: news.body)
            receiver.delivery.tell(made)
            event = made
        }
    }

    private func schedule(_ state: inout State, at now: HubInstant) {
        guard state.timer == nil, let due = state.desk.due else { return }
        state.timer = eventLoop.scheduleTask(in: TimeAmount(max(due.since(now), .milliseconds(1)))) { [weak self] in
            guard let self else { return }
            self.state.withLockedValue { $0.timer = nil }
            self.release()
        }
    }

    private func release() {
        state.withLockedValue { state in
            guard !state.isClosed else { return }
            let now = clock.monotonic()
            for news in state.desk.release(at: now) { send(news) }
            schedule(&state, at: now)
        }
    }
}
