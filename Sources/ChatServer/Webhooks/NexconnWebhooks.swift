import HTTPTransport
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

/// Tells the own server of a chat application what happens (rules NV-40 to NV-46), if there is an address for it.
final class NexconnWebhooks: Sendable {
    private struct State: Sendable {
        var url: String?
        /// Nil without an address.
        var delivery: WebhookDelivery?
        /// To addresses that are configured no more: they still tell what waited for them (rule NV-72).
        var retiring: [WebhookDelivery] = []
        /// Of those that have told it.
        var retired = WebhookDelivery.Counts()
        /// Whether there has ever been an address.
        var isCounted = false
        var isClosed = false
    }

    private let key: String
    private let clock: ServerClock
    private let eventLoop: (any EventLoop)?
    private let logger: Logger
    /// What requests are signed with from now on, those that wait included.
    private let secret: NIOLockedValueBox<Secret>
    private let state = NIOLockedValueBox(State())

    /// One batch at a time, so that events of a user arrive in their order whatever their type.
    static let policy = WebhookPolicy(batchLength: 200, batchBytes: 1 << 20, requests: 1)

    /// - Parameter eventLoop: nil where nothing can be sent.
    init(_ settings: ChatApplication, clock: ServerClock, eventLoop: (any EventLoop)?, logger: Logger) {
        key = settings.key
        self.clock = clock
        self.eventLoop = eventLoop
        var logger = logger
        logger[metadataKey: "app"] = "\(settings.key)"
        self.logger = logger
        secret = NIOLockedValueBox(settings.secret)
        follow(settings)
    }

    /// Has the address and the secret that are configured now used from now on.
    func follow(_ settings: ChatApplication) {
        secret.withLockedValue { $0 = settings.secret }
        state.withLockedValue { state in
            guard state.url != settings.webhook, !state.isClosed else { return }
            state.url = settings.webhook
            if let former = state.delivery { state.retiring.append(former) }
            state.delivery = settings.webhook.flatMap { delivery(to: $0) }
            state.isCounted = state.isCounted || state.delivery != nil
        }
    }

    private func delivery(to url: String) -> WebhookDelivery? {
        guard let eventLoop else { return nil }
        // Different for each start, so that ids of batches are.
        let prefix = Hex.text((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        return WebhookDelivery(
            policy: Self.policy, clock: clock, eventLoop: eventLoop, logger: logger, isFinal: Self.isFinal
        ) { [key, clock, secret] batch in
            let time = Int64(clamping: clock.unixTicks() / NexconnTimeline.ticksPerMillisecond)
            let nonce = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
            let signature = NexconnServerSignature.sign(
                secret: secret.withLockedValue(\.revealed), nonce: nonce, timestamp: String(time))
            let fields = [
                HTTPField("Content-Type", "application/json"), HTTPField("App-Key", key), HTTPField("Nonce", nonce),
                HTTPField("Timestamp", String(time)), HTTPField("Signature", signature),
            ]
            return HTTPCall(method: "POST", url: url, headers: fields, body: batch.chatBody(prefix: prefix, time: time))
        }
    }

    /// What has become of events, those to former addresses included, so that it never gets less; nil when there was never an address.
    var counts: WebhookDelivery.Counts? {
        let (isCounted, deliveries, retired) = state.withLockedValue {
            ($0.isCounted, ($0.delivery.map { [$0] } ?? []) + $0.retiring, $0.retired)
        }
        return isCounted ? deliveries.reduce(into: retired) { $0 += $1.counts } : nil
    }

    /// Takes an event, which is made only if somebody is to be told; it is sent from elsewhere. Cheap enough to be called under a lock.
    func tell(_ event: @autoclosure () -> WebhookEvent) {
        state.withLockedValue(\.delivery)?.tell(event())
    }

    /// Forgets former addresses that have been told everything.
    func sweep() {
        state.withLockedValue { state in
            guard !state.retiring.isEmpty else { return }
            state.retiring.removeAll { delivery in
                // Nobody gives it anything any more, so these are its last figures.
                guard delivery.isIdle else { return false }
                state.retired += delivery.counts
                return true
            }
        }
    }

    /// A receiver that does not want a batch will not want it later either, unless it says so.
    private static func isFinal(_ status: Int) -> Bool {
        (300..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// Waits for a while until all has been told; the rest is given up.
    func close() async {
        let deliveries = state.withLockedValue { state in
            state.isClosed = true
            return (state.delivery.map { [$0] } ?? []) + state.retiring
        }
        await withTaskGroup(of: Void.self) { group in
            for delivery in deliveries { group.addTask { await delivery.close() } }
        }
    }
}
