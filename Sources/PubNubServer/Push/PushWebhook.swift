import Crypto
import DequeModule
import HTTPTransport
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerRuntime
import ServerStorage
import WireCoding

/// Sends a keyset's push notifications to the keyset's webhook. The receiver of the webhook forwards them to Apple and Google, because only
/// the receiver has the credentials for their services (rules PU-20 to PU-27).
///
/// The work runs on a separate event loop, so that a channel with many devices delays neither publishers nor subscribers.
final class PushWebhook: Sendable {
    private struct State: Sendable {
        var url: String?
        /// The delivery to the configured address; nil when no address is configured.
        var delivery: WebhookDelivery?
        /// Deliveries to former addresses. They still send the events that are in their queues.
        var retiring: [WebhookDelivery] = []
        /// The event counts of all deliveries that have ended. Events that were dropped because no address was configured are included.
        var retired = WebhookDelivery.Counts()
        /// The messages whose events have not been made yet, oldest first; `waitingBytes` is the size of these messages.
        var waiting = Deque<Work>()
        var waitingBytes = 0
        /// Whether ``work()`` is scheduled or running on the event loop.
        var isWorking = false
        /// The number of messages whose notifications were dropped, because the queue was full or no address is configured.
        var dropped = 0
        var isClosed = false
    }

    /// A message whose webhook events are being made.
    private struct Work: Sendable {
        let message: StoredMessage
        /// The tokens of the devices that were registered for the message's channel when the message was stored.
        let devices: [PushDevice.Service: Set<Identifier>]
        /// The message's number in the journal; nil when the message is not in the journal. The journal keeps the message until all of its
        /// events are made.
        let number: UInt64?
        /// The events that remain to be made; nil before the first step.
        var events: PushEvents?
    }

    private let key: String
    private let clock: ServerClock
    private let logger: Logger
    private let eventLoop: any EventLoop
    /// The secret for signing requests. A new secret also signs requests for events that were queued before the change.
    private let secret: NIOLockedValueBox<Secret>
    /// Stores events so that they survive the end of this process; nil when events are kept in memory only.
    private let journal: (any WebhookJournal)?
    private let state: NIOLockedValueBox<State>

    /// The largest number of messages whose events have not been made yet. Further messages are dropped.
    static let maximumWaiting = 10_000
    /// The largest size in bytes of the waiting messages. Usually the message streams keep the same objects, so that the waiting messages
    /// need no extra memory.
    static let maximumWaitingBytes = 64 << 20
    static let policy = WebhookPolicy(
        batchLength: 100, batchBytes: 256 << 10, window: .milliseconds(50), requests: 4, postponed: 100)
    static let userAgent = "lifeline-webhooks"

    /// The receiver name under which the journal keeps messages whose events have not been made yet.
    private static let messages = WebhookReceiverName(text: "messages")

    /// - Parameter journal: stores events until they are delivered; nil to keep them in memory only.
    init(_ keyset: Keyset, clock: ServerClock, logger: Logger, journal: (any WebhookJournal)? = nil) {
        self.journal = journal
        key = keyset.subscribeKey
        self.clock = clock
        var logger = logger
        logger[metadataKey: "service"] = "pubnub"
        logger[metadataKey: "app"] = "\(keyset.subscribeKey)"
        logger[metadataKey: "receiver"] = "0"
        self.logger = logger
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        secret = NIOLockedValueBox(keyset.secretKey)
        state = NIOLockedValueBox(State())
        follow(keyset)
    }

    /// Applies the webhook address and the secret of a configuration that has changed.
    func follow(_ keyset: Keyset) {
        secret.withLockedValue { $0 = keyset.secretKey }
        state.withLockedValue { state in
            guard state.url != keyset.pushWebhook, !state.isClosed else { return }
            state.url = keyset.pushWebhook
            if let former = state.delivery { state.retiring.append(former) }
            state.delivery = keyset.pushWebhook.map { delivery(to: $0) }
        }
    }

