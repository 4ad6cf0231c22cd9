import ServerRuntime
import ServerStorage
import WireCoding

/// An event of a channel that webhooks can report. Pusher documentation, Webhooks.
package struct ChannelWebhookEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case occupied
        case vacated
        case memberAdded(user: String)
        case memberRemoved(user: String)
        case clientEvent(PusherClientEvent, sender: SocketID)
        case cacheMiss
        case subscriptionCount(Int)
    }

    var channel: String
    var kind: Kind

    init(_ kind: Kind, on channel: String) {
        self.channel = channel
        self.kind = kind
    }

    /// The kind of event, which webhook receivers select.
    var event: Webhook.Event {
        switch kind {
        case .occupied: .channelOccupied
        case .vacated: .channelVacated
        case .memberAdded: .memberAdded
        case .memberRemoved: .memberRemoved
        case .clientEvent: .clientEvent
        case .cacheMiss: .cacheMiss
        case .subscriptionCount: .subscriptionCount
        }
    }

    /// The kind of event that cancels this one while it is held. If a receiver selects only one of the two kinds, both are tracked, so that
    /// it does not get a cancelled event.
    var opposite: Webhook.Event? {
        switch event {
        case .channelOccupied: .channelVacated
        case .channelVacated: .channelOccupied
        case .memberAdded: .memberRemoved
        case .memberRemoved: .memberAdded
        case .clientEvent, .cacheMiss, .subscriptionCount: nil
        }
    }

    /// The event as an element of `events` in the webhook request (rule SW-3).
    var body: [UInt8] {
        var out: [UInt8] = []
        JSONWriter.append(#"{"name":"#, to: &out)
        JSONWriter.appendString(event.rawValue, to: &out)
        Self.append(#","channel":"#, channel, to: &out)
        switch kind {
        case .occupied, .vacated, .cacheMiss: break
        case .memberAdded(let user), .memberRemoved(let user): Self.append(#","user_id":"#, user, to: &out)
        case .clientEvent(let event, let sender):
            Self.append(#","event":"#, event.name, to: &out)
            Self.append(#","data":"#, event.data, to: &out)
            Self.append(#","socket_id":"#, sender.description, to: &out)
            if let user = event.userID { Self.append(#","user_id":"#, user, to: &out) }
        case .subscriptionCount(let count):
            JSONWriter.append(#","subscription_count":"#, to: &out)
            JSONWriter.append(count, to: &out)
        }
        out.append(UInt8(ascii: "}"))
        return out
    }

    private static func append(_ key: StaticString, _ text: String, to out: inout [UInt8]) {
        JSONWriter.append(key, to: &out)
        JSONWriter.appendString(text, to: &out)
    }
}

extension Webhook {
    /// Whether this receiver has selected the kind of event and the channel (rule SW-2).
    func wants(_ event: Event, on channel: String) -> Bool {
        // Prefixes are compared by bytes, because channel names that look the same but have different bytes are different channels.
        events.contains(event)
            && (channelPrefix.map { channel.utf8.starts(with: $0.utf8) } ?? true)
            && (channelSuffix.map { channel.utf8.reversed().starts(with: $0.utf8.reversed()) } ?? true)
    }

    func wants(either event: Event, or other: Event?, on channel: String) -> Bool {
        wants(event, on: channel) || (other.map { wants($0, on: channel) } ?? false)
    }
}
