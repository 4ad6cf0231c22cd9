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

/// Sends push notifications, as requested in a keyset's messages, to the keyset's webhook. The webhook's receiver passes them on to
/// Apple and Google, whose credentials it has (rules PU-20 to PU-27).
///
/// It works on its own event loop, so that a channel with many devices delays neither publishers nor subscribers.
final class PushWebhook: Sendable {
    private struct State: Sendable {
        var url: String?
        /// The delivery to the current address; nil without an address.
        var delivery: WebhookDelivery?
        /// Deliveries to former addresses, which still send their queued events.
        var retiring: [WebhookDelivery] = []
        /// The counts of deliveries that have ended.
        var retired = WebhookDelivery.Counts()
        /// Messages whose events have not been made yet, with their sizes in bytes.
        var waiting = Deque<Work>()
        var waitingBytes = 0
        /// Whether the worker task is turning waiting messages into webhook events.
        var isWorking = false
        /// The number of messages that were dropped because the queue was full.
        var dropped = 0
        var isClosed = false
    }

    /// A message whose events are being made.
    private struct Work: Sendable {
        let message: StoredMessage
        /// The tokens that the message's channel had when the message was stored.
        let devices: [PushDevice.Service: Set<Identifier>]
        /// The message's number in the journal, which keeps it until its events are made; nil when the journal does not keep it.
        let number: UInt64?
        /// The remaining events; nil before the first step.
        var events: PushEvents?
    }

    private let key: String
    private let clock: ServerClock
    private let logger: Logger
    private let eventLoop: any EventLoop
    /// The secret with which requests are signed from now on, including queued ones.
    private let secret: NIOLockedValueBox<Secret>
    /// Stores events so that they survive the end of this process; nil when events are not stored.
    private let journal: (any WebhookJournal)?
    private let state: NIOLockedValueBox<State>

    /// The largest number of messages that wait until their events are made.
    static let maximumWaiting = 10_000
    /// The largest number of bytes of the payloads and metadata of these messages. They share this memory with the streams as long
    /// as the streams keep the messages.
    static let maximumWaitingBytes = 64 << 20
    static let policy = WebhookPolicy(
        batchLength: 100, batchBytes: 256 << 10, window: .milliseconds(50), requests: 4, postponed: 100)
    static let userAgent = "lifeline-webhooks"

    /// The name under which the journal keeps messages whose events have not been made yet.
    private static let messages = WebhookReceiverName(text: "messages")

    /// - Parameter journal: stores events that have not been delivered.
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

    /// Uses the configured address and secret from now on.
    func follow(_ keyset: Keyset) {
        secret.withLockedValue { $0 = keyset.secretKey }
        state.withLockedValue { state in
            guard state.url != keyset.pushWebhook, !state.isClosed else { return }
            state.url = keyset.pushWebhook
            if let former = state.delivery { state.retiring.append(former) }
            state.delivery = keyset.pushWebhook.map { delivery(to: $0) }
        }
    }

    /// Whether a webhook is configured. Read for each message.
    var isWanted: Bool { state.withLockedValue { $0.delivery != nil && !$0.isClosed } }

    /// Restores the events of an earlier process, if an address is configured.
    ///
    /// - Returns: messages whose events were not made, with their numbers in the journal.
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
                "webhook given up", metadata: ["events": "\(unwanted.count)", "reason": "the receiver is no longer configured"])
        }
        return messages
    }

    /// Queues a stored message for the devices that its channel has at this moment. The call is cheap and does not block.
    ///
    /// - Parameter number: the message's number in the journal, if the journal keeps it already.
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

    /// Keeps a message in the journal until its events are made, as part of the batch that stores the message itself.
    private func keep(_ message: StoredMessage) -> UInt64? {
        guard let journal, isWanted, PushNotice.isPossible(in: message) else { return nil }
        let event = WebhookEvent(
            topic: "", key: message.channel.text, body: Array(message.encoded().readableBytesView))
        return journal.keep(event, of: Identifier(key), for: Self.messages)
    }

    private func forget(_ number: UInt64?) {
        if let number { journal?.forget([number]) }
    }

    /// Makes one event of the first waiting message, and continues in another turn of the event loop, which has other work to do.
    /// Messages are processed one after the other, so that those of a channel keep their order.
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
        // Random for each start, so that ids of batches are unique.
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

    /// Whether a receiver that answers with this status has refused a batch for good: it would refuse it again, unless the status
    /// asks to retry.
    private static func isFinal(_ status: Int) -> Bool {
        (300..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// The counts of events, including those to former addresses; nil when there has never been an address.
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

    /// Counts events of another process that were dropped because no address is configured for them.
    func countExpired(_ count: Int) {
        state.withLockedValue { $0.dropped += count }
    }

    /// Stops sending new requests, and waits for a limited time for the outstanding answers.
    func hold() async {
        let deliveries = state.withLockedValue { $0.retiring + ($0.delivery.map { [$0] } ?? []) }
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.hold() } }
        }
    }

    /// Runs the time-dependent work of deliveries, by the server's clock.
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

    /// Waits for a limited time until everything has been sent; drops the rest.
    func close() async {
        // Waits until the events of waiting messages are made. With a journal they are left to the next leader.
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
