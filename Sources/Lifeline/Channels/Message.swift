import ConnectionEngine
import PusherProtocol
import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A message that was received from a channel, live or from its history.
public struct Message: Sendable {
    /// The channel to which the message was published.
    public var channel: String
    /// The subscribed pattern that covers the channel; nil when the channel itself was subscribed.
    public var pattern: String?
    /// The name of the published event; ``Message/defaultEvent`` for services without event names.
    public var event: String
    /// Whether a client published the message, not your server. Only Pusher distinguishes the two: it prefixes the names of client events
    /// with `client-`. The prefix is removed from ``event``, so an event has the same name from a client as from your server. If you trust
    /// only your server, check this property. Rule LL-88.
    public var isClientEvent: Bool
    /// The payload as the service delivered it, decrypted. Usually JSON; see ``data``.
    public var text: String
    /// The message id that the service has assigned; nil when the service assigns none.
    public var id: String?
    /// The user who published the message, as an id that the service has verified; nil when the service sends none.
    public var user: String?
    /// When the service accepted the message, by the service's clock; nil when the service does not send the time. For display only: order
    /// and gaps do not depend on it.
    public var publishedAt: Date?
    /// When this client received the message, on the monotonic clock.
    public var receivedAt: Moment
    /// The gap directly before this message; nil when there is none. In ``Room/deliveries`` a gap is a separate element, which is delivered
    /// without waiting for the next message.
    public var precedingGap: Gap?

    /// The event name of messages that were published without an event name.
    public static let defaultEvent = "message"

    /// Makes a message, such as for tests of your own code.
    public init(
        channel: String, pattern: String? = nil, event: String = Message.defaultEvent, text: String, id: String? = nil,
        user: String? = nil, publishedAt: Date? = nil, receivedAt: Moment, precedingGap: Gap? = nil,
        isClientEvent: Bool = false
    ) {
        self.isClientEvent = isClientEvent
        self.channel = channel
        self.pattern = pattern
        self.event = event
        self.text = text
        self.id = id
        self.user = user
        self.publishedAt = publishedAt
        self.receivedAt = receivedAt
        self.precedingGap = precedingGap
    }

    /// The payload as JSON text. A payload that is not JSON is returned as a JSON string.
    public var data: String {
        if let json = try? JSONText(text) { return json.text }
        return JSONText.string(text).text
    }

    /// Decodes the payload as a value.
    ///
    /// - Throws: ``LifelineError/Code/undecodable``. The error names the type and the path in the JSON, but not the payload.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(LifelineError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(data.utf8))
        } catch let error as DecodingError {
            throw LifelineError(.undecodable, "The payload cannot be decoded as \(type)\(Self.place(of: error)).")
        } catch {
            throw LifelineError(
                .undecodable, "The payload cannot be decoded as \(type). Compare the type with the JSON in `data`.")
        }
    }

    /// Where decoding failed: the path of keys, never a value of the payload.
    private static func place(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): ": it has no \(path(context.codingPath + [key]))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            context.codingPath.isEmpty ? "" : ": \(path(context.codingPath)) has another type"
        default: ""
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map(\.stringValue).joined(separator: ".")
    }
}
