import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerStorage

/// Sends the events of one application's channels to its webhook receivers (rules SW-1 to SW-28).
final class PusherWebhooks: Sendable {
    private struct Receiver: Sendable {
        /// The number of the receiver in logs and metrics. It is constant as long as the receiver is configured (rule SO-118).
        let number: Int
        let webhook: Webhook
        /// The receiver's name in stored events.
        let name: WebhookReceiverName
        let delivery: WebhookDelivery
    }

    private struct State: Sendable {
        /// The configuration of the application that was applied last.
        var application: Application
        var desk = ChannelEventDebouncer()
        var receivers: [Receiver] = []
        /// Receivers that are no longer configured. Their queued events are still sent (rule SW-1).
        var retiring: [Receiver] = []
        /// The delivery counts of former receivers whose last event has been sent, by receiver number.
        var retired: [Int: WebhookDelivery.Counts] = [:]
        var timer: Scheduled<Void>?
        var isClosed = false
    }

    private let clock: ServerClock
    private let eventLoop: any EventLoop
    private let logger: Logger
    /// The current secret of the application. Requests with queued events are signed with it as well.
    private let secret: NIOLockedValueBox<Secret>
    /// Stores webhook events, so that another process can send them after the end of this one; nil for none.
    private let records: PusherWebhookRecords?
    private let state: NIOLockedValueBox<State>

    /// Delivery policy for receivers without batches: one event in each request, and four requests at a time. Events that the receiver
    /// keeps refusing do not block its other events.
    static let single = WebhookPolicy(batchLength: 1, batchBytes: 1, requests: 4, postponed: 100)
    static let batched = WebhookPolicy(
        batchLength: 100, batchBytes: 256 << 10, window: .milliseconds(50), requests: 4, postponed: 100)

    init(
        _ application: Application, clock: ServerClock, eventLoop: any EventLoop, logger: Logger,
        records: PusherWebhookRecords? = nil
    ) {
        self.records = records
        self.clock = clock
        self.eventLoop = eventLoop
        self.logger = logger
        let secret = NIOLockedValueBox(application.secret)
        self.secret = secret
        var state = State(application: application)
        state.receivers = application.webhooks.enumerated().map { number, webhook in
            Self.receiver(
                webhook, number: number, place: number, of: application, secret: secret, clock: clock, eventLoop: eventLoop,
                logger: logger, journal: records?.journal)
        }
        if let journal = records?.journal { Self.restore(from: journal, &state, logger) }
        self.state = NIOLockedValueBox(state)
    }

    /// Queues the events that an earlier process has stored. Events for a receiver that is no longer configured are dropped (rule CR-45).
    private static func restore(from journal: any WebhookJournal, _ state: inout State, _ logger: Logger) {
        var unwanted: [UInt64] = []
        for kept in journal.claim(Identifier(state.application.id)) {
            let receiver =
                state.receivers.first { $0.name == kept.receiver }
                ?? state.receivers.first { $0.name.text == kept.receiver.text }
            if let receiver {
                receiver.delivery.restore(kept)
            } else if let number = kept.event.number {
                unwanted.append(number)
            }
        }
        guard !unwanted.isEmpty else { return }
        // Dropped events are counted under a number that no configured receiver has.
        state.retired[state.receivers.count, default: .init()].dropped += unwanted.count
        journal.forget(unwanted)
        logger.warning(
            "webhook events dropped without delivery",
            metadata: [
                "app": "\(state.application.id)", "events": "\(unwanted.count)", "reason": "the receiver is no longer configured",
            ])
    }

    private static func receiver(
        _ webhook: Webhook, number: Int, place: Int, of application: Application, secret: NIOLockedValueBox<Secret>,
        clock: ServerClock, eventLoop: any EventLoop, logger: Logger, journal: (any WebhookJournal)?
    ) -> Receiver {
        var logger = logger
        logger[metadataKey: "service"] = "pusher"
        logger[metadataKey: "app"] = "\(application.id)"
        logger[metadataKey: "receiver"] = "\(number)"
        let request = PusherWebhookRequest(webhook, key: application.key, secret: application.secret)
        let delivery = WebhookDelivery(
            policy: webhook.batches ? Self.batched : Self.single, clock: clock, eventLoop: eventLoop, logger: logger,
            journal: journal,
            // No answer of a receiver ends the attempts, because the receiver may work again a minute later.
            isFinal: { _ in false },
            call: { batch in
                var request = request
                request.secret = secret.withLockedValue { $0 }
                return request.call(batch.events, at: Int64(clamping: clock.unixTicks() / 10_000))
            })
        let earlier = application.webhooks.prefix(place).count { $0.url == webhook.url }
        return Receiver(
            number: number, webhook: webhook, name: WebhookReceiverName(url: webhook.url, ordinal: earlier), delivery: delivery)
    }

    /// The delivery counts of all webhook events. Former receivers are included, so that no count ever decreases.
    var counts: WebhookDelivery.Counts {
        receivers.reduce(into: WebhookDelivery.Counts()) { $0 += $1.counts }
    }

