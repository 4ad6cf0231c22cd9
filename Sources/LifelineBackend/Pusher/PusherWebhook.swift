import PusherProtocol
import WireCoding

/// The contents of one webhook request.
public struct PusherWebhook: Hashable, Sendable {
    /// When the request was sent, in milliseconds since 1970.
    public var unixMilliseconds: Int
    /// The events, in order.
    public var events: [PusherWebhookEvent]
}

/// An event of a webhook.
public enum PusherWebhookEvent: Hashable, Sendable {
    /// A client subscribed to a channel that had no subscriber.
    case channelOccupied(channel: String)
    /// The last subscriber of a channel has left.
    case channelVacated(channel: String)
    /// A user joined a presence channel.
    case memberAdded(channel: String, userID: String)
    /// A user left a presence channel.
    case memberRemoved(channel: String, userID: String)
    /// A client published an event. `userID` is nil except on presence channels.
    case clientEvent(channel: String, event: String, data: String, socketID: String, userID: String?)
    /// A client subscribed to a cache channel that has no event.
    case cacheMiss(channel: String)
    /// The number of a channel's subscribers changed to `count`.
    case subscriptionCount(channel: String, count: Int)
    /// An event whose name this version does not define, as JSON text.
    case other(name: String, json: String)

    init?(_ json: JSONText) {
        guard let name = json["name"]?.string else { return nil }
        let user = json["user_id"]?.identifier
        switch (name, json["channel"]?.string) {
        case ("channel_occupied", let channel?): self = .channelOccupied(channel: channel)
        case ("channel_vacated", let channel?): self = .channelVacated(channel: channel)
        case ("cache_miss", let channel?): self = .cacheMiss(channel: channel)
        case ("member_added", let channel?):
            guard let user else { return nil }
            self = .memberAdded(channel: channel, userID: user)
        case ("member_removed", let channel?):
            guard let user else { return nil }
            self = .memberRemoved(channel: channel, userID: user)
        case ("client_event", let channel?):
            guard let event = json["event"]?.string else { return nil }
            let data = json["data"].map { $0.string ?? $0.text } ?? ""
            self = .clientEvent(
                channel: channel, event: event, data: data, socketID: json["socket_id"]?.string ?? "", userID: user)
        case ("subscription_count", let channel?):
            guard let count = json["subscription_count"]?.integer else { return nil }
            self = .subscriptionCount(channel: channel, count: count)
        default: self = .other(name: name, json: json.text)
        }
    }
}

// Webhooks. Rule BK-6.
extension PusherBackend {
    /// Reads a webhook request, after its signature has been verified.
    ///
    /// - Parameters:
    ///   - body: the unchanged bytes of the body, which the signature covers.
    ///   - key: the header `X-Pusher-Key`.
    ///   - signature: the header `X-Pusher-Signature`.
    ///   - maximumAge: how much the request's time may differ from this machine's time; nil for no limit. Old requests may be replays.
    /// - Throws: `signatureInvalid` for a wrong signature or an old request: answer with 401. `badRequest` for a signed body that is not a
    ///   webhook: answer with 400.
    public func webhook(
        body: [UInt8], key: String?, signature: String?, maximumAge: Duration? = .seconds(300)
    ) throws(BackendError) -> PusherWebhook {
        guard let key, let signature else {
            throw BackendError(.signatureInvalid, "The webhook lacks the header X-Pusher-Key or X-Pusher-Signature.")
        }
        let known = keys.filter { ConstantTime.areEqual($0.key, key) }
        let isRight = ConstantTime.anyIsRight(known) {
            PusherSignature.isValid(webhookSignature: signature, body: body, secret: $0.secret)
        }
        guard isRight else {
            throw BackendError(.signatureInvalid, "The webhook's signature does not match any key of the application.")
        }
        guard let json = try? JSONText(bytes: body), let time = json["time_ms"]?.integer,
            let events = json["events"]?.elements
        else { throw .badRequest("The webhook's body is not a JSON object with time_ms and events.") }
        let (difference, overflow) = time.subtractingReportingOverflow(unixMilliseconds())
        if let maximumAge, overflow || Duration.milliseconds(difference.magnitude) > maximumAge {
            throw BackendError(.signatureInvalid, "The webhook's time differs from this machine's by more than maximumAge.")
        }
        return PusherWebhook(unixMilliseconds: time, events: events.compactMap { PusherWebhookEvent($0) })
    }
}