    /// Whether notifications are sent: a webhook address is configured and the webhook is not closed. Called for each message.
    var isWanted: Bool { state.withLockedValue { $0.delivery != nil && !$0.isClosed } }

    /// Restores the undelivered events of an earlier process, if a webhook address is configured.
    ///
    /// - Returns: the messages whose events were not made, with their numbers in the journal.
    func restore() -> [(message: StoredMessage, number: UInt64)] {
        guard let journal else { return [] }
        let (messages, unwanted) = state.withLockedValue { state in
            var messages: [(message: StoredMessage, number: UInt64)] = []
            var unwanted: [UInt64] = []
            guard let url = state.url, let delivery = state.delivery else { return (messages, unwanted) }
            let receiver = WebhookReceiverName(url: url)
            for kept in journal.claim(Identifier(key)) {
                guard let number = kept.event.number else { continue }
                let body = ByteBuffer(bytes: kept.event.body)
                if kept.receiver == receiver {
                    delivery.restore(kept)
                } else if kept.receiver == Self.messages, let message = try? StoredMessage(decoding: body) {
                    messages.append((message, number))
                } else {
                    unwanted.append(number)
                }
            }
            state.retired.dropped += unwanted.count
            return (messages, unwanted)
        }
        if !unwanted.isEmpty {
            journal.forget(unwanted)
            logger.warning(
                "webhook events dropped without delivery",
                metadata: ["events": "\(unwanted.count)", "reason": "the receiver is no longer configured"])
        }
        return messages
    }

    /// Queues a stored message for the devices that are registered for its channel at this moment. The call is cheap and does not block.
    ///
    /// - Parameter number: the message's number in the journal; nil when the journal does not have it yet.
    func tell(_ message: StoredMessage, to devices: [PushDevice.Service: Set<Identifier>], keptAs number: UInt64? = nil) {
        guard !devices.isEmpty else { return forget(number) }
        let number = number ?? keep(message)
        let (begins, isTaken) = state.withLockedValue { state in
            guard state.delivery != nil, !state.isClosed else { return (false, state.isClosed) }
            guard state.waiting.count < Self.maximumWaiting, state.waitingBytes + message.bytes <= Self.maximumWaitingBytes else {
                state.dropped += 1
                return (false, false)
            }
            state.waiting.append(Work(message: message, devices: devices, number: number))
            state.waitingBytes += message.bytes
            defer { state.isWorking = true }
            return (!state.isWorking, true)
        }
        if !isTaken { forget(number) }
        if begins { eventLoop.execute { self.work() } }
    }

    /// Adds a message to the journal, in the same batch that stores the message itself. The journal keeps the message until its events are
    /// made.
    private func keep(_ message: StoredMessage) -> UInt64? {
        guard let journal, isWanted, PushNotice.isPossible(in: message) else { return nil }
        let event = WebhookEvent(
            topic: "", key: message.channel.text, body: Array(message.encoded().readableBytesView))
        return journal.keep(event, of: Identifier(key), for: Self.messages)
    }

    private func forget(_ number: UInt64?) {
        if let number { journal?.forget([number]) }
    }

    /// Makes one event of the first waiting message, then schedules this method again, so that the event loop can do other work in between.
    /// One message is completed before the next one begins, so that messages of a channel keep their order.
    private func work() {
        guard var work = state.withLockedValue({ $0.waiting.first }) else { return }
        var events = work.events ?? PushNotice(work.message)?.events(work.message, to: work.devices)
        let event = events?.step()
        let isFinished = events?.isFinished ?? true
        work.events = events
        let (delivery, url, goesOn) = state.withLockedValue { state in
            if isFinished {
                state.waiting.removeFirst()
                state.waitingBytes -= work.message.bytes
            } else {
                state.waiting[0] = work
            }
            state.isWorking = !state.waiting.isEmpty
            return (state.delivery, state.url, state.isWorking)
        }
        if var event, let delivery, let url {
            event.number = journal?.keep(event, of: Identifier(key), for: WebhookReceiverName(url: url))
            delivery.tell(event)
        }
        if isFinished { forget(work.number) }
        if goesOn { eventLoop.execute { self.work() } }
    }