    /// The delivery counts of each receiver, in ascending order of receiver numbers. Former receivers with the same number are included.
    /// Address and failures are those of the current receiver, or of a former one that still has queued events.
    var receivers: [WebhookReport] {
        let (present, former, retired) = state.withLockedValue { ($0.receivers, $0.retiring, $0.retired) }
        var counts = retired
        for receiver in former {
            let isReplaced = present.contains { $0.number == receiver.number }
            let told = receiver.delivery.counts
            counts[receiver.number, default: .init()] += isReplaced ? told.settled : told
        }
        for receiver in present { counts[receiver.number, default: .init()] += receiver.delivery.counts }
        return counts.sorted { $0.key < $1.key }.map { number, counts in
            WebhookReport(number: number, url: present.first { $0.number == number }?.webhook.url, counts: counts)
        }
    }

    /// Queues an event for the receivers; it is sent later. Call it under the lock that orders the events of its channel.
    ///
    /// - Parameter application: the application's current configuration.
    func tell(_ news: ChannelWebhookEvent, of application: Application) {
        state.withLockedValue { state in
            guard !state.isClosed else { return }
            follow(application, &state)
            let isWanted = state.receivers.contains { $0.webhook.wants(either: news.event, or: news.opposite, on: news.channel) }
            guard isWanted else { return }
            let now = clock.monotonic()
            for item in state.desk.take(news, at: now) { send(item, state) }
            schedule(&state, at: now)
        }
    }

    /// Applies a changed configuration of the application. Later events are sent to the receivers in this configuration.
    func follow(_ application: Application) {
        state.withLockedValue { state in
            if !state.isClosed { follow(application, &state) }
        }
    }

    /// Applies a configuration. Unchanged receivers keep their queues, so that later events do not overtake queued ones (rule SW-20).
    private func follow(_ application: Application, _ state: inout State) {
        let old = state.application
        secret.withLockedValue { $0 = application.secret }
        let isNamed = old.key == application.key
        guard !isNamed || old.webhooks != application.webhooks else { return }
        state.application = application
        var former = state.receivers
        let kept = application.webhooks.map { webhook in
            isNamed ? former.firstIndex { $0.webhook == webhook }.map { former.remove(at: $0) } : nil
        }
        // Unchanged receivers keep their numbers; each of the others gets the lowest free number.
        var taken = Set(kept.compactMap { $0?.number })
        state.receivers = zip(application.webhooks, kept).enumerated().map { place, pair in
            let (webhook, receiver) = pair
            if let receiver { return receiver }
            let number = (0...taken.count).first { !taken.contains($0) } ?? taken.count
            taken.insert(number)
            return Self.receiver(
                webhook, number: number, place: place, of: application, secret: secret, clock: clock, eventLoop: eventLoop,
                logger: logger, journal: records?.journal)
        }
        state.retiring += former
    }

    /// Records that a cache channel has a cached event, so that its next cache miss is reported.
    func filled(_ channel: String) {
        state.withLockedValue { $0.desk.filled(channel) }
    }

    /// Sends delayed events whose delay has ended, and repeats failed deliveries that are due. Call it regularly.
    func sweep() {
        release()
        let deliveries = state.withLockedValue { state in
            state.retiring.removeAll { receiver in
                // A former receiver without queued events gets no more events, so its counts are final.
                guard receiver.delivery.isIdle else { return false }
                state.retired[receiver.number, default: .init()] += receiver.delivery.counts.settled
                return true
            }
            return (state.receivers + state.retiring).map(\.delivery)
        }
        for delivery in deliveries { delivery.sweep() }
    }

    /// Stops sending new requests, and waits for a limited time for the answers to requests in progress.
    func hold() async {
        let deliveries = state.withLockedValue { ($0.receivers + $0.retiring).map(\.delivery) }
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.hold() } }
        }
    }

    /// Sends all events whose sending is delayed, and waits for a limited time until all queued events are delivered.
    ///
    /// - Parameter tellingAll: whether events whose sending is delayed are sent now; if false, another process sends them later.
    func close(tellingAll: Bool = true) async {
        let (timer, deliveries) = state.withLockedValue { state in
            if tellingAll {
                for news in state.desk.release(at: clock.monotonic(), all: true) { send(news, state) }
            }
            state.isClosed = true
            defer { state.timer = nil }
            return (state.timer, (state.receivers + state.retiring).map(\.delivery))
        }
        timer?.cancel()
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.close() } }
        }
    }

    // MARK: Due events

    /// Queues an event for all receivers that select it. Called with the lock held, so that events of a channel stay in order.
    private func send(_ news: ChannelWebhookEvent, _ state: State) {
        var event: WebhookEvent?
        for receiver in state.receivers where receiver.webhook.wants(news.event, on: news.channel) {
            var made = event ?? WebhookEvent(topic: "", key: news.channel, body: news.body)
            made.number = records?.journal.keep(made, of: Identifier(state.application.id), for: receiver.name)
            receiver.delivery.tell(made)
            event = made
        }
        records?.told(news, state.application.id)
    }

    private func schedule(_ state: inout State, at now: MonotonicInstant) {
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
            for news in state.desk.release(at: now) { send(news, state) }
            schedule(&state, at: now)
        }
    }
}

/// The journal and the closure that store webhook events, so that another process can send them after the end of this one.
struct PusherWebhookRecords: Sendable {
    /// Stores events until receivers have accepted them.
    let journal: any WebhookJournal
    /// Called with an event and the id of its application, when the event's delay has ended and the event is stored for its receivers.
    /// Called under locks, so it may only enqueue.
    let told: @Sendable (ChannelWebhookEvent, String) -> Void
}
