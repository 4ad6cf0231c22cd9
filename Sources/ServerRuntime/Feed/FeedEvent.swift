import ServerValues

/// An event on a server, shown in the live feed.
package struct FeedEvent: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// An application's server, or a client of PubNub or chat, published a message.
        case published
        /// A Pusher client sent a client event.
        case client
        case connected
        case ended
    }

    package var kind: Kind
    package var service: ServiceName
    package var application: String
    package var channel: String?
    /// The event's name or the message's type; for the end of a connection, the close code.
    package var name: String?
    package var user: String?
    /// The size of the payload in bytes.
    package var bytes: Int?
    /// The payload, if the viewer requested payloads.
    package var payload: String?

    package init(
        _ kind: Kind, _ service: ServiceName, application: String, channel: String? = nil, name: String? = nil,
        user: String? = nil, bytes: Int? = nil, payload: String? = nil
    ) {
        self.kind = kind
        self.service = service
        self.application = application
        self.channel = channel
        self.name = name
        self.user = user
        self.bytes = bytes
        self.payload = payload
    }

    /// The number of bytes of a payload that are shown.
    package static let payloadBytes = 2_048

    /// Returns the beginning of a payload, at most ``payloadBytes`` long and cut between two characters.
    package static func shown(_ payload: String) -> String {
        guard payload.utf8.count > payloadBytes else { return payload }
        var end = payload.utf8.index(payload.startIndex, offsetBy: payloadBytes)
        while end > payload.startIndex, String.Index(end, within: payload) == nil { payload.utf8.formIndex(before: &end) }
        return String(payload[..<end]) + "…"
    }
}

/// A viewer's selection of events: service, kind and channels. A value.
package struct FeedFilter: Hashable, Sendable {
    package var service: String?
    package var application: String?
    /// The kind of events to show; nil for all.
    package var kind: FeedEvent.Kind?
    /// The beginning of the names of channels to show. When it is not empty, events without a channel are not shown.
    package var channelPrefix = ""
    /// Whether payloads are shown. They contain messages of users.
    package var showsPayloads = false

    package init() {}

    package func takes(_ event: FeedEvent) -> Bool {
        if let service, event.service.rawValue != service { return false }
        if let application, event.application != application { return false }
        if let kind, event.kind != kind { return false }
        guard channelPrefix.isEmpty else { return event.channel?.utf8.starts(with: channelPrefix.utf8) == true }
        return true
    }
}