    private func delivery(to url: String) -> WebhookDelivery {
        // The ids of batches begin with a prefix that is random for each delivery object, so that ids do not repeat after a restart.
        let prefix = Hex.text((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        return WebhookDelivery(
            policy: Self.policy, clock: clock, eventLoop: eventLoop, logger: logger, journal: journal, isFinal: Self.isFinal
        ) { [key, clock, secret] batch in
            let body = Self.body(
                batch.events, id: "\(prefix)-\(batch.id)",
                time: Int64(clamping: clock.unixTicks() / TimetokenClock.ticksPerMillisecond))
            let fields = [
                HTTPField("Content-Type", "application/json"), HTTPField("User-Agent", Self.userAgent),
                HTTPField("X-Lifeline-Key", key),
                HTTPField("X-Lifeline-Signature", Self.signature(of: body, secret.withLockedValue { $0 })),
            ]
            return HTTPCall(method: "POST", url: url, headers: fields, body: body)
        }
    }

    /// `{"id":"…","time_ms":…,"events":[…]}`
    static func body(_ events: [WebhookEvent], id: String, time: Int64) -> [UInt8] {
        JSONBody.object { body in
            body.member("id", id)
            body.member("time_ms", Int(time))
            body.key("events")
            body.array { body in for event in events { body.json(event.body) } }
        }
    }

    /// HMAC-SHA256 of the body with the keyset's secret key, in lowercase hexadecimal.
    static func signature(of body: [UInt8], _ secret: Secret) -> String {
        Hex.text(HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: Array(secret.revealed.utf8))))
    }

    /// Whether this status means that the receiver refuses a batch for good, so that a retry would be useless. The statuses 408, 425 and
    /// 429 ask for a retry.
    private static func isFinal(_ status: Int) -> Bool {
        (300..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// The counts of events, including events for former addresses; nil when no address was ever configured.
    var counts: WebhookDelivery.Counts? {
        state.withLockedValue { state in
            guard state.delivery != nil || !state.retiring.isEmpty || state.retired.delivered + state.retired.dropped > 0 else {
                return nil
            }
            var counts = state.retired
            counts.dropped += state.dropped
            for delivery in state.retiring + (state.delivery.map { [$0] } ?? []) { counts += delivery.counts }
            return counts
        }
    }

    /// Counts events of an earlier process that were dropped because their address is no longer configured.
    func countExpired(_ count: Int) {
        state.withLockedValue { $0.dropped += count }
    }

    /// Stops sending new requests, and waits for a limited time for the answers to requests that were sent.
    func hold() async {
        let deliveries = state.withLockedValue { $0.retiring + ($0.delivery.map { [$0] } ?? []) }
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.hold() } }
        }
    }

    /// Performs the periodic work of the deliveries, such as retries, and removes idle deliveries to former addresses.
    func sweep() {
        let deliveries = state.withLockedValue { state in
            state.retiring.removeAll { delivery in
                // An idle delivery to a former address gets no more events, so its counts are final.
                guard delivery.isIdle else { return false }
                state.retired += delivery.counts.settled
                return true
            }
            return state.retiring + (state.delivery.map { [$0] } ?? [])
        }
        for delivery in deliveries { delivery.sweep() }
    }

    /// Waits for a limited time until all events are sent, then drops the rest.
    func close() async {
        // Waits until the events of all waiting messages are made. With a journal this is not necessary, because the next leader makes the
        // remaining events.
        while journal == nil, state.withLockedValue({ $0.isWorking }), (try? await eventLoop.submit {}.get()) != nil {}
        let deliveries = state.withLockedValue { state in
            state.isClosed = true
            return state.retiring + (state.delivery.map { [$0] } ?? [])
        }
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.close() } }
        }
    }
}
