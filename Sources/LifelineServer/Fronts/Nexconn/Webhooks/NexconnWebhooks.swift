import HTTPTransport
import Logging
import NIOCore
import NexconnProtocol
import RealtimeHub
import WireCoding

/// Tells the own server of a chat application what happens (rules NV-40 to NV-46).
final class NexconnWebhooks: Sendable {
    private let delivery: WebhookDelivery

    /// One batch at a time, so that events of a user arrive in their order whatever their type.
    static let policy = WebhookPolicy(batchLength: 200, batchBytes: 1 << 20, requests: 1)

    init(url: String, settings: ChatApplication, clock: ServerClock, eventLoop: any EventLoop, logger: Logger) {
        let (key, secret) = (settings.key, settings.secret)
        // Different for each start, so that ids of batches are.
        let prefix = Hex.text((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        var logger = logger
        logger[metadataKey: "app"] = "\(key)"
        delivery = WebhookDelivery(
            policy: Self.policy, clock: clock, eventLoop: eventLoop, logger: logger, isFinal: Self.isFinal
        ) { batch in
            let time = Int64(clamping: clock.unixTicks() / NexconnTimeline.ticksPerMillisecond)
            let nonce = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
            let signature = NexconnServerSignature.sign(
                secret: secret.revealed, nonce: nonce, timestamp: String(time))
            let fields = [
                HTTPField("Content-Type", "application/json"), HTTPField("App-Key", key), HTTPField("Nonce", nonce),
                HTTPField("Timestamp", String(time)), HTTPField("Signature", signature),
            ]
            return HTTPCall(method: "POST", url: url, headers: fields, body: batch.chatBody(prefix: prefix, time: time))
        }
    }

    var counts: WebhookDelivery.Counts { delivery.counts }

    /// Takes an event; it is sent from elsewhere. Cheap enough to be called under a lock.
    func tell(_ event: WebhookEvent) {
        delivery.tell(event)
    }

    /// A receiver that does not want a batch will not want it later either, unless it says so.
    private static func isFinal(_ status: Int) -> Bool {
        (300..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// Waits for a while until all has been told; the rest is given up.
    func close() async {
        await delivery.close()
    }
}
