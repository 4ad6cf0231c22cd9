import ChatProtocol
import HTTPTransport
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerStorage
import WireCoding

/// Sends the events of a chat application to its webhook, if one is configured (rules NV-40 to NV-46). Only one of the nodes sends them.
final class ChatWebhooks: Sendable {
    private struct State: Sendable {
        var url: String?
        /// The delivery to the current webhook address, which queues and sends events; nil when no address is configured or no node sends
        /// events.
        var delivery: WebhookDelivery?
        /// Deliveries to addresses that are no longer configured. They still send the events in their queues (rule NV-72).
        var retiring: [WebhookDelivery] = []
        /// Deliveries of a node that leaves. They still send the events in their queues, and end with the node.
        var closing: [WebhookDelivery] = []
        /// Events that arrived while deliveries in `closing` had not ended. They are held so that older events are sent first. Nil while
        /// `closing` is empty.
        var held: Held?
        /// The numbers of events that ended deliveries have sent and dropped, as sums.
        var retired = WebhookDelivery.Counts()
        /// The event loop of the node that sends the events; nil while no node sends them.
        var eventLoop: (any EventLoop)?
        /// Whether a webhook address has ever been configured.
        var isCounted = false
    }

    /// Events that wait until the deliveries of the former node have sent their older events.
    private struct Held: Sendable {
        var events: [WebhookEvent] = []
        var bytes = 0

        mutating func append(_ event: WebhookEvent) {
            events.append(event)
            bytes += event.body.count
        }

        var isFull: Bool { events.count >= policy.maximumEvents || bytes >= policy.maximumBytes }
    }

    private let key: String
    private let clock: ServerClock
    private let logger: Logger
    /// The secret with which all later requests are signed, including those with events that are queued already.
    private let secret: NIOLockedValueBox<Secret>
    /// Stores undelivered events, so that they survive this process; nil when events are not stored.
    private let journal: (any WebhookJournal)?
    private let state = NIOLockedValueBox(State())

    /// Only one batch is sent at a time, so that a user's events arrive in order, whatever their types.
    static let policy = WebhookPolicy(shares: 10, batchLength: 200, batchBytes: 1 << 20, requests: 1)

    /// Prepares the webhook of an application. Nothing is sent before ``use(_:)`` has set the event loop.
    ///
    /// - Parameter journal: stores events that have not been delivered; nil for none.
    init(_ settings: ChatApplication, clock: ServerClock, logger: Logger, journal: (any WebhookJournal)? = nil) {
        self.journal = journal
        key = settings.key
        self.clock = clock
        var logger = logger
        logger[metadataKey: "service"] = "chat"
        logger[metadataKey: "app"] = "\(settings.key)"
        logger[metadataKey: "receiver"] = "0"
        self.logger = logger
        secret = NIOLockedValueBox(settings.secret)
        follow(settings)
    }

    /// Uses the webhook address and the secret of these settings from now on.
    func follow(_ settings: ChatApplication) {
        secret.withLockedValue { $0 = settings.secret }
        state.withLockedValue { state in
            guard state.url != settings.webhook else { return }
            state.url = settings.webhook
            release(&state)
            if let former = state.delivery { state.retiring.append(former) }
            begin(&state)
        }
    }

    /// Sends all later events on this event loop, which belongs to another node (server); nil when no node sends.
    ///
    /// - Returns: the deliveries of the previous node, which ``close(_:)`` has to end. Events that arrive before these deliveries have
    ///   ended are sent after the deliveries' events.
    @discardableResult
    func use(_ eventLoop: (any EventLoop)?) -> [WebhookDelivery] {
        state.withLockedValue { state in
            // Held events go to the delivery of the former node. That delivery ends soon, and drops the events that it has not sent by
            // then.
            release(&state)
            let former = (state.delivery.map { [$0] } ?? []) + state.retiring
            state.closing += former
            state.retiring = []
            state.eventLoop = eventLoop
            begin(&state)
            if state.delivery != nil, !state.closing.isEmpty, state.held == nil { state.held = Held() }
            return former
        }
    }

    /// Starts the delivery to the current address on the current event loop, if both are set.
    private func begin(_ state: inout State) {
        state.delivery = nil
        guard let url = state.url, let eventLoop = state.eventLoop else { return }
        let delivery = delivery(to: url, on: eventLoop)
        state.delivery = delivery
        state.isCounted = true
        // Stored events of another process are restored before new events are accepted, so that the older events are sent first (rule
        // CR-43).
        restore(for: WebhookReceiverName(url: url), delivery, &state)
    }

    private func restore(for receiver: WebhookReceiverName, _ delivery: WebhookDelivery, _ state: inout State) {
        guard let journal else { return }
        var unwanted: [UInt64] = []
        for kept in journal.claim(Identifier(key)) {
            if kept.receiver == receiver {
                delivery.restore(kept)
            } else if let number = kept.event.number {
                unwanted.append(number)
            }
        }
        guard !unwanted.isEmpty else { return }
        state.retired.dropped += unwanted.count
        journal.forget(unwanted)
        logger.warning(
            "webhook events dropped without delivery",
            metadata: ["events": "\(unwanted.count)", "reason": "the receiver is no longer configured"])
    }

    /// Counts stored events of another process that were dropped because their address is no longer configured.
    func countExpired(_ count: Int) {
        state.withLockedValue { state in
            state.retired.dropped += count
            state.isCounted = true
        }
    }

    /// Passes held events to the delivery of the node that sends now.
    private func release(_ state: inout State) {
        guard let held = state.held else { return }
        state.held = nil
        for event in held.events { state.delivery?.tell(event) }
    }

    private func delivery(to url: String, on eventLoop: any EventLoop) -> WebhookDelivery {
        // The prefix is random for each start, so that ids of batches are unique.
        let prefix = Hex.text((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        return WebhookDelivery(
            policy: Self.policy, clock: clock, eventLoop: eventLoop, logger: logger, journal: journal, isFinal: Self.isFinal
        ) { [key, clock, secret] batch in
            let time = Int64(clamping: clock.unixTicks() / TimetokenClock.ticksPerMillisecond)
            let nonce = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
            let signature = ChatServerSignature.sign(
                secret: secret.withLockedValue(\.revealed), nonce: nonce, timestamp: String(time))
            let fields = [
                HTTPField("Content-Type", "application/json"), HTTPField("App-Key", key), HTTPField("Nonce", nonce),
                HTTPField("Timestamp", String(time)), HTTPField("Signature", signature),
            ]
            return HTTPCall(method: "POST", url: url, headers: fields, body: batch.chatBody(prefix: prefix, time: time))
        }
    }

    /// The counts of all events, including those sent to former addresses, so that the counts never decrease. Nil when no address has ever
    /// been configured.
    var counts: WebhookDelivery.Counts? {
        state.withLockedValue { state in
            guard state.isCounted else { return nil }
            var counts = state.retired
            counts.queued += state.held?.events.count ?? 0
            if let delivery = state.delivery { counts += delivery.counts }
            for delivery in state.retiring { counts += delivery.counts }
            for delivery in state.closing { counts += delivery.counts }
            return counts
        }
    }

    /// Stores an event, which ``tell(_:)`` sends once it is durable. Returns nil, without making the event, if no address is configured.
    func keep(_ event: () -> WebhookEvent) -> WebhookEvent? {
        guard let url = state.withLockedValue({ $0.delivery == nil ? nil : $0.url }) else { return nil }
        var event = event()
        event.number = journal?.keep(event, of: Identifier(key), for: WebhookReceiverName(url: url))
        return event
    }

    /// Stops sending new requests, and waits for a limited time for the answers to requests in progress.
    func hold() async {
        let deliveries = state.withLockedValue { ($0.delivery.map { [$0] } ?? []) + $0.retiring + $0.closing }
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.hold() } }
        }
    }

    /// Queues an event, which another thread sends. The event is made only if an address is configured. The call is fast enough to be made
    /// under a lock.
    func tell(_ event: @autoclosure () -> WebhookEvent) {
        let unwanted: UInt64? = state.withLockedValue { state in
            guard let delivery = state.delivery else {
                // If no node of this process sends events, another process sends the stored event.
                return journal == nil || state.eventLoop == nil ? nil : event().number
            }
            if state.held?.isFull == true { release(&state) }
            if state.held == nil {
                delivery.tell(event())
            } else {
                state.held?.append(event())
            }
            return nil
        }
        if let unwanted { journal?.forget([unwanted]) }
    }

    /// Ends deliveries to former addresses whose events have all been sent.
    func sweep() {
        state.withLockedValue { state in
            guard !state.retiring.isEmpty else { return }
            state.retiring.removeAll { delivery in
                // An idle delivery to a former address gets no more events, so its counts are final.
                guard delivery.isIdle else { return false }
                state.retired += delivery.counts.settled
                return true
            }
        }
    }

    /// Whether a receiver has refused a batch for good by answering with this status. Statuses that ask for a retry are not final.
    private static func isFinal(_ status: Int) -> Bool {
        (300..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// Waits for a limited time until the deliveries of a former node have sent their events, and drops the rest.
    ///
    /// - Parameter former: the result of ``use(_:)``.
    func close(_ former: [WebhookDelivery]) async {
        await withTaskGroup(of: Void.self) { group in
            for delivery in former { group.addTask { await delivery.close() } }
        }
        state.withLockedValue { state in
            for delivery in former { state.retired += delivery.counts.settled }
            state.closing.removeAll { closed in former.contains { $0 === closed } }
            if state.closing.isEmpty { release(&state) }
        }
    }
}
